// Sources for the rows of agent libraries, bridges and inspectors.

import type { Evidence } from "./evidence.js";

export const frameworkEvidence: readonly Evidence[] = [
  {
    id: "langchain-python",
    sources: [
      "langchain-ai/langchain-mcp-adapters@cc0f284:langchain_mcp_adapters/tools.py 515-518; sessions.py 269",
      'mcp 2.3.0 (PyPI) mcp/client/session.py:67 DEFAULT_CLIENT_INFO = Implementation(name="mcp", version="0.1.0")',
    ],
    budgetFormula: "provider limit",
    optionalPrefix: "{server}_",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "langchain-js",
    sources: [
      "run against a recording provider: release 1.1.4, 2026-11-16",
      "langchain-ai/langchainjs:libs/langchain-mcp-adapters/src/connection.ts 127-130 (name: packageJson.name), 222 (onToolsListChanged hook, opt-in); src/tools.ts 1224-1227",
      "npm @langchain/mcp-adapters@1.1.4",
    ],
    budgetFormula: "provider limit",
    optionalPrefix: "{additionalToolNamePrefix}__{server}__",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "llamaindex",
    sources: [
      "run against a recording provider: release 0.1.12, 2026-11-16",
      "run-llama/llama_index@d8021225eb:llama-index-integrations/tools/llama-index-tools-mcp/llama_index/tools/mcp/client.py 242-275, base.py 164",
      'mcp 2.3.0 (PyPI) mcp/client/session.py:67 DEFAULT_CLIENT_INFO = Implementation(name="mcp", version="0.1.0")',
    ],
    budgetFormula: "provider limit",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "mcp-remote",
    sources: ["geelen/mcp-remote@d26e5a8:src/lib/utils.ts 196-200 and 491; src/client.ts 89"],
    notes:
      "Strip /\\s*\\(via mcp-remote [^)]*\\)\\s*$/ before matching any other profile. Rewrites clientInfo only on initialize; a 2026-07-28 client behind it is unmarked.",
    budgetFormula: "as the real client",
    ours: "A transparent bridge. Where the client behind it is unknown, names keep to the provider floor.",
  },
  {
    id: "mcp-inspector",
    sources: [
      "modelcontextprotocol/inspector@86d5f58e:core/mcp/inspectorClient.ts 50; clients/cli/src/cli.ts 89; clients/tui/src/App.tsx 98; list_changed toggle in clients/web ServerSettingsForm.tsx 605",
    ],
    notes: "Safe to show canonical names.",
    budgetFormula: "none",
  },
  {
    id: "postman",
    sources: [
      "npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
      "names in a table of client applications",
    ],
    budgetFormula: "none known",
    confidenceByField: { pattern: "assumed" },
  },
  {
    id: "vercel-ai-sdk",
    sources: [
      "run against a recording provider: release 2.0.96, 2026-11-16",
      'vercel/ai@ed857f50f1:packages/mcp/src/tool/mcp-client.ts 443 (default name), 470-482 (any notification -> "Unsupported message type"), 800 (clientInfo in _meta)',
      "npm @ai-sdk/mcp@2.0.93",
    ],
    budgetFormula: "provider limit",
    protocol: "legacy + 2026-07-28",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "openai-agents-python",
    sources: [
      "openai/openai-agents-python@7f7a44f8d:src/agents/mcp/util.py 63, 280-335, 415-500; no client_info passed, no list_changed handler in src/agents/mcp",
      'mcp 2.3.0 (PyPI) mcp/client/session.py:67 DEFAULT_CLIENT_INFO = Implementation(name="mcp", version="0.1.0")',
    ],
    budgetFormula: "64 / with prefix 58 - len(server)",
    optionalPrefix: "mcp_{server}__",
  },
  {
    id: "openai-agents-js",
    sources: [
      "run against a recording provider: release 0.20.0, 2026-11-17",
      "openai/openai-agents-js@6d0c61a5:packages/agents-core/src/mcp.ts 76, 1010-1031; src/shims/mcp-server/node.ts 423-431 (name: this._name, versionNegotiation auto)",
    ],
    budgetFormula: "64 / with prefix 58 - len(server)",
    optionalPrefix: "mcp_{server}__",
  },
  {
    id: "pydantic-ai",
    sources: [
      "pydantic/pydantic-ai@4fda38988:pydantic_ai_slim/pydantic_ai/mcp.py 892, 1627-1645; toolsets/prefixed.py 32",
      'mcp 2.3.0 (PyPI) mcp/client/session.py:67 DEFAULT_CLIENT_INFO = Implementation(name="mcp", version="0.1.0")',
    ],
    budgetFormula: "provider limit",
    confidenceByField: { clientInfoNames: "assumed default of FastMCP client" },
    optionalPrefix: "{prefix}_",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "crewai",
    sources: [
      "crewAIInc/crewAI@f4731f502:lib/crewai/src/crewai/utilities/string_utils.py 18-58; tools/mcp_native_tool.py 47; mcp/client.py 180, 420; mcp/tool_resolver.py 297,499 (server = command_args or domain_path)",
      'mcp 2.3.0 (PyPI) mcp/client/session.py:67 DEFAULT_CLIENT_INFO = Implementation(name="mcp", version="0.1.0")',
    ],
    notes: "Case-folding: getUser and get_user become the same tool.",
    budgetFormula: "63 - len(server)",
    ours: "Names are folded to lower case, so names that differ only in case must not be given out together.",
  },
  {
    id: "mastra",
    sources: [
      "run against a recording provider: release 2.0.0, 2026-11-17",
      "mastra-ai/mastra@cacb8392d9e:packages/mcp/src/client/configuration.ts 1097, 1313, 1485; client.ts 383, 1186 (handler is opt-in)",
    ],
    notes: "clientInfo.name is whatever key the developer chose: cannot be fingerprinted.",
    budgetFormula: "62 - len(server)",
    protocol: "legacy default; auto/2026-07-28 opt-in",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "ms-agent-framework",
    sources: [
      "microsoft/agent-framework@5eb3eb745:python/packages/core/agent_framework/_mcp.py 188-205, 1634; microsoft/semantic-kernel@b39d95a344:python/semantic_kernel/connectors/mcp.py 227, 524",
      'mcp 2.3.0 (PyPI) mcp/client/session.py:67 DEFAULT_CLIENT_INFO = Implementation(name="mcp", version="0.1.0")',
    ],
    budgetFormula: "provider limit",
    optionalPrefix: "{tool_name_prefix}_",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "strands",
    sources: [
      "run against a recording provider: release 1.19.0, 2026-11-17",
      "strands-agents/sdk-python@1232230d:src/strands/tools/tools.py 58-69; tools/mcp/mcp_client.py 447-451, 786",
      'mcp 2.3.0 (PyPI) mcp/client/session.py:67 DEFAULT_CLIENT_INFO = Implementation(name="mcp", version="0.1.0")',
    ],
    budgetFormula: "64",
    optionalPrefix: "{prefix}_",
  },
  {
    id: "google-genai-sdk",
    sources: [
      "run against a recording provider: release 3.1.0 (and @google/adk 2.0.0), 2026-11-17",
      "googleapis/js-genai@6e9b35c45:src/mcp/_mcp.ts 118-140",
      "google/adk-python@7c670f63:src/google/adk/tools/mcp_tool/mcp_session_manager.py 337",
      'mcp 2.3.0 (PyPI) mcp/client/session.py:67 DEFAULT_CLIENT_INFO = Implementation(name="mcp", version="0.1.0")',
    ],
    budgetFormula: "64",
    confidenceByField: { pattern: "documented (Gemini)" },
    ours: "No limit in the fields; the formula's 64 is used, although the Gemini API row calls 63 safer.",
  },
  {
    id: "hf-mcp-client",
    sources: [
      "run against a recording provider: release 0.2.3, 2026-11-16",
      "huggingface/huggingface.js@fe42e6801:packages/mcp-client/src/McpClient.ts 91-115",
    ],
    budgetFormula: "provider limit",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "mcp-use",
    sources: ["run against a recording provider: release 1.34.6, 2026-11-16"],
    budgetFormula: "provider limit",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "voltagent",
    sources: ["run against a recording provider: release 2.10.0, 2026-11-17", "npm @voltagent/core@2.10.0"],
    budgetFormula: "64 - len(server) - 1",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "beeai",
    sources: [
      "run against a recording provider: release 0.1.30, 2026-11-17",
      "beeai-framework@0.1.30:dist/tools/mcp.js (namespace of toCamelCase(name)); dist/emitter/utils.js 12 (^[a-zA-Z0-9_]+$); dist/agents/toolCalling/agent.js (final_answer)",
      "npm beeai-framework@0.1.30",
    ],
    budgetFormula: "provider limit",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "genkit",
    sources: [
      "run against a recording provider: release 1.42.0, 2026-11-17",
      "@genkit-ai/ai@1.42.0:lib/generate/resolve-tool-requests.mjs 21-34 (part after the last /, looked up on a plain object)",
      "npm @genkit-ai/mcp@1.42.0",
    ],
    budgetFormula: "provider limit",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "python-sdk-default",
    sources: [
      'mcp 2.3.0 (PyPI) mcp/client/session.py:67 DEFAULT_CLIENT_INFO = Implementation(name="mcp", version="0.1.0")',
    ],
    notes:
      'Shared by LangChain, LlamaIndex, CrewAI, Open WebUI, Home Assistant, OpenAI Agents Python, ADK, Strands, SK: the name "mcp" identifies an SDK, not a product.',
    budgetFormula: "64",
    confidenceByField: { pattern: "assumed", combinedMaxLength: "assumed" },
  },
];
