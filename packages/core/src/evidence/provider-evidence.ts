// Sources for the rows of model providers with a published or reported rule, and of self-hosted model servers.

import type { Evidence } from "./evidence.js";

export const providerEvidence: readonly Evidence[] = [
  {
    id: "openai-chat-completions",
    sources: [
      'openai/openai-openapi@f85dbe2:openapi.json #FunctionObject.name, #ChatCompletionFunctions.name ("a-z, A-Z, 0-9, underscores and dashes, maximum length of 64"); #CreateChatCompletionRequest.functions maxItems 128',
      "npm openai@7.53.0 resources/shared.d.ts FunctionDefinition.name",
      "live error text: Invalid 'tools[5].function.name': string too long. Expected a string with maximum length 64 — github.com/microsoft/foundry-dev-tools/issues/201",
      "live error text: Invalid 'tools': array too long. Expected an array with maximum length 128",
      "description: Invalid 'tools[5].function.description' … maximum length 1024",
    ],
    notes:
      "The docstring still says 64 in the newest SDK; only the Responses API moved to 128. Description 1024 is an old (2024-25) server error, not in the published spec.",
    confidenceByField: { maxDescriptionLength: "reported" },
    reserved: ["multi_tool_use.parallel (model may emit it; not a legal declared name)"],
    maxDescriptionLength: 1024,
    unique: "assumed",
  },
  {
    id: "openai-responses",
    sources: [
      "openai/openai-openapi@f85dbe2:openapi.json #FunctionToolParam.name {minLength 1,maxLength 128,pattern ^[a-zA-Z0-9_-]+$} (schema used inside NamespaceToolParam.tools); top-level #FunctionTool.name has no constraint in the schema; #FunctionCallOutputItemParam.name maxLength 128",
      'openai/codex commit 1bfabb21fe (2026-08-20, PR #39594): "The Responses API accepts tool names up to 128 bytes"',
      "openai/openai-agents-python@7f7a44f8d:src/agents/_tool_identity.py is_reserved_synthetic_tool_namespace()",
      "maxTools: same array_above_max_length error family as Chat Completions; whether deferred/namespaced tools count is not documented",
    ],
    notes:
      "Two-level identity: namespace (<=64) + name (<=128). Use 64 when the same declaration may also go to Chat Completions / Azure / an OpenAI-compatible gateway. tool_search + defer_loading is the escape from the tool-count problem.",
    confidenceByField: { maxTools: "assumed" },
    reserved: [
      "namespace === name is the synthetic wire shape of a deferred top-level function; do not declare it",
    ],
    unique: "within (namespace, name)",
  },
  {
    id: "openai-responses-namespace",
    sources: [
      "openai/openai-openapi@f85dbe2:openapi.json #NamespaceToolParam.name (minLength 1 only); #FunctionCallOutputItemParam.namespace {1..64, ^[a-zA-Z0-9_-]+$} (fields added 2026-07-30, commit ef05a7d)",
    ],
    notes:
      "The 64 / charset limit is stated on the output item that must echo the namespace, so it binds the declaration too.",
    reserved: ["must differ from the contained tool name"],
    unique: "assumed",
  },
  {
    id: "openai-responses-mcp-server-label",
    sources: [
      "server error text \"'server_label' must start with a letter and consist of only letters, digits, '-' and '_'\" quoted in a public integration",
      "openai/openai-openapi@f85dbe2:openapi.json #MCPTool.server_label (no constraint in spec)",
    ],
    notes: "Not a tool name, but the gateway must generate it for OpenAI-hosted MCP.",
    unique: "assumed",
  },
  {
    id: "azure-openai",
    sources: [
      'learn.microsoft.com/azure/ai-services/openai/quotas-limits ("Max number of /chat completions tools | 128", functions 128)',
      "sap.github.io/ai-sdk AzureOpenAiFunctionObject.name (copy of Azure spec: a-z A-Z 0-9 _ -, max 64)",
      "portkey.ai/error-library/description-length-error-10058 (functions.0.description too long)",
    ],
    confidenceByField: { maxDescriptionLength: "reported" },
    maxDescriptionLength: 1024,
    unique: "assumed",
  },
  {
    id: "anthropic-messages",
    sources: [
      "error text tools.N.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$' — home-assistant/core#147760 (2025-06-29), nicobailon/pi-mcp-adapter#190 (2026-07-17)",
      "anthropics/claude-code#96152 (2026-09-22): tools.18.custom.name: String should have at most 128 characters",
      "platform.claude.com/docs/…/define-tools now documents {1,128} (read 2026-09-15); older platform.claude.com/docs/de/…/implement-tool-use still prints {1,64}",
      "history: {1,64} on 2025-03-07 (apify/tester-mcp-client#11) and still 2025-06-24 (claude-code#2536)",
      "BerriAI/litellm@b0fd3e1e307:litellm/llms/anthropic/chat/transformation.py lines 95-120 (128; duplicates 400)",
      "sub-limit: messages.*.tool_use.name <=200 (claude-code#7370)",
      "sub-limit: tool_reference.tool_name <=64 on 2026-01..02 (claude-code#16425, #22327; ToolUniverse#65 verified 64 ok / 65 fails)",
      "tool search: 10,000 tools in catalog",
    ],
    notes:
      "Three different length limits inside one API: declaration 128, replayed tool_use 200, tool_reference 64 (status after 2026-02 not confirmed). Treat 64 as the safe value when tool search / deferred tools may be used.",
    confidenceByField: { maxTools: "documented (10,000 only with tool search; no published cap otherwise)" },
    reserved: [
      "names of Anthropic server tools present in the same request (web_search, tool_search_tool_regex, …)",
    ],
    unique: "required",
  },
  {
    id: "anthropic-on-bedrock",
    sources: [
      "anthropics/claude-code#5132 (2025-08-05, platform AWS Bedrock): tools.43.custom.name: String should have at most 64 characters",
    ],
    notes: "Bedrock lagged the June-2025 raise to 128; re-test before relying on 128 there.",
    unique: "required",
  },
  {
    id: "google-gemini-api",
    sources: [
      "googleapis/googleapis@f8291d2b89:google/ai/generativelanguage/v1beta/content.proto FunctionDeclaration.name (colons, dots, dashes; max 64; changed 2025-10-15, commit fd84be8a8b; before: underscores and dashes, 63/64)",
      'server error "Must start with a letter or an underscore … dots (.), colons (:), or dashes (-), with a maximum length of 64" — kaitranntt/ccs#25 (2025-11-30), cline/cline#7339; without colons on 2025-04-16 (vscode-copilot-release#7928) .. 2025-09-06 (gemini-cli#7869)',
      "npm @google/genai@2.32.0 dist/genai.d.ts line 5928: 128 (type shared with Vertex; googleapis/js-genai commit b78eeee55, 2026-05-20)",
      'server error "Duplicate function declaration found: X"',
      'google-gemini/gemini-cli@5411f113ca:packages/core/src/tools/mcp-tool.ts uses 63 "some environments have off-by-one behaviors"',
    ],
    notes:
      "Timeline: 63 (docs 2024-06) -> 64 -> colons added Oct 2025 -> 128 appears in the joint SDK 2026-05-20, but the Gemini-API proto still says 64. Use 64 (63 to be safe) until a live 400 proves otherwise.",
    confidenceByField: { maxTools: "assumed (from Vertex proto)" },
    unique: "required",
  },
  {
    id: "google-vertex",
    sources: [
      'googleapis/google-api-go-client@0084468843:aiplatform/v1/aiplatform-api.json (discovery revision 20260808): "dots, colons and dashes, with a maximum length of 128"; Tool.functionDeclarations "Maximum 512"; exact switch: revision 20260309 = 64, revision 20260320 = 128 (commits 73bcfcf9b2 -> 0e634ae13e)',
      "same repo aiplatform/v1beta1 (revision 20250902): dots and dashes, max 64; 512",
      "googleapis/googleapis@f8291d2b89:google/cloud/aiplatform/v1/tool.proto: dots and dashes, max 64; Maximum 128 function declarations",
    ],
    notes:
      "Google publishes three contradictory values (discovery v1 =128/512, proto v1 and v1beta1 =64/128). Negotiate 64 by default, 128 only as opt-in.",
    unique: "required",
  },
  {
    id: "aws-bedrock-converse",
    sources: [
      "botocore 1.43.107 data/bedrock-runtime/2023-09-30/service-2.json.gz: ToolName {min 1,max 64,pattern [a-zA-Z0-9_-]+}; description NonEmptyString (min 1); tools list min 1, no max",
      'BerriAI/litellm@b0fd3e1e307:litellm/litellm_core_utils/prompt_templates/factory.py make_valid_bedrock_tool_name still prepends "a" to force a leading letter',
    ],
    notes: "An empty description is rejected (min 1). LiteLLM assumes the older leading-letter rule.",
    unique: "assumed",
  },
  {
    id: "aws-bedrock-agent",
    sources: [
      "botocore 1.43.107 data/bedrock-agent/2023-06-05/service-2.json.gz: ToolName {1..64, [a-zA-Z][a-zA-Z0-9_]*}; action-group Function.name ([0-9a-zA-Z][_-]?){1,100}",
    ],
    notes: "Stricter than Converse: no hyphen, must start with a letter.",
    unique: "assumed",
  },
  {
    id: "mistral",
    sources: [
      "mistralai/mistral-common@bc022b9:src/mistral_common/protocol/instruct/validator.py lines 168,209,229 (re.match ^[a-zA-Z0-9_-]{1,64}$ on declaration, tool message and call)",
    ],
    notes: "Also applies to vLLM/TGI when they use the mistral tokenizer path.",
    unique: "assumed",
  },
  {
    id: "cohere-v1",
    sources: [
      'npm cohere-ai@8.1.0 api/types/Tool.d.ts; cohere-ai/cohere-developer-experience@e814c8a1:cohere-openapi.yaml line 22148 ("only a-z, A-Z, 0-9, _ and must not begin with a digit")',
    ],
    notes: "No hyphen allowed.",
    unique: "assumed",
  },
  {
    id: "cohere-v2",
    sources: [
      "npm cohere-ai@8.1.0 api/types/ToolV2Function.d.ts (no constraint stated); strict_tools: max 200 fields across all tools (cohere-developer-experience fern/pages/v2/text-generation/structured-outputs.mdx)",
    ],
    notes: "v1 grammar carried over as the safe assumption.",
    unique: "assumed",
  },
  {
    id: "xai",
    sources: [
      'docs.x.ai REST reference "A max of 128 functions/tools are supported"; docs.x.ai function-calling guide "max 200 tools per request"; newer Responses reference "A max of 350 tools"',
      "xai-org/xai-proto@9700be4:proto/xai/api/v1/chat.proto Function.name (no constraint)",
    ],
    confidenceByField: { maxTools: "documented (contradictory: 128 / 200 / 350)" },
    unique: "assumed",
  },
  {
    id: "groq",
    sources: [
      'npm groq-sdk@1.6.0 resources/shared.d.ts FunctionDefinition.name (64); resources/chat/completions.d.ts line 1747 "A max of 128 functions are supported"',
    ],
    unique: "assumed",
  },
  {
    id: "deepseek",
    sources: [
      "docs.rs ds-api 0.10.7 raw/request/tool.rs (mirror of DeepSeek API docs: a-z A-Z 0-9 _ -, max 64)",
    ],
    confidenceByField: { maxTools: "assumed (OpenAI wording)" },
    unique: "assumed",
  },
  {
    id: "together",
    sources: [
      "npm together-ai@0.52.0 resources/chat/completions.d.ts (no tool-name constraint; 64 stated only for response_format name)",
    ],
    unique: "assumed",
  },
  { id: "fireworks", sources: ["no primary source found; OpenAI-compatible"], unique: "assumed" },
  {
    id: "cerebras",
    sources: [
      "npm @cerebras/cerebras_cloud_sdk@1.91.0 resources/chat/completions.d.ts (name: string, no constraint)",
    ],
    unique: "assumed",
  },
  {
    id: "dashscope-qwen",
    sources: [
      'QwenLM/Qwen3-VL#2069 (2026-03-19): "InternalError.Algo.InvalidParameter: The length of the tool name cannot exceed 64."',
    ],
    confidenceByField: { pattern: "assumed (charset)" },
    unique: "assumed",
  },
  {
    id: "moonshot-kimi",
    sources: [
      'platform.moonshot.cn/docs/api/tool-use + platform.kimi.ai/docs/api/tool-use (regex; the MDX renders {2,63} as "63"); Moonshot OpenAPI pattern ^[a-zA-Z_][a-zA-Z0-9-_]{2,63}$; 128 functions max (same page)',
      'server error "function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes" (live 2026-09-05)',
    ],
    notes:
      'Only provider with a MINIMUM of 3 characters. Regex allows a leading underscore, the server error says a letter: use a letter. Digit-leading server keys in prefix clients (e.g. OpenCode "1c-…_tool") break whole requests here.',
    reserved: ["$web_search (builtin_function)"],
    unique: "assumed",
    ours: "The pattern allows a leading underscore; firstChar and the server's error ask for a letter. Names given out start with a letter.",
  },
  {
    id: "minimax",
    sources: ["no primary source found; OpenAI/Anthropic-compatible endpoints"],
    unique: "assumed",
  },
  {
    id: "baseten",
    sources: ['langchain-ai/deepagents#5953 (2026-08-28): "its observed 96-character ceiling"'],
    unique: "assumed",
  },
  {
    id: "github-copilot-api",
    sources: [
      "microsoft/vscode-copilot-chat@31acd00a8:src/extension/prompt/node/chatMLFetcher.ts 2105-2114 (^[a-zA-Z0-9_-]+$, HARD_TOOL_LIMIT); src/platform/configuration/common/configurationService.ts:509 HARD_TOOL_LIMIT = 128",
      "microsoft/vscode#243602 (maintainer, 2025-03-14: CAPI limits tool names to 64)",
    ],
    notes: "Limit is waived only when Anthropic tool search is enabled for the endpoint.",
    unique: "assumed",
  },
  {
    id: "ollama",
    sources: [
      'ollama/ollama@fb3076099: no validation of tool names found in *.go; harmony/harmonyparser.go FunctionNameMap (gpt-oss: " ", "-" and "." -> "_", other chars dropped, digit-leading gets "_", dup gets _2, mapped back on return); model/parsers/olmo3.go ^(\\w+)\\(',
    ],
    notes:
      "Model-specific parsers assume \\w names. Names made of [A-Za-z_][A-Za-z0-9_]* survive every parser.",
    reserved: ["browser.open", "browser.search", "browser.find", "python (gpt-oss/harmony built-ins)"],
    unique: "no",
    ours: "The row restricts nothing; names given out keep to what its own note calls safe, and python is not given out.",
  },
  {
    id: "llama-cpp",
    sources: [
      "ggml-org/llama.cpp@b21e4de745: no tool-name validation found in common/*.cpp, tools/server/*.cpp",
    ],
    unique: "no",
  },
  {
    id: "vllm",
    sources: [
      "vllm-project/vllm@a014e35f38c: no request-level validation; vllm/tool_parsers/pythonic_tool_parser.py:48 and llama4_pythonic_tool_parser.py:46 accept only [a-zA-Z]+\\w*; functiongemma_tool_parser.py:42 call:(\\w+)",
    ],
    notes:
      "API accepts anything; the pattern given is what every output parser can read back. A hyphen or dot is accepted on input and then lost on output with pythonic parsers.",
    unique: "no",
  },
  {
    id: "hf-tgi",
    sources: [
      "huggingface/text-generation-inference@db931fcf:router/src/infer/tool_grammar.rs (injects a tool named no_tool; builds refs #/$functions/{name})",
    ],
    notes: "No validation, but the name is spliced into a JSON-pointer ref: / ~ % break it.",
    reserved: ["no_tool"],
    unique: "by first match",
    ours: "no_tool is not given out.",
  },
];
