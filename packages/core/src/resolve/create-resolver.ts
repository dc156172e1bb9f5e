// Text → tool for one caller: the steps of RES-1 over prepared lookups. Never guesses, never throws.

import { compareTools } from "../catalog/build-catalog.js";
import type { Tool } from "../catalog/tool.js";
import { foldAscii } from "../names/ascii-fold.js";
import { decodeTransport } from "../names/decode-transport.js";
import type { ParseResult, Problem } from "../names/problem.js";
import { type OnceInSteps, onceInSteps, type Steps } from "../names/steps.js";
import type { NamingTable } from "../naming/build-naming-table.js";
import { conclude, concludeFormer, missed, type Place } from "./conclude.js";
import type { FormerName } from "./renames/former-names.js";
import {
  isMeant,
  type Resolution,
  type ResolveContext,
  type Resolved,
  type ResolveStep,
  type StepTaken,
  type StructuredName,
} from "./resolution.js";
import { type Claim, type Claims, isClaimedBy, isSeveral, lookUp, unite } from "./spellings/claims.js";
import { goneFormSteps } from "./spellings/gone-spellings.js";
import { sentFormSteps } from "./spellings/sent-forms.js";
import { serverStarts } from "./spellings/server-forms.js";
import type { SharedLookups } from "./spellings/shared-lookups.js";
import { createSuggester, type Suggest } from "./suggest-names.js";

export type Resolver = (input: string | StructuredName, context?: ResolveContext) => Resolution;

const NO_CONTEXT: ResolveContext = Object.freeze({});
const NO_WARNINGS: readonly string[] = Object.freeze([]);

/** The resolver of one table, and what it needs for texts other than public names, in steps (SAFE-4). */
interface TableResolver {
  readonly resolve: Resolver;
  /** The same as if all other tools were not there, but for names that were given out: those still lead to their tools (POL-1). */
  readonly seenBy: (sees: (tool: Tool) => boolean) => Resolver;
  readonly makeSteps: () => Steps<void>;
}

/** Builds the resolver of one table. All tables of a snapshot share `lookups`. */
export function createResolver(table: NamingTable, lookups: SharedLookups): TableResolver {
  const ownFormer = lookups.formerIn(table.lockKey);
  const suggester = createSuggester(table);
  const own = {
    table,
    ownFormer,
    suggest: suggester.suggest,
    beside: onceInSteps(() => lookups.besideSteps(table)),
    sentForms: onceInSteps(() => sentFormSteps(table)),
    goneForms: onceInSteps(() => goneFormSteps(table, ownFormer)),
  };
  return {
    resolve: resolverOver(own, lookups),
    seenBy: (sees) => resolverOver(own, lookups.seenBy(sees)),
    *makeSteps() {
      yield* lookups.makeSteps();
      for (const each of [own.beside, own.sentForms, own.goneForms]) yield* each.steps();
      yield* suggester.steps();
    },
  };
}

/** What belongs to one table: its names, former ones and those that clients make of them. */
interface TableLookups {
  readonly table: NamingTable;
  readonly ownFormer: ReadonlyMap<string, FormerName>;
  readonly suggest: Suggest;
  readonly beside: OnceInSteps<Claims>;
  readonly sentForms: OnceInSteps<(text: string) => Claim | undefined>;
  readonly goneForms: OnceInSteps<ReadonlyMap<string, FormerName>>;
}

