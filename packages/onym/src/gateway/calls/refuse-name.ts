// Refuses a name that resolves to no tool: a reply that helps the model, and a record of the tool it meant
// (GW-6, RES-6, POL-7).

import {
  escapeText,
  type NamingTable,
  type Problem,
  quoteText,
  type Resolution,
  type StructuredName,
} from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import { explainDown } from "../../downstream/explain-down.js";
import { errorReply, type Reply } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { lettersOff } from "../choose-profile.js";
import type { GatewayContext, View } from "../gateway-context.js";
import type { RoutedRequest } from "../router.js";
import { explainToolboxName, hideClosed, type RefusalReason } from "../toolboxes/closed-toolbox.js";
import { describeRefused } from "../tracing/describe-request.js";
import { resolveFor } from "../visibility/caller-visibility.js";
import { recordedName } from "./call-audit.js";
import type { RefusedName, SentName } from "./sent-name.js";

/** Answers and records a call whose name resolves to no tool. */
export function refuseCall(found: RefusedName, { params, caller, requestContext }: RoutedRequest): Reply {
  const { resolution, denied, view } = found;
  const sent = recordedName(params["name"]);
  recordRefusedName(found, { caller, sent });
  describeRefused(requestContext.span, {
    sent,
    outcome: resolution.outcome,
    denied: denied?.tool,
    snapshot: view.snapshot,
  });
  return found.refusal;
}

export function recordRefusedName(
  { resolution, denied, view }: RefusedName,
  refused: { readonly caller: Caller; readonly sent: string },
): void {
  view.guard.refuse({
    ...refused,
    outcome: resolution.outcome,
    denied: denied && { target: { kind: "tool", identity: denied.tool }, launch: denied.launch },
  });
  countRefused(resolution, refused, view);
}

/** Counts a call by a retired name: its users still need the new one. */
function countRefused(
  resolution: Resolution,
  { sent, caller }: { readonly sent: string; readonly caller: Caller },
  { snapshot, guard }: View,
): void {
  if (resolution.outcome !== "retired" || resolution.successor === undefined) return;
  const found = snapshot.tools.resolve(resolution.successor);
  if (found.outcome !== "resolved") return;
  guard.countFormer({ caller, sent, tool: found.tool, lineage: snapshot.tools.lineageOf(found.tool) });
}

/**
 * A tool of a server that is down is not unknown: a caller that may see the tool learns since when and why it
 * is down.
 */
export function explainAbsent(
  { name, contextIn, caller }: SentName,
  { snapshot, known, guard }: View,
  context: GatewayContext,
): Reply | undefined {
  if (snapshot.missing.length === 0) return undefined;
  const all = known();
  const { resolution } = resolveFor(caller, { snapshot: all, guard }, name, contextIn(all));
  const open = hideClosed(resolution, caller, context);
  if (open.outcome !== "resolved") return undefined;
  const owner = all.ownerOf(open.tool);
  return owner === undefined || !snapshot.missing.includes(owner) ? undefined : refuseDown(owner);
}

/** Since when and why the server is down. */
export function refuseDown({ id, status, launch, down }: Downstream): Reply {
  return explainDown({ id, status, launch, down, label: `server ${quoteText(id.server)}`, now: Date.now() });
}

export function refuseUnrecorded(name: string | StructuredName): Reply {
  const shown = typeof name === "string" ? name : name.name;
  return errorReply(
    CODES.internal,
    `The name ${escapeText(shown.slice(0, 300))} is not on record yet, because the store cannot be reached. Try again.`,
  );
}

const MAX_CANDIDATES = 20;
/** Maximum length of a tool's error text, in characters. */
const MAX_WHY = 500;

/** The message helps the model; the data holds the same facts as fields (RES-6). */
export function explainRefused(
  { name, caller }: SentName,
  resolution: Resolution,
  { snapshot }: View,
  context: GatewayContext,
): Reply {
  const shown = escapeText(typeof name === "string" ? name.slice(0, 300) : name.name.slice(0, 300));
  const table = snapshot.tableOf(caller);
  switch (resolution.outcome) {
    case "ambiguous": {
      const candidates = resolution.candidates
        .slice(0, MAX_CANDIDATES)
        .map((tool) => table.nameOf(tool) ?? tool.canonical);
      return errorReply(CODES.invalidParams, `Ambiguous tool: ${shown}. It could be ${oneOf(candidates)}.`, {
        candidates,
      });
    }
    case "retired": {
      const { successor } = resolution;
      const next = successor === undefined ? undefined : publicName(successor, snapshot, table);
      return errorReply(
        CODES.invalidParams,
        `Unknown tool: ${shown} (retired${next === undefined ? "" : `; call ${showName(next)} instead`})`,
        { retired: resolution.canonical, ...(next === undefined ? {} : { successor: next }) },
      );
    }
    default: {
      const { suggestions: similar = [], problem } = resolution.outcome === "unknown" ? resolution : {};
      const suggestions = withoutDestructive(typeof name === "string" ? name : name.name, similar, table);
      const reason = explainToolboxName(name, caller, snapshot, context) ?? reasonOf(problem);
      const why = reason === undefined ? "" : ` ${reason.text}`.slice(0, MAX_WHY);
      const help = why + didYouMean(typeof name === "string" ? name : name.name, suggestions);
      return errorReply(CODES.invalidParams, `Unknown tool: ${shown}${help === "" ? "" : `.${help}`}`, {
        suggestions,
        ...reason?.data,
      });
    }
  }
}

function reasonOf(problem: Problem | undefined): RefusalReason | undefined {
  if (problem === undefined) return undefined;
  const { message, fix } = problem;
  return { text: `${message} ${fix}`, data: { problem: message, fix } };
}

/** This caller's name for a canonical name, if the tool is present. */
function publicName(canonical: string, snapshot: GatewaySnapshot, table: NamingTable): string {
  const found = snapshot.tools.resolve(canonical);
  return (found.outcome === "resolved" ? table.nameOf(found.tool) : undefined) ?? canonical;
}

// Suggests tools in the message itself: clients show the model the message, and seldom the data (RES-6).

const MAX_NAMES = 3;
const MAX_NAME_LENGTH = 200;
/** At most this many letters off counts as a typo. If some names are that close, only those are suggested. */
const NEAR_LETTERS = 2;

/**
 * One sentence, or an empty text without suggestions.
 * @example
 * didYouMean("docs_serch", ["docs_search", "docs_list"]); // " Did you mean docs_search?"
 */
function didYouMean(sent: string, suggestions: readonly string[]): string {
  if (suggestions.length === 0) return "";
  const near = suggestions.filter((name) => lettersOff(sent, name) <= NEAR_LETTERS);
  return ` Did you mean ${oneOf(near.length === 0 ? suggestions : near)}?`;
}

/**
 * A model calls what is suggested, so a tool that calls itself destructive is suggested only for a typo of its name. What is
 * left depends on the text and on the caller's own list, so hidden and unknown names stay alike (GW-6).
 */
function withoutDestructive(
  sent: string,
  suggestions: readonly string[],
  table: NamingTable,
): readonly string[] {
  return suggestions.filter((name) => {
    const { annotations } = table.toolNamed(name)?.definition ?? {};
    return Object(annotations).destructiveHint !== true || lettersOff(sent, name) <= NEAR_LETTERS;
  });
}

/** Formats names as a choice: `a, b or c`. The data holds the names beyond the first few. */
function oneOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(showName);
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} or ${last}`;
}

function showName(name: string): string {
  return escapeText(name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name);
}
