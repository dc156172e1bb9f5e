// Programs for the terminal that speak to any provider, each started in its documented automation mode.

const prompt = "Call every tool that you have.";

/** OpenCode and its derivative read the same file. */
const openCodeConfig = (provider, servers) => ({
  provider: {
    trial: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: `${provider}/v1`, apiKey: "trial" },
      models: { trial: { tool_call: true } },
    },
  },
  permission: { "*": "allow" },
  mcp: Object.fromEntries(
    Object.entries(servers).map(([name, { command, args, url }]) => [
      name,
      url === undefined
        ? { type: "local", command: [command, ...args] }
        : { type: "remote", url, oauth: false },
    ]),
  ),
});

export const OPEN_TERMINALS = [
  {
    id: "opencode",
    title: "OpenCode",
    profile: "opencode",
    packages: ["opencode-ai"],
    start: ({ provider, servers, bin }) => ({
      command: bin("opencode"),
      args: ["run", "-m", "trial/trial", prompt],
      files: { "work/opencode.json": openCodeConfig(provider, servers) },
    }),
  },
  {
    id: "kilo",
    title: "Kilo Code (CLI)",
    profile: "kilo-code",
    packages: ["@kilocode/cli@7.7.7"],
    start: ({ provider, servers, bin }) => ({
      command: bin("kilo"),
      args: ["run", "--auto", "-m", "trial/trial", prompt],
      files: { "work/opencode.json": openCodeConfig(provider, servers) },
    }),
  },
  {
    id: "cline-cli",
    title: "Cline (CLI)",
    profile: "cline",
    packages: ["cline"],
    // It leaves a hub behind, which ends with the trial.
    start: ({ provider, servers, bin, home }) => ({
      command: "/bin/sh",
      args: [
        "-c",
        '"$0" auth -p openai-compatible -k trial -m trial -b "$1" && exec "$0" --json "$2"',
        bin("cline"),
        `${provider}/v1`,
        prompt,
      ],
      env: { CLINE_DIR: `${home}/.cline` },
      files: {
        ".cline/data/settings/cline_mcp_settings.json": {
          mcpServers: Object.fromEntries(
            Object.entries(servers).map(([name, server]) => [
              name,
              server.url === undefined ? server : { type: "streamableHttp", url: server.url },
            ]),
          ),
        },
      },
    }),
  },
  {
    id: "goose",
    title: "Goose (CLI)",
    profile: "goose",
    packages: ["@aaif/goose"],
    start: ({ provider, servers, bin }) => ({
      command: bin("goose"),
      args: ["run", "--no-session", "-t", prompt],
      env: {
        GOOSE_PROVIDER: "openai",
        GOOSE_MODEL: "trial",
        GOOSE_MODE: "auto",
        GOOSE_DISABLE_KEYRING: "1",
        OPENAI_HOST: provider,
        OPENAI_API_KEY: "trial",
      },
      files: {
        // JSON is YAML, too.
        ".config/goose/config.yaml": {
          extensions: Object.fromEntries(
            Object.entries(servers).map(([name, { command, args, url }]) => [
              name,
              {
                enabled: true,
                name,
                timeout: 60,
                ...(url === undefined
                  ? { type: "stdio", cmd: command, args }
                  : { type: "streamable_http", uri: url }),
              },
            ]),
          ),
        },
      },
    }),
  },
  {
    id: "continue-cli",
    title: "Continue CLI",
    profile: "continue",
    packages: ["@continuedev/cli"],
    start: ({ provider, servers, bin, home }) => ({
      command: bin("cn"),
      args: ["-p", prompt, "--auto", "--config", `${home}/config.yaml`],
      files: {
        // JSON is YAML, too.
        "config.yaml": {
          name: "trial",
          version: "1.0.0",
          schema: "v1",
          models: [
            {
              name: "trial",
              provider: "openai",
              model: "trial",
              apiBase: `${provider}/v1`,
              apiKey: "trial",
              roles: ["chat"],
              capabilities: ["tool_use"],
            },
          ],
          mcpServers: Object.entries(servers).map(([name, { url, ...rest }]) => ({
            name,
            ...(url === undefined ? rest : { type: "streamable-http", url }),
          })),
        },
      },
    }),
  },
];
