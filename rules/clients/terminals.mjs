// Programs for the terminal of those who make models, each started in its documented automation mode with a provider and with MCP servers of ours.

/** `mcpServers` as most clients write it. */
const asMcpServers = (servers, more = {}) =>
  Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { ...server, ...more }]));

const prompt = "Call every tool that you have.";

export const TERMINALS = [
  {
    id: "gemini-cli",
    title: "Gemini CLI",
    profile: "gemini-cli",
    packages: ["@google/gemini-cli"],
    start: ({ provider, servers, bin }) => ({
      command: bin("gemini"),
      args: ["-p", prompt, "--yolo", "--skip-trust", "-m", "gemini-2.5-pro"],
      env: { GOOGLE_GEMINI_BASE_URL: provider, GEMINI_API_KEY: "trial" },
      files: {
        ".gemini/settings.json": {
          mcpServers: asMcpServers(
            Object.fromEntries(
              Object.entries(servers).map(([name, { url, ...rest }]) => [
                name,
                url === undefined ? rest : { httpUrl: url },
              ]),
            ),
            { trust: true },
          ),
          security: { auth: { selectedType: "gemini-api-key" } },
          telemetry: { enabled: false },
        },
      },
    }),
  },
  {
    id: "qwen-code",
    title: "Qwen Code",
    profile: "qwen-code",
    packages: ["@qwen-code/qwen-code"],
    start: ({ provider, servers, bin }) => ({
      command: bin("qwen"),
      args: ["-p", prompt, "--yolo", "--auth-type", "openai"],
      env: { OPENAI_BASE_URL: `${provider}/v1`, OPENAI_API_KEY: "trial", OPENAI_MODEL: "trial" },
      files: {
        ".qwen/settings.json": {
          mcpServers: asMcpServers(
            Object.fromEntries(
              Object.entries(servers).map(([name, { url, ...rest }]) => [
                name,
                url === undefined ? rest : { httpUrl: url },
              ]),
            ),
            { trust: true },
          ),
          // Else tools are behind a search, and the provider is not offered them.
          tools: { toolSearch: { enabled: false } },
        },
      },
    }),
  },
  {
    id: "kimi-code",
    title: "Kimi Code",
    profile: "kimi-cli",
    packages: ["@moonshot-ai/kimi-code"],
    start: ({ provider, servers, bin, home }) => ({
      command: bin("kimi"),
      args: ["-p", prompt],
      env: {
        KIMI_MODEL_NAME: "trial",
        KIMI_MODEL_API_KEY: "trial",
        KIMI_MODEL_PROVIDER_TYPE: "openai",
        KIMI_MODEL_BASE_URL: `${provider}/v1`,
        KIMI_CODE_HOME: `${home}/.kimi-code`,
      },
      files: { ".kimi-code/mcp.json": { mcpServers: servers } },
    }),
  },
  {
    id: "codex",
    title: "Codex",
    profile: "codex",
    packages: ["@openai/codex"],
    start: ({ provider, servers, bin, home }) => ({
      command: bin("codex"),
      args: ["exec", "--skip-git-repo-check", "--json", prompt],
      env: { CODEX_HOME: `${home}/.codex`, TRIAL_KEY: "trial" },
      files: {
        ".codex/config.toml": [
          'model = "trial"',
          'model_provider = "trial"',
          'approval_policy = "never"',
          'sandbox_mode = "danger-full-access"',
          "[model_providers.trial]",
          'name = "trial"',
          `base_url = "${provider}/v1"`,
          'env_key = "TRIAL_KEY"',
          'wire_api = "responses"',
          ...Object.entries(servers).flatMap(([name, { command, args, url }]) => [
            `[mcp_servers.${name}]`,
            ...(url === undefined
              ? [`command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`]
              : [`url = ${JSON.stringify(url)}`]),
            // As `onym connect` writes it: else it leaves out what is not up within a second.
            "required = true",
          ]),
        ].join("\n"),
      },
    }),
  },
  {
    id: "claude-code",
    title: "Claude Code",
    profile: "claude-code",
    packages: ["@anthropic-ai/claude-code"],
    start: ({ provider, servers, bin, home }) => ({
      command: bin("claude"),
      args: [
        "-p",
        prompt,
        "--output-format",
        "json",
        "--mcp-config",
        `${home}/mcp.json`,
        "--strict-mcp-config",
        "--allowedTools",
        Object.keys(servers)
          .map((name) => `mcp__${name}`)
          .join(","),
      ],
      env: { ANTHROPIC_BASE_URL: provider, ANTHROPIC_API_KEY: "trial", ENABLE_TOOL_SEARCH: "false" },
      files: {
        "mcp.json": {
          mcpServers: Object.fromEntries(
            Object.entries(servers).map(([name, server]) => [
              name,
              server.url === undefined ? server : { type: "http", url: server.url },
            ]),
          ),
        },
      },
    }),
  },
  {
    id: "copilot-cli",
    title: "GitHub Copilot CLI",
    profile: "copilot-cli",
    packages: ["@github/copilot"],
    // The mode with an own provider that it documents: no sign-in is asked for, and none is worked around.
    start: ({ provider, servers, bin, home }) => ({
      command: bin("copilot"),
      args: ["-p", prompt, "--allow-all-tools", "--no-color"],
      env: {
        COPILOT_PROVIDER_BASE_URL: `${provider}/v1`,
        COPILOT_PROVIDER_API_KEY: "trial",
        COPILOT_MODEL: "trial",
        COPILOT_OFFLINE: "true",
        COPILOT_HOME: `${home}/.copilot`,
      },
      files: {
        ".copilot/mcp-config.json": {
          mcpServers: Object.fromEntries(
            Object.entries(servers).map(([name, server]) => [
              name,
              { type: server.url === undefined ? "local" : "http", ...server, tools: ["*"] },
            ]),
          ),
        },
      },
    }),
  },
];
