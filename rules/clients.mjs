// The clients of the lab: what is installed, which profile stands for each, and how it is started in its documented
// automation mode with a provider and with MCP servers of ours.

import { fileURLToPath } from "node:url";

const driver = (name) => fileURLToPath(new URL(`drivers/${name}.mjs`, import.meta.url));

/** A library: a driver of a dozen lines stands for the agent that is built with it. */
const library = (id, { profile, packages, title }) => ({
  id,
  title,
  profile,
  packages,
  driver: driver(id),
  start: ({ provider, servers, driver: file, node }) => ({
    command: node,
    args: [file, JSON.stringify({ provider, servers })],
  }),
});

/** `mcpServers` as most clients write it. */
const asMcpServers = (servers, more = {}) =>
  Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { ...server, ...more }]));

const prompt = "Call every tool that you have.";

export const CLIENTS = [
  library("openai-agents-js", {
    title: "OpenAI Agents SDK (JS)",
    profile: "openai-agents-js",
    packages: ["@openai/agents"],
  }),
  library("langchain-js", {
    title: "LangChain MCP adapters (JS)",
    profile: "langchain-js",
    packages: ["@langchain/mcp-adapters", "@langchain/core"],
  }),
  library("ai-sdk", {
    title: "Vercel AI SDK",
    profile: "vercel-ai-sdk",
    packages: ["@ai-sdk/mcp", "@ai-sdk/openai-compatible", "ai"],
  }),
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
        },
      },
    }),
  },
  {
    id: "opencode",
    title: "OpenCode",
    profile: "opencode",
    packages: ["opencode-ai"],
    start: ({ provider, servers, bin }) => ({
      command: bin("opencode"),
      args: ["run", "-m", "trial/trial", prompt],
      files: {
        "work/opencode.json": {
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
