// Every page of the site and its place. A page that is in no group is found by a test.

const page = (text, link) => ({ text, link });
const group = (text, items, collapsed = false) => ({ text, collapsed, items });

export const sitePages = [
  group("Start", [
    page("Start in five minutes", "/start"),
    page("Connect your clients", "/getting-connected"),
    page("Concepts", "/concepts"),
    page("What real clients do", "/client-runs"),
  ]),
  group("Guides", [
    page("Many servers, several clients", "/guides/many-servers"),
    page("Build an agent", "/guides/agent-builder"),
    page("Write an MCP server", "/guides/server-author"),
    page("Run one gateway for a team", "/guides/platform-team"),
    page("Lint names", "/lint"),
    page("Old names of a server", "/alias-tools"),
    page("Your client is missing", "/your-client"),
    page("Recipes", "/guides/recipes"),
  ]),
  group("The gateway", [
    page("The gateway", "/gateway"),
    page("Register it in clients", "/clients"),
    page("Names", "/names"),
    page("Migrations", "/migrate"),
    page("A migration's guide", "/migrate/fleet"),
    page("Resolution", "/resolution"),
    page("Profiles", "/profiles"),
    page("Policy and approvals", "/policy"),
    page("Callers and tokens", "/auth"),
    page("The console", "/console"),
    page("Tracing", "/tracing"),
    page("Metrics", "/metrics"),
  ]),
  group("Deploy and operate", [
    page("Deploy", "/deploy"),
    page("Operate", "/operate"),
    page("Security", "/project/security"),
    page("Threat model", "/threat-model"),
    page("Limits", "/limits"),
  ]),
  group("In your code", [
    page("Approvals in an agent", "/approvals"),
    page("OpenAI", "/adapters/openai"),
    page("OpenAI Agents", "/adapters/openai-agents"),
    page("Anthropic", "/adapters/anthropic"),
    page("Gemini", "/adapters/gemini"),
    page("Bedrock", "/adapters/bedrock"),
    page("Vercel AI SDK", "/adapters/ai-sdk"),
    page("LangChain", "/adapters/langchain"),
  ]),
  group("Reference", [
    page("Clients and providers", "/clients-and-providers/all"),
    page("Command line", "/cli"),
    page("Every command and flag", "/reference/commands"),
    page("Configuration", "/config"),
    page("Every config key", "/reference/config-keys"),
    page("Errors", "/errors"),
    page("API", "/api/"),
  ]),
  group("Contribute", [
    page("Architecture", "/architecture"),
    page("Contributing", "/project/contributing"),
    page("Benchmark", "/benchmark"),
    page("Mutation testing", "/mutation"),
    page("Decisions", "/decisions/all"),
    page("Changes", "/project/changelog"),
    page("Code of conduct", "/project/code-of-conduct"),
  ]),
];
