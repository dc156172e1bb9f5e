// The prompts and resources the official conformance suite asks a server for.

import { inputRequired, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { PNG } from "./conformance-media.mjs";

/** The prompts by name: what is listed, and what `prompts/get` answers. */
export function createConformancePrompts(changes) {
  return new Map([
    prompt("test_simple_prompt", [], () => [said("This is a simple prompt for testing.")]),
    prompt("test_prompt_with_arguments", ["arg1", "arg2"], ({ arg1, arg2 }) => [
      said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
    ]),
    prompt("test_prompt_with_embedded_resource", ["resourceUri"], ({ resourceUri }) => [
      user({
        type: "resource",
        resource: {
          uri: resourceUri,
          mimeType: "text/plain",
          text: "Embedded resource content for testing.",
        },
      }),
      said("Please process the embedded resource above."),
    ]),
    prompt("test_prompt_with_image", [], () => [
      user({ type: "image", data: PNG, mimeType: "image/png" }),
      said("Please analyze the image above."),
    ]),
    [
      "test_changing_prompt",
      {
        describe: () => `Has changed ${changes.prompts} times.`,
        names: [],
        answer: () => messages([said("Hi.")]),
      },
    ],
    [
      "test_input_required_result_prompt",
      {
        describe: () => "Asks for its context first.",
        names: [],
        answer: (_call, ctx) => askForContext(ctx),
      },
    ],
  ]);
}

/** What `resources/list` shows. */
export const RESOURCES = [
  { uri: "test://static-text", mimeType: "text/plain" },
  { uri: "test://static-binary", mimeType: "image/png" },
  { uri: "test://watched-resource", mimeType: "text/plain" },
].map((entry) => ({
  ...entry,
  name: entry.uri.slice("test://".length),
  description: `Conformance: ${entry.uri}`,
}));

export const TEMPLATES = [
  {
    uriTemplate: "test://template/{id}/data",
    name: "template",
    description: "Conformance: data by id",
    mimeType: "application/json",
  },
];

/** What `resources/read` answers. */
export function readConformanceResource(uri) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: "application/json", text }] };
  }
  const known = RESOURCES.find((entry) => entry.uri === uri);
  if (known === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Resource not found", { uri });
  const body =
    known.mimeType === "image/png"
      ? { blob: PNG }
      : { text: "This is the content of the static text resource." };
  return { contents: [{ uri, mimeType: known.mimeType, ...body }] };
}

function askForContext(ctx) {
  const context = ctx.mcpReq.inputResponses?.user_context?.content?.context;
  if (typeof context === "string") return messages([said(`Context: ${context}`)]);
  return inputRequired({
    inputRequests: {
      user_context: inputRequired.elicit({
        message: "What context should the prompt use?",
        requestedSchema: {
          type: "object",
          properties: { context: { type: "string" } },
          required: ["context"],
        },
      }),
    },
  });
}

function prompt(name, names, lines) {
  return [name, { describe: () => `Conformance: ${name}.`, names, answer: (call) => messages(lines(call)) }];
}

function messages(list) {
  return { messages: list };
}

function said(text) {
  return user({ type: "text", text });
}

function user(content) {
  return { role: "user", content };
}
