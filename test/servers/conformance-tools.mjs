// The tools the official conformance suite asks a server for.

import { inputRequired, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { PNG, WAV } from "./conformance-media.mjs";
import { DEFAULTS, ENUMS, SCHEMA_2020_12 } from "./conformance-schemas.mjs";

const NO_ARGUMENTS = { type: "object", properties: {} };

/**
 * The tools by name. Each asks its questions by returning `inputRequired`, which a modern request is answered
 * with and which the SDK turns into requests to the client of a legacy session.
 */
export function createConformanceTools({ state, changes }) {
  return new Map([
    text("test_simple_text", "This is a simple text response for testing."),
    fixed("test_image_content", [image()]),
    fixed("test_audio_content", [{ type: "audio", data: WAV, mimeType: "audio/wav" }]),
    fixed("test_embedded_resource", [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ]),
    fixed("test_multiple_content_types", [
      { type: "text", text: "Multiple content types test:" },
      image(),
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ]),
    tool("test_error_handling", () => ({
      isError: true,
      content: [{ type: "text", text: "This tool intentionally returns an error for testing" }],
    })),
    tool("test_tool_with_logging", async (_call, ctx) => {
      for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await ctx.mcpReq.log("info", line, "conformance");
      }
      return say("Logged three lines.");
    }),
    tool("test_logging_tool", async (_call, ctx) => {
      await ctx.mcpReq.log("info", "Called", "conformance");
      return say("Logged one line.");
    }),
    tool("test_tool_with_progress", async (_call, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        await ctx.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      }
      return say("Made progress.");
    }),
    tool("test_reconnection", async (_call, ctx) => {
      ctx.http?.closeSSE?.();
      return say("Answered after the stream was closed.");
    }),
    ...askingTools(state),
    ...changingTools(changes),
    schemaTool(),
    headerTool(),
  ]);
}

/** The tool whose parameter travels in a header: the SDK checks it only for tools that are registered with it. */
export const HEADER_TOOL = "test_x_mcp_header";

