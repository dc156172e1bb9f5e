// Text → tool for one caller: the steps of RES-1 over look-ups made beforehand. Never guesses, never throws.

import { compareTools } from "../catalog/build-catalog.js";
import type { Tool } from "../catalog/tool.js";
import { foldAscii } from "../names/ascii-fold.js";
import { decodeTransport } from "../names/decode-transport.js";
import type { ParseResult, Problem } from "../names/problem.js";
import type { NamingTable } from "../naming/build-naming-table.js";
import { type Claim, type Claims, isSeveral, lookUp, unite } from "./claims.js";
import { conclude, concludeFormer, missed, type Place } from "./conclude.js";
import type { FormerName } from "./former-names.js";
import { buildGoneForms } from "./gone-spellings.js";
import {
  isMeant,
  type Resolution,
  type ResolveContext,
  type Resolved,
  type ResolveStep,
  type StepTaken,
  type StructuredName,
} from "./resolution.js";
import { buildSentForms } from "./sent-forms.js";
import { serverStarts } from "./server-forms.js";
import type { SharedLookups } from "./shared-lookups.js";
import { createSuggest } from "./suggest-names.js";

export type Resolver = (input: string | StructuredName, context?: ResolveContext) => Resolution;

const NO_CONTEXT: ResolveContext = Object.freeze({});
const NO_WARNINGS: readonly string[] = Object.freeze([]);

/** Builds the resolver of one table. `lookups` are shared by all tables of a snapshot. */
export function createResolver(table: NamingTable, lookups: SharedLookups): Resolver {
  // Made on first use and then kept: resolving a public name again allocates nothing.
  const resolved: Resolved[] = [];
  const suggest = createSuggest(table);
  let beside: Claims | undefined;
  let sentForms: ((text: string) => Claim | undefined) | undefined;
  const ownFormer = lookups.formerIn(table.lockKey);
  let goneForms: ReadonlyMap<string, FormerName> | undefined;

  const gone = (text: string): FormerName | undefined => {
    goneForms ??= buildGoneForms(table, ownFormer);
    return lookUp(goneForms, text) ?? lookups.gone(text);
  };

  const known = (text: string): Claim | undefined => {
    beside ??= lookups.shownBeside(table);
    return lookUp(beside, text) ?? lookups.canonical(text);
  };

  const spelling = (text: string): Claim | undefined => {
    if (lookups.isForeign(text)) return undefined;
    sentForms ??= buildSentForms(table);
    // Both belong to one step: a text that a spelling gives to one tool and the client to another is nobody's.
    return unite(lookups.spelling(text), sentForms(text));
  };

  /** The steps 1 to 4 behind the caller's own names. For a decoded text they are one step, after `decoding`. */
  const direct = (text: string, context: ResolveContext, decoding?: StepTaken[]): Resolution | undefined => {
    const placeAt = (step: ResolveStep): Place =>
      decoding === undefined
        ? { step, tried: text, before: missed(step, text), context }
        : { step: "transport", tried: text, before: decoding, context };
    // Whom the caller was shown a name for comes before whom others are shown it for, also when he is gone.
    const own = lookUp(ownFormer, text) ?? lookups.onRecord(table.lockKey, text);
    if (own !== undefined) {
      // A tool's own canonical name is never a way to another one, be it a name that this one was given.
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
   * A canonical name without its toolbox (CANON-7). A tool that is gone, or whose server does not answer, is meant as much
   * as those that are there: the name must not change sides because one of two toolboxes is away.
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
   * `X/tool` is a spelling of server X and a canonical name without versions; both are candidates (CANON-3). So it is with
   * every other form of a server and a tool.
   */
  const spelled = (claim: Claim, text: string, place: Place): Resolution => {
    const slashed = text.includes("/") ? text : slashedForm(claim, text);
    if (slashed === undefined || isSingledOut(claim, place.context)) return conclude(claim, place);
    const normal = lookups.normalise(slashed);
    if (!normal.ok) return conclude(claim, place);
    const lost = lookups.gone(normal.value);
    const meant = lookups.canonical(normal.value) ?? lost?.tool;
    // Without one that is there, a tool that is gone or away is meant as much as the one that is spelled like it.
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
    // A text that is its own normal form was looked up already.
    const claim = normal.value === text ? undefined : lookups.canonical(normal.value);
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
    // Versions may be in upper case too (`@V1`), so a text that is no name yet is read once more in lower case.
    const folded = normal.ok ? foldAscii(normal.value) : parsedValue(lookups.normalise(foldAscii(text)));
    if (folded === undefined) return undefined;
    const canonical = lookups.caseFolded(folded);
    if (canonical !== undefined) {
      // The other reading of `X/tool` and `X@1/tool@1` counts in any casing: X may be a server's id (CANON-3).
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

    // As it came before as decoded, because a raw name may hold what looks like an escape.
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
    // Last, so that what a downstream says of its tools never takes a text from another's.
    const described = lookups.described(text);
    if (described !== undefined)
      return conclude(described, { step: "spelling", tried: text, before, context });
    const unknown = {
      outcome: "unknown",
      suggestions: suggest(text),
      steps: before,
      warnings: NO_WARNINGS,
    } as const;
    return problem === undefined ? unknown : { ...unknown, problem };
  };

  const structured = ({ toolbox, server, name }: StructuredName): Resolution => {
    const context = toolbox === undefined ? { server } : { server, toolbox };
    const owned = lookups.exactly(name, context) ?? lookups.owned(name, context);
    if (owned !== undefined) return conclude(owned, { step: "context", tried: name, before: [], context });
    const steps = [{ step: "context", tried: name, outcome: "no match" } as const];
    return { outcome: "unknown", suggestions: suggest(`${server}_${name}`), steps, warnings: NO_WARNINGS };
  };

  const remember = (index: number): Resolved => {
    const { name, tool } = table.tools[index] as { readonly name: string; readonly tool: Tool };
    const steps = [{ step: "public", tried: name, outcome: "matched" } as const];
    const resolution: Resolved = { outcome: "resolved", tool, step: "public", steps, warnings: NO_WARNINGS };
    resolved[index] = resolution;
    return resolution;
  };

  return (input, context = NO_CONTEXT) => {
    if (typeof input !== "string") return isStructured(input) ? structured(input) : searched("", context);
    const index = table.indexOf(input);
    if (index !== undefined) return resolved[index] ?? remember(index);
    return searched(input, context);
  };
}

/** A caller in JavaScript may hand over anything. */
function isStructured(input: unknown): input is StructuredName {
  return typeof input === "object" && input !== null && "server" in input && "name" in input;
}

/** `X/tool` of `X.tool`, `mcp__X__tool` and their like; nothing where the text is no form of a server and a tool. */
function slashedForm(claim: Claim, text: string): string | undefined {
  if (isSeveral(claim) || !text.endsWith(claim.raw)) return undefined;
  const { server, raw } = claim;
  const start = text.slice(0, text.length - raw.length);
  return serverStarts({ server }).includes(start) ? `${server}/${raw}` : undefined;
}

/** Whether the context names the one that is meant, so that nobody else can be. */
function isSingledOut(claim: Claim, context: ResolveContext): boolean {
  return (context.server ?? context.toolbox) !== undefined && !isSeveral(claim) && isMeant(claim, context);
}

function parsedValue(parsed: ParseResult<string>): string | undefined {
  return parsed.ok ? parsed.value : undefined;
}

/** No two tools have one. */
function isCanonical(claim: Claim, text: string): boolean {
  return !isSeveral(claim) && claim.canonical === text;
}
