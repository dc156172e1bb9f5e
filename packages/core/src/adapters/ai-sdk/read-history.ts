// AI SDK messages → a provider-neutral conversation.

import { ownField } from "../../identity/name-parts.js";
import type { HistoryItem, ProviderForm } from "../history.js";
import { restOf } from "../json-text.js";
import { readArguments } from "../read-arguments.js";
import type { ToolBelt } from "../tool-belt.js";
import { readOutput } from "./tool-output.js";

export const PROVIDER = "ai-sdk";

export type Role = "system" | "user" | "assistant" | "tool";

/** A part that only the SDK understands, and the role of its message. */
export interface OpaquePart {
  readonly role: Role;
  readonly part: object;
  readonly message?: OwnFields["message"];
}

/** What an item does not contain: other fields of its part, and of the message that it starts. */
export interface OwnFields {
  readonly part?: Readonly<Record<string, unknown>> | undefined;
  readonly message?: Readonly<Record<string, unknown>> | undefined;
  readonly output?: unknown;
}

const ROLES: readonly unknown[] = ["system", "user", "assistant", "tool"];

export function readMessages(messages: readonly unknown[], belt: ToolBelt): readonly HistoryItem[] {
  return messages.flatMap((message) => {
    const role = ownField(message, "role");
    if (!ROLES.includes(role)) return [];
    const content = ownField(message, "content");
    const parts = Array.isArray(content) ? content : [{ type: "text", text: content }];
    const fields = restOf(message, ["role", "content"]);
    return parts.flatMap((part, index) =>
      readPart(part, role as Role, { belt, message: index === 0 ? fields : undefined }),
    );
  });
}

function readPart(
  part: unknown,
  role: Role,
  { belt, message }: { readonly belt: ToolBelt; readonly message: OwnFields["message"] },
): readonly HistoryItem[] {
  if (typeof part !== "object" || part === null) return [];
  const type = ownField(part, "type");
  const text = ownField(part, "text");
  if (type === "text" && role !== "tool") {
    if (typeof text !== "string") return [];
    return [{ kind: "text", role, text, ...formOf({ part: restOf(part, ["type", "text"]), message }) }];
  }

  const callId = ownField(part, "toolCallId");
  const name = ownField(part, "toolName");
  const isNamed = typeof callId === "string" && callId !== "" && typeof name === "string";
  // Calls that the provider ran itself stay between the SDK and the provider.
  if (type === "tool-call" && isNamed && ownField(part, "providerExecuted") !== true) {
    const read = readArguments(ownField(part, "input"));
    const rest = restOf(part, ["type", "toolCallId", "toolName", "input"]);
    const given = read.ok ? read.value : {};
    const form = formOf({ part: rest, message });
    return [{ kind: "call", callId, tool: belt.refer(name), arguments: given, ...form }];
  }
  if (type === "tool-result" && isNamed && role === "tool") {
    const output = ownField(part, "output");
    const rest = restOf(part, ["type", "toolCallId", "toolName", "output"]);
    const form = formOf({ part: rest, message, output: isPlain(output) ? undefined : output });
    return [{ kind: "result", callId, tool: belt.refer(name), ...readOutput(output), ...form }];
  }
  const value: OpaquePart = message === undefined ? { role, part } : { role, part, message };
  return [{ kind: "opaque", provider: PROVIDER, value }];
}

function isPlain(output: unknown): boolean {
  const type = ownField(output, "type");
  return (type === "text" || type === "error-text") && restOf(output, ["type", "value"]) === undefined;
}

function formOf(fields: OwnFields): { readonly form?: ProviderForm } {
  const isEmpty = Object.values(fields).every((field) => field === undefined);
  return isEmpty ? {} : { form: { provider: PROVIDER, value: fields } };
}
