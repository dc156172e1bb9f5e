// Gemini messages → a provider-neutral conversation.

import { ownField } from "../../identity/name-parts.js";
import type { HistoryItem, ProviderForm } from "../history.js";
import { listOf, restOf } from "../json-text.js";
import { readArguments } from "../read-arguments.js";
import type { ToolBelt } from "../tool-belt.js";
import { readResponse } from "./tool-output.js";

export const PROVIDER = "gemini";

/** A part that only Gemini understands, with its role. */
export interface OpaquePart {
  readonly role: "user" | "model";
  readonly part: object;
}

export function readContents(messages: readonly unknown[], belt: ToolBelt): readonly HistoryItem[] {
  const ids = createCallIds(usedIds(messages));
  return messages.flatMap((message) => {
    if (typeof message === "string") return [{ kind: "text", role: "user", text: message }];
    const role = ownField(message, "role") === "model" ? "model" : "user";
    return listOf(ownField(message, "parts")).flatMap((part) => readPart(part, role, { belt, ids }));
  });
}

function readPart(
  part: unknown,
  role: OpaquePart["role"],
  { belt, ids }: { readonly belt: ToolBelt; readonly ids: CallIds },
): readonly HistoryItem[] {
  const textRole = role === "model" ? "assistant" : "user";
  if (typeof part === "string") return [{ kind: "text", role: textRole, text: part }];
  if (typeof part !== "object" || part === null) return [];

  const call = ownField(part, "functionCall");
  const name = ownField(call ?? ownField(part, "functionResponse"), "name");
  if (call !== undefined && typeof name === "string") {
    const args = readArguments(ownField(call, "args"));
    const callId = ids.ofCall(ownField(call, "id"), name);
    const form = formOf(part, "functionCall", ["id", "name", "args"]);
    return [{ kind: "call", callId, tool: belt.refer(name), arguments: args.ok ? args.value : {}, ...form }];
  }
  const answer = ownField(part, "functionResponse");
  if (answer !== undefined && typeof name === "string") {
    const callId = ids.ofAnswer(ownField(answer, "id"), name);
    const form = formOf(part, "functionResponse", ["id", "name", "response"]);
    const read = readResponse(ownField(answer, "response"));
    return [{ kind: "result", callId, tool: belt.refer(name), ...read, ...form }];
  }
  const text = ownField(part, "text");
  if (typeof text === "string" && ownField(part, "thought") !== true) {
    const form = restOf(part, ["text"]) === undefined ? {} : { form: { provider: PROVIDER, value: part } };
    return [{ kind: "text", role: textRole, text, ...form }];
  }
  const value: OpaquePart = { role, part };
  return [{ kind: "opaque", provider: PROVIDER, value }];
}

/** The part itself, if it contains more than an item (a signature, media) or less (no id). */
function formOf(part: object, field: string, known: readonly string[]): { readonly form?: ProviderForm } {
  const inner = ownField(part, field);
  const isWhole = typeof ownField(inner, "id") === "string";
  if (isWhole && restOf(part, [field]) === undefined && restOf(inner, known) === undefined) return {};
  return { form: { provider: PROVIDER, value: part } };
}

/** Gemini may omit ids and then matches calls with answers by name and order. Other providers need an id. */
interface CallIds {
  readonly ofCall: (id: unknown, name: string) => string;
  readonly ofAnswer: (id: unknown, name: string) => string;
}

/** The conversation may contain ids that were generated for an earlier part of it. */
function usedIds(messages: readonly unknown[]): ReadonlySet<unknown> {
  const parts = messages.flatMap((message) => listOf(ownField(message, "parts")));
  return new Set(
    parts.map((part) => ownField(ownField(part, "functionCall") ?? ownField(part, "functionResponse"), "id")),
  );
}

function createCallIds(used: ReadonlySet<unknown>): CallIds {
  let made = 0;
  const open = new Map<string, string[]>();
  const given = (id: unknown): string | undefined => (typeof id === "string" && id !== "" ? id : undefined);
  const make = (): string => {
    do made++;
    while (used.has(`onym-gemini-${made}`));
    return `onym-gemini-${made}`;
  };
  return {
    ofCall(id, name) {
      const callId = given(id) ?? make();
      open.set(name, [...(open.get(name) ?? []), callId]);
      return callId;
    },
    ofAnswer(id, name) {
      const waiting = open.get(name) ?? [];
      const callId = given(id) ?? waiting[0] ?? make();
      open.set(
        name,
        waiting.filter((each) => each !== callId),
      );
      return callId;
    },
  };
}