function resolverOver(own: TableLookups, lookups: SharedLookups): Resolver {
  const { table, ownFormer, suggest, beside, sentForms, goneForms } = own;
  // Created on first use and cached, so that resolving a public name again allocates nothing.
  const resolved: Resolved[] = [];

  const gone = (text: string): FormerName | undefined => lookUp(goneForms.take(), text) ?? lookups.gone(text);

  const known = (text: string): Claim | undefined => lookUp(beside.take(), text) ?? lookups.canonical(text);

  const spelling = (text: string): Claim | undefined => {
    if (lookups.isForeign(text)) return undefined;
    // Both belong to one step: if a spelling gives the text to one tool and the client to another, it is ambiguous.
    return unite(lookups.spelling(text), sentForms.take()(text));
  };

  /** Steps 1 to 4, after the caller's own names. For a decoded text they count as one step, after `decoding`. */
  const direct = (text: string, context: ResolveContext, decoding?: StepTaken[]): Resolution | undefined => {
    const placeAt = (step: ResolveStep): Place =>
      decoding === undefined
        ? { step, tried: text, before: missed(step, text), context }
        : { step: "transport", tried: text, before: decoding, context };
    // Names that this caller saw take precedence over names that other callers see, even if the tool is gone.
    const own = lookUp(ownFormer, text) ?? lookups.onRecord(table.lockKey, text);
    if (own !== undefined) {
      // A tool's canonical name never resolves to another tool, even if that tool once had it as a public name.
      const owner = own.tool === undefined ? undefined : lookups.canonical(text);
      if (owner === undefined || owner === own.tool) return concludeFormer([own], placeAt("alias"));
      return conclude(unite(owner, own.tool, compareTools) ?? owner, placeAt("canonical"));
    }
    const shown = known(text);
    if (shown !== undefined) {
      const former = lookups.formerKnown(text);
      if (former !== undefined && former.tool === undefined)
        return concludeFormer([former], placeAt("alias"));
      const claim = unite(shown, former?.tool) ?? shown;
      return conclude(claim, placeAt(isCanonical(claim, text) ? "canonical" : "public"));
    }
    const former = lookups.former(text);
    if (former !== undefined) return concludeFormer(former, placeAt("alias"));
    const lost = gone(text);
    if (lost !== undefined) return concludeFormer([lost], placeAt("alias"));
    const short = unboxed(lookups.unboxed(text), text, context, () => placeAt("canonical"));
    if (short !== undefined) return short;
    const claim = spelling(text);
    return claim === undefined ? undefined : spelled(claim, text, placeAt("spelling"));
  };

  /**
   * A canonical name without its toolbox (CANON-7). A tool that is gone or whose server does not answer is as much
   * a candidate as a present one: the meaning of the name must not change while one of two toolboxes is
   * unavailable.
   */
  const unboxed = (
    claim: Claim | undefined,
    text: string,
    context: ResolveContext,
    placeOf: () => Place,
  ): Resolution | undefined => {
    const lost = lookups.goneUnboxed(text);
    if (claim !== undefined && (lost.length === 0 || isSingledOut(claim, context)))
      return conclude(claim, placeOf());
    const all = lost.reduce((found, { tool }) => unite(found, tool, compareTools), claim);
    if (all !== undefined && isSeveral(all)) return conclude(all, placeOf());
    const missing = lost.find(({ tool }) => tool === undefined) ?? lost[0];
    return missing === undefined ? undefined : concludeFormer([missing], placeOf());
  };

  /**
   * `X/tool` is both a spelling of server X and a canonical name without versions, so both are candidates
   * (CANON-3). The same holds for every other form of a server and a tool.
   */
  const spelled = (claim: Claim, text: string, place: Place): Resolution => {
    const slashed = text.includes("/") ? text : slashedForm(claim, text);
    if (slashed === undefined || isSingledOut(claim, place.context)) return conclude(claim, place);
    const normal = lookups.normalise(slashed);
    if (!normal.ok) return conclude(claim, place);
    const lost = lookups.gone(normal.value);
    const meant = lookups.normalised(normal.value) ?? lost?.tool;
    // If no present tool has this canonical name, a gone or unavailable one that had it takes precedence over the
    // spelling.
    if (meant === undefined && lost !== undefined && !isSeveral(claim)) return concludeFormer([lost], place);
    return conclude(unite(claim, meant ?? lookups.unboxed(normal.value), compareTools) ?? claim, place);
  };

  const versioned = (
    normal: ParseResult<string>,
    text: string,
    before: StepTaken[],
    context: ResolveContext,
  ): Resolution | undefined => {
    if (!normal.ok) return undefined;
    // A text that is its own normal form was already looked up.
    const claim = normal.value === text ? undefined : lookups.normalised(normal.value);
    if (claim !== undefined)
      return conclude(claim, { step: "version", tried: normal.value, before, context });
    const place: Place = { step: "version", tried: normal.value, before, context };
    const lost = lookups.gone(normal.value);
    if (lost !== undefined) return concludeFormer([lost], place);
    if (normal.value !== text) {
      const short = unboxed(lookups.unboxed(normal.value), normal.value, context, () => place);
      if (short !== undefined) return short;
    }
    before.push({ step: "version", tried: normal.value, outcome: "no match" });
    return undefined;
  };

  const cased = (
    normal: ParseResult<string>,
    text: string,
    before: StepTaken[],
    context: ResolveContext,
  ): Resolution | undefined => {
    // Versions may be in upper case too (`@V1`), so a text that does not parse is parsed again in lower case.
    const folded = normal.ok ? foldAscii(normal.value) : parsedValue(lookups.normalise(foldAscii(text)));
    if (folded === undefined) return undefined;
    const canonical = lookups.caseFolded(folded);
    if (canonical !== undefined) {
      // The other reading of `X/tool` and `X@1/tool@1` counts in any case: X may be a server's id (CANON-3).
      const byServer = unite(
        lookups.serverFolded(foldAscii(text)),
        lookups.serverFolded(folded),
        compareTools,
      );
      const claim = unite(canonical, byServer, compareTools) ?? canonical;
      return conclude(claim, { step: "case", tried: folded, before, context });
    }
    const lost = lookups.goneFolded(folded);
    const place: Place = { step: "case", tried: folded, before, context };
    if (lost !== undefined) return concludeFormer([lost], place);
    const short = unboxed(lookups.unboxedFolded(folded), folded, context, () => place);
    if (short !== undefined) return short;
    before.push({ step: "case", tried: folded, outcome: "no match" });
    return undefined;
  };

  /** Suggestions take far longer than the lookups, so they are made when they are read, once (SAFE-4). */
  const unknown = (text: string, steps: readonly StepTaken[], problem?: Problem): Resolution => {
    let made: readonly string[] | undefined;
    return {
      outcome: "unknown",
      get suggestions() {
        made ??= suggest(text);
        return made;
      },
      steps,
      warnings: NO_WARNINGS,
      ...(problem === undefined ? {} : { problem }),
    };
  };

  const searched = (text: string, context: ResolveContext): Resolution => {
    const found = direct(text, context);
    if (found !== undefined) return found;

    const before: StepTaken[] = missed("transport", text);
    let problem: Problem | undefined;
    let plain = text;
    const decoded = decodeTransport(text);
    if (!decoded.ok) problem = decoded.problem;
    else if (decoded.value !== text) {
      plain = decoded.value;
      const own = table.toolNamed(plain);
      const again =
        own === undefined
          ? direct(plain, context, before)
          : conclude(own, { step: "transport", tried: plain, before, context });
      if (again !== undefined) return again;
      before.push({ step: "transport", tried: plain, outcome: "no match" });
    }

    // Try the text as received before decoding it, because a raw name may contain what looks like an escape.
    const first = lookups.normalise(text);
    const second = plain === text ? undefined : lookups.normalise(plain);
    const read =
      versioned(first, text, before, context) ??
      (second && versioned(second, plain, before, context)) ??
      cased(first, text, before, context) ??
      (second && cased(second, plain, before, context));
    if (read !== undefined) return read;
    const last = second ?? first;
    if (!last.ok && plain.includes("/")) problem ??= last.problem;

    const owned = lookups.owned(text, context);
    if (owned !== undefined) return conclude(owned, { step: "context", tried: text, before, context });
    before.push({ step: "context", tried: text, outcome: "no match" });
    // Last, so that a server's description of its own tools never takes a text from another server's tool.
    const described = lookups.described(text);
    if (described !== undefined)
      return conclude(described, { step: "spelling", tried: text, before, context });
    return unknown(text, before, problem);
  };

  const structured = ({ toolbox, server, name }: StructuredName): Resolution => {
    const context = toolbox === undefined ? { server } : { server, toolbox };
    const owned = lookups.exactly(name, context) ?? lookups.owned(name, context);
    if (owned !== undefined) return conclude(owned, { step: "context", tried: name, before: [], context });
    const steps = [{ step: "context", tried: name, outcome: "no match" } as const];
    return unknown(`${server}_${name}`, steps);
  };

  const remember = (index: number): Resolved => {
    const { name, tool } = table.tools[index] as { readonly name: string; readonly tool: Tool };
    const steps = [{ step: "public", tried: name, outcome: "matched" } as const];
    const resolution: Resolved = { outcome: "resolved", tool, step: "public", steps, warnings: NO_WARNINGS };
    resolved[index] = resolution;
    return resolution;
  };

  /** A name and a stated origin that mean different tools mean neither (RES-1). */
  const besideStated = (found: Resolution, text: string, context: ResolveContext): Resolution => {
    if (found.outcome !== "resolved" || found.step === "context") return found;
    const stated = lookups.stated(text, context);
    if (stated === undefined || isClaimedBy(found.tool, stated)) return found;
    const both = unite(stated, found.tool, compareTools) ?? stated;
    return conclude(both, { step: "context", tried: text, before: [...found.steps], context: NO_CONTEXT });
  };

  return (input, context = NO_CONTEXT) => {
    if (typeof input !== "string") return isStructured(input) ? structured(input) : searched("", context);
    const index = table.indexOf(input);
    const found = index === undefined ? searched(input, context) : (resolved[index] ?? remember(index));
    return context.server === undefined ? found : besideStated(found, input, context);
  };
}

/** A JavaScript caller may pass anything. */
function isStructured(input: unknown): input is StructuredName {
  return typeof input === "object" && input !== null && "server" in input && "name" in input;
}

/**
 * `X/tool` for `X.tool`, `mcp__X__tool` and similar; `undefined` if the text is not a form of a server and a tool.
 */
function slashedForm(claim: Claim, text: string): string | undefined {
  if (isSeveral(claim) || !text.endsWith(claim.raw)) return undefined;
  const { server, raw } = claim;
  const start = text.slice(0, text.length - raw.length);
  return serverStarts({ server }).includes(start) ? `${server}/${raw}` : undefined;
}

/** Whether the context selects this tool, so that no other can be meant. */
function isSingledOut(claim: Claim, context: ResolveContext): boolean {
  return (context.server ?? context.toolbox) !== undefined && !isSeveral(claim) && isMeant(claim, context);
}

function parsedValue(parsed: ParseResult<string>): string | undefined {
  return parsed.ok ? parsed.value : undefined;
}

/** Canonical names are unique. */
function isCanonical(claim: Claim, text: string): boolean {
  return !isSeveral(claim) && claim.canonical === text;
}