function askingTools(state) {
  const form = (message, properties, required) =>
    inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required } });
  const name = (message = "What is your name?") => form(message, { name: { type: "string" } }, ["name"]);
  const sample = (prompt, maxTokens) =>
    inputRequired.createMessage({
      messages: [{ role: "user", content: { type: "text", text: prompt } }],
      maxTokens,
    });
  const confirm = () => form("Please confirm", { ok: { type: "boolean" } }, ["ok"]);

  /** Asks until every key has an answer of the right kind; extra keys are nobody's business. */
  const ask = (toolName, requests, answer, { stateful = false, inputSchema } = {}) =>
    tool(
      toolName,
      async (call, ctx) => {
        const wanted = requests(call, ctx);
        const given = ctx.mcpReq.inputResponses ?? {};
        if (Object.keys(wanted).every((key) => isAnswer(given[key]))) return answer(given, ctx);
        return inputRequired({
          inputRequests: wanted,
          ...(stateful ? { requestState: await state.mint({ tool: toolName }, ctx) } : {}),
        });
      },
      inputSchema,
    );

  return [
    ask(
      "test_sampling",
      (call) => ({ answer: sample(call.prompt ?? "", 100) }),
      (given) => say(`LLM response: ${given.answer.content?.text ?? ""}`),
      { inputSchema: requires("prompt") },
    ),
    ask(
      "test_elicitation",
      (call) => ({
        answer: form(
          call.message ?? "",
          {
            username: { type: "string", description: "User's response" },
            email: { type: "string", description: "User's email address" },
          },
          ["username", "email"],
        ),
      }),
      (given) => say(`User response: ${JSON.stringify(given.answer)}`),
      { inputSchema: requires("message") },
    ),
    ask("test_elicitation_sep1034_defaults", () => ({ answer: form("Defaults", DEFAULTS, []) }), completed),
    ask("test_elicitation_sep1330_enums", () => ({ answer: form("Enums", ENUMS, []) }), completed),
    ask("test_missing_capability", () => ({ answer: sample("Anything", 10) }), completed),
    ask("test_streaming_elicitation", () => ({ answer: name() }), completed),
    ask(
      "test_input_required_result_elicitation",
      () => ({ user_name: name() }),
      (given) => say(`Hello, ${given.user_name.content?.name}!`),
    ),
    ask(
      "test_input_required_result_sampling",
      () => ({ capital_question: sample("What is the capital of France?", 100) }),
      (given) => say(given.capital_question.content?.text ?? ""),
    ),
    ask(
      "test_input_required_result_list_roots",
      () => ({ client_roots: inputRequired.listRoots() }),
      (given) => say(JSON.stringify(given.client_roots.roots)),
    ),
    ask("test_input_required_result_request_state", () => ({ confirm: confirm() }), stateOk, {
      stateful: true,
    }),
    ask("test_input_required_result_tampered_state", () => ({ confirm: confirm() }), stateOk, {
      stateful: true,
    }),
    ask(
      "test_input_required_result_multiple_inputs",
      () => ({
        user_name: name(),
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      }),
      stateOk,
      { stateful: true },
    ),
    ask(
      "test_input_required_result_capabilities",
      (_call, ctx) => {
        const declared = ctx.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
        return {
          ...(declared.sampling ? { greeting: sample("Generate a greeting", 50) } : {}),
          ...(declared.elicitation ? { user_name: name() } : {}),
        };
      },
      completed,
    ),
    tool("test_input_required_result_multi_round", async (_call, ctx) => {
      const given = ctx.mcpReq.inputResponses ?? {};
      const step = ctx.mcpReq.requestState()?.step ?? 0;
      const again = async (next, inputRequests) =>
        inputRequired({ inputRequests, requestState: await state.mint({ step: next }, ctx) });
      if (step === 2 && isAnswer(given.step2)) return say(`Color: ${given.step2.content?.color}`);
      if (step === 1 && isAnswer(given.step1)) {
        const question = form("Step 2: What is your favorite color?", { color: { type: "string" } }, [
          "color",
        ]);
        return again(2, { step2: question });
      }
      return again(1, { step1: name("Step 1: What is your name?") });
    }),
  ];

  function stateOk(_given, ctx) {
    if (ctx.mcpReq.requestState()?.tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The request state is missing");
    }
    return say("state-ok");
  }
}

/** Lists that really change: the description of a tool or prompt counts how often it was asked to. */
function changingTools(changes) {
  return [
    tool("test_trigger_tool_change", () => say(`Tools changed ${changes.changeTools()} times.`)),
    tool("test_trigger_prompt_change", () => say(`Prompts changed ${changes.changePrompts()} times.`)),
    [
      "test_changing_tool",
      {
        describe: () => `Has changed ${changes.tools} times.`,
        inputSchema: NO_ARGUMENTS,
        call: () => say("I changed."),
      },
    ],
  ];
}

function schemaTool() {
  return tool("json_schema_2020_12_tool", (call) => say(JSON.stringify(call)), SCHEMA_2020_12);
}

function headerTool() {
  return tool(HEADER_TOOL, (call) => say(`Region ${call.region}`), {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" } },
    required: ["region"],
  });
}

function tool(name, call, inputSchema = NO_ARGUMENTS) {
  return [name, { describe: () => `Conformance: ${name}.`, inputSchema, call }];
}

function fixed(name, content) {
  return tool(name, () => ({ content }));
}

function text(name, line) {
  return fixed(name, [{ type: "text", text: line }]);
}

function say(line) {
  return { content: [{ type: "text", text: line }] };
}

function completed(given) {
  const answer = given.answer ?? {};
  const content = JSON.stringify(answer.content ?? null);
  return say(`Elicitation completed: action=${answer.action ?? "none"}, content=${content}`);
}

function image() {
  return { type: "image", data: PNG, mimeType: "image/png" };
}

function resource(uri, mimeType, content) {
  return { type: "resource", resource: { uri, mimeType, text: content } };
}

function requires(property) {
  return { type: "object", properties: { [property]: { type: "string" } }, required: [property] };
}

function isAnswer(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
