// The four ways in which clients speak to model providers: where a request holds the tools and their results, and how a
// reply calls tools, streamed and not.

let serial = 0;
const nextId = (kind) => `${kind}_${++serial}`;
const texts = (content) =>
  typeof content === "string" ? content : JSON.stringify(content ?? "").replaceAll("\\n", " ");

/** Chat Completions. */
const chat = {
  matches: (path) => path.endsWith("/chat/completions"),
  tools: (body) =>
    (body.tools ?? []).map(({ function: f = {} }) => ({
      name: f.name,
      description: f.description ?? f.parameters?.description,
    })),
  results: (body) =>
    (body.messages ?? []).flatMap((m) =>
      m.role === "tool" ? [{ id: m.tool_call_id, text: texts(m.content) }] : [],
    ),
  isStreamed: (body) => body.stream === true,
  reply(body, calls) {
    const tool_calls = calls.map(({ id, name }, index) => ({
      index,
      id,
      type: "function",
      function: { name, arguments: "{}" },
    }));
    const message = calls.length > 0 ? { role: "assistant", content: null, tool_calls } : done();
    const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
    const base = { id: nextId("chatcmpl"), created: 1, model: body.model ?? "trial" };
    return { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage };
  },
  // As the real thing does it: each call first by its name, then its arguments; the usage comes last, in a chunk of its own.
  stream(body, calls) {
    const { choices, usage, ...base } = chat.reply(body, calls);
    const [{ message, finish_reason }] = choices;
    const { tool_calls = [], ...start } = message;
    const chunk = (choices, more = {}) => ({
      data: { ...base, object: "chat.completion.chunk", choices, ...more },
    });
    const delta = (delta, reason = null) => chunk([{ index: 0, delta, finish_reason: reason }]);
    return [
      delta(start),
      ...tool_calls.flatMap(({ function: { name, arguments: args }, ...call }) => [
        delta({ tool_calls: [{ ...call, function: { name, arguments: "" } }] }),
        delta({ tool_calls: [{ index: call.index, function: { arguments: args } }] }),
      ]),
      delta({}, finish_reason),
      chunk([], { usage }),
      { data: "[DONE]" },
    ];
  },
};

/** Responses, with namespaces. */
const responses = {
  matches: (path) => path.endsWith("/responses"),
  tools: (body) =>
    (body.tools ?? []).flatMap((tool) =>
      tool.type === "namespace"
        ? (tool.tools ?? []).map(({ name, description }) => ({ name, description, namespace: tool.name }))
        : [{ name: tool.name ?? tool.type, description: tool.description }],
    ),
  results: (body) =>
    (Array.isArray(body.input) ? body.input : []).flatMap((item) =>
      item.type === "function_call_output" ? [{ id: item.call_id, text: texts(item.output) }] : [],
    ),
  isStreamed: (body) => body.stream === true,
  items: (calls) =>
    calls.length > 0
      ? calls.map(({ id, name, namespace }) => ({
          type: "function_call",
          id: nextId("fc"),
          call_id: id,
          name,
          ...(namespace && { namespace }),
          arguments: "{}",
          status: "completed",
        }))
      : [
          {
            type: "message",
            id: nextId("msg"),
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "done", annotations: [] }],
          },
        ],
  reply: (body, calls) => ({
    id: nextId("resp"),
    object: "response",
    created_at: 1,
    status: "completed",
    model: body.model ?? "trial",
    output: responses.items(calls),
    parallel_tool_calls: true,
    tools: [],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }),
  stream(body, calls) {
    const response = responses.reply(body, calls);
    const event = (type, rest) => ({ event: type, data: { type, ...rest } });
    return [
      event("response.created", { response: { ...response, status: "in_progress", output: [] } }),
      ...response.output.flatMap((item, output_index) => [
        event("response.output_item.added", { output_index, item }),
        event("response.output_item.done", { output_index, item }),
      ]),
      event("response.completed", { response }),
    ];
  },
};

/** Messages. */
const messages = {
  matches: (path) => path.endsWith("/messages"),
  tools: (body) => (body.tools ?? []).map(({ name, description }) => ({ name, description })),
  results: (body) =>
    (body.messages ?? []).flatMap(({ content }) =>
      Array.isArray(content)
        ? content.flatMap((part) =>
            part.type === "tool_result" ? [{ id: part.tool_use_id, text: texts(part.content) }] : [],
          )
        : [],
    ),
  isStreamed: (body) => body.stream === true,
  content: (calls) =>
    calls.length > 0
      ? calls.map(({ id, name }) => ({ type: "tool_use", id, name, input: {} }))
      : [{ type: "text", text: "done" }],
  reply: (body, calls) => ({
    id: nextId("msg"),
    type: "message",
    role: "assistant",
    model: body.model ?? "trial",
    content: messages.content(calls),
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  stream(body, calls) {
    const { content, stop_reason, ...rest } = messages.reply(body, calls);
    const event = (type, more) => ({ event: type, data: { type, ...more } });
    return [
      event("message_start", { message: { ...rest, content: [], stop_reason: null } }),
      ...content.flatMap((part, index) => [
        event("content_block_start", {
          index,
          content_block: part.type === "text" ? { ...part, text: "" } : part,
        }),
        event("content_block_delta", {
          index,
          delta:
            part.type === "text"
              ? { type: "text_delta", text: part.text }
              : { type: "input_json_delta", partial_json: "{}" },
        }),
        event("content_block_stop", { index }),
      ]),
      event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: rest.usage }),
      event("message_stop", {}),
    ];
  },
};

/** Gemini. */
const gemini = {
  matches: (path) => /:(stream)?generateContent$/i.test(path),
  tools: (body) =>
    (body.tools ?? []).flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name, description }) => ({ name, description })),
    ),
  // Results name the function, and carry the id only where the client keeps it.
  results: (body) =>
    (body.contents ?? []).flatMap(({ parts = [] }) =>
      parts.flatMap(({ functionResponse }) =>
        functionResponse
          ? [{ id: functionResponse.id, name: functionResponse.name, text: texts(functionResponse.response) }]
          : [],
      ),
    ),
  isStreamed: (_body, path) => /:streamGenerateContent$/i.test(path),
  reply: (_body, calls) => ({
    candidates: [
      {
        index: 0,
        finishReason: "STOP",
        content: {
          role: "model",
          parts:
            calls.length > 0
              ? calls.map(({ id, name }) => ({ functionCall: { id, name, args: {} } }))
              : [{ text: "done" }],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }),
  stream: (body, calls) => [{ data: gemini.reply(body, calls) }],
};

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const done = () => ({ role: "assistant", content: "done" });

export const DIALECTS = { chat, responses, messages, gemini };
