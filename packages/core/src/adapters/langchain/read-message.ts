// A LangChain message in any of its forms → role and fields.

import { ownField } from "../../identity/name-parts.js";

export type Role = "system" | "user" | "assistant" | "tool";

export interface ReadMessage {
  readonly role: Role;
  /** The object that contains content, calls and the rest. */
  readonly fields: object;
}

const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ["human", "user"],
  ["user", "user"],
  ["ai", "assistant"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["developer", "system"],
  ["tool", "tool"],
  ["HumanMessage", "user"],
  ["HumanMessageChunk", "user"],
  ["AIMessage", "assistant"],
  ["AIMessageChunk", "assistant"],
  ["SystemMessage", "system"],
  ["SystemMessageChunk", "system"],
  ["ToolMessage", "tool"],
  ["ToolMessageChunk", "tool"],
]);

/**
 * `undefined` if it is none of the four kinds of message (for example a removal, or a message with a custom role).
 */
export function readMessage(message: unknown): ReadMessage | undefined {
  if (typeof message === "string") return { role: "user", fields: { content: message } };
  if (Array.isArray(message)) return withRole(message[0], { content: message[1] });
  if (typeof message !== "object" || message === null) return undefined;
  const kwargs = ownField(message, "kwargs");
  const id = ownField(message, "id");
  if (ownField(message, "lc") === 1 && Array.isArray(id)) return withRole(id.at(-1), kwargs);
  const type = ownField(message, "type");
  const data = ownField(message, "data");
  if (data !== undefined && type !== undefined) return withRole(type, data);
  return withRole(ownField(message, "role") ?? type, message);
}

function withRole(type: unknown, fields: unknown): ReadMessage | undefined {
  const role = ROLES.get(type);
  return role === undefined || typeof fields !== "object" || fields === null ? undefined : { role, fields };
}

/** A tool call in LangChain's own format, or in OpenAI's, which LangChain also accepts. */
export interface ReadCall {
  readonly id: unknown;
  readonly name: unknown;
  readonly args: unknown;
}

export function readToolCall(call: unknown): ReadCall {
  const inner = ownField(call, "function");
  const id = ownField(call, "id");
  if (inner !== undefined) return { id, name: ownField(inner, "name"), args: ownField(inner, "arguments") };
  return { id, name: ownField(call, "name"), args: ownField(call, "args") };
}
