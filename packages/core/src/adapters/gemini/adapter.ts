// Google Gen AI SDK adapter: catalog tools for the SDK, its function calls back to tools, and conversation history.

import { ownField } from "../../identity/name-parts.js";
import { answerCalls } from "../answer-calls.js";
import type { CallOutcome, JsonObject, RefusedCall, RoutedCall } from "../call-outcome.js";
import type { HistoryCodec, HistoryItem } from "../history.js";
import { listOf } from "../json-text.js";
import {
  type BeltOptions,
  buildToolBelt,
  type HeldNames,
  type ToolBelt,
  type ToolInput,
} from "../tool-belt.js";
import { readContents } from "./read-history.js";
import type { GeminiContent, GeminiResponsePart, GeminiTool } from "./shapes.js";
import { type GeminiWrittenHistory, writeContents } from "./write-history.js";

export type { GeminiWrittenHistory };

/** Gemini has no deferred tools. Use `visible` to leave tools out. */
export interface GeminiOptions extends Omit<BeltOptions, "defer"> {
  /**
   * The `thoughtSignature` for calls in a history that have none because another provider made them. Gemini 3
   * rejects such calls; `skip_thought_signature_validator` is the value it documents for them.
   */
  readonly missingSignature?: string;
}

export interface GeminiAdapter extends HistoryCodec<GeminiContent>, HeldNames {
  readonly belt: ToolBelt;
  /** For `config.tools`; empty without tools, because Gemini rejects an empty declaration. */
  readonly tools: () => GeminiTool[];
  /** One `functionCall`, or the part that contains it. */
  readonly call: (functionCall: unknown) => CallOutcome;
  /** Every call of a response's first candidate. */
  readonly calls: (response: unknown) => readonly CallOutcome[];
  /** A part for the next `user` message. Text becomes `{ output }` or `{ error }`; an object is sent unchanged. */
  readonly result: (
    call: RoutedCall,
    content: string | JsonObject,
    options?: { readonly isError?: boolean },
  ) => GeminiResponsePart;
  readonly refusal: (refused: RefusedCall) => GeminiResponsePart;
  readonly writeHistory: (items: readonly HistoryItem[]) => GeminiWrittenHistory;
}

/**
 * Everything that the Gen AI SDK needs to use the tools of a snapshot.
 *
 * @example
 * const gemini = buildGeminiAdapter(snapshot);
 * const config = { tools: gemini.tools() };
 * const outcome = gemini.call({ name: "sf_get_leads", args: {} });
 * if (outcome.outcome === "refused") gemini.refusal(outcome);
 */
export function buildGeminiAdapter(input: ToolInput, options: GeminiOptions = {}): GeminiAdapter {
  const { missingSignature, ...belted } = options;
  const belt = buildToolBelt(input, { ...belted, profile: "gemini", callIdOptional: true });

  // Calls to reserved names belong to the code that declared them.
  const others = new Set<unknown>(options.reserved);
  const isOurs = (functionCall: unknown): boolean =>
    typeof functionCall === "object" && functionCall !== null && !others.has(ownField(functionCall, "name"));

  const call = (given: unknown): CallOutcome => {
    const functionCall = ownField(given, "functionCall") ?? given;
    // Some gateways write an absent id as null or as an empty string.
    const id = ownField(functionCall, "id");
    return belt.call({
      name: ownField(functionCall, "name"),
      callId: id === null || id === "" ? undefined : id,
      arguments: ownField(functionCall, "args"),
    });
  };

  return Object.freeze({
    belt,
    lock: belt.lock,
    problems: belt.problems,
    tools: () => declare(belt),
    call,
    calls: (response: unknown) =>
      partsOf(response)
        .filter((part) => isOurs(ownField(part, "functionCall")))
        .map(call),
    result: (routed, content, { isError = false } = {}) =>
      respond(
        routed,
        isError ? { error: content } : typeof content === "string" ? { output: content } : content,
      ),
    refusal: (refused) => respond(refused, { error: refused.message }),
    readHistory: (messages) => readContents(messages, belt),
    writeHistory: (items) => writeContents(answerCalls(items), { belt, missingSignature }),
  } satisfies GeminiAdapter);
}

function declare(belt: ToolBelt): GeminiTool[] {
  if (belt.tools.length === 0) return [];
  const functionDeclarations = belt.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    parametersJsonSchema: inputSchema,
  }));
  return [{ functionDeclarations }];
}

function partsOf(response: unknown): readonly unknown[] {
  const [candidate] = listOf(ownField(response, "candidates"));
  return listOf(ownField(ownField(candidate, "content"), "parts"));
}

/** Gemini matches an answer to its call by id, otherwise by the name as the model wrote it. */
function respond(call: RoutedCall | RefusedCall, response: JsonObject): GeminiResponsePart {
  const { callId, name } = call;
  const id = callId === undefined ? {} : { id: callId };
  return { functionResponse: { ...id, name: name || "unknown_tool", response: { ...response } } };
}
