// The lookups that all callers of a snapshot share. Each is built once, on first use.

import type { Catalog } from "../../catalog/build-catalog.js";
import type { Tool } from "../../catalog/tool.js";
import { toolKeyOf } from "../../identity/tool-key.js";
import { foldAscii } from "../../names/ascii-fold.js";
import {
  formatCanonicalName,
  type ParsedToolName,
  parseToolName,
  withoutToolbox,
} from "../../names/canonical-name.js";
import type { ParseResult } from "../../names/problem.js";
import type { NamingTable } from "../../naming/build-naming-table.js";
import type { NameVariant } from "../../naming/fit/name-variants.js";
import type { Lineage } from "../../naming/lock/lineage.js";
import type { Lock } from "../../naming/lock/lock.js";
import type { FormerName, FormerNames } from "../renames/former-names.js";
import { isMeant, type ResolveContext } from "../resolution.js";
import { spellingSteps } from "./build-spellings.js";
import { addClaim, type Claim, type Claims, findCanonicalIn, findIn, lookUp, unite } from "./claims.js";
import type { GoneSpellings } from "./gone-spellings.js";
import { buildServerForms } from "./server-forms.js";

export interface SharedLookups {
  /**
   * Names that are shown in addition to a table's (`openai_name`, `cursor_name`), except those that the table has
   * itself.
   */
  readonly shownBeside: (table: NamingTable) => Claims;
  readonly canonical: (text: string) => Claim | undefined;
  /** By canonical names without their toolboxes, as written and in lower case (CANON-7). */
  readonly unboxed: (text: string) => Claim | undefined;
  readonly unboxedFolded: (folded: string) => Claim | undefined;
  readonly former: (text: string) => readonly FormerName[] | undefined;
  /** Names that one table assigned to tools that no longer have them. */
  readonly formerIn: (lockKey: string) => ReadonlyMap<string, FormerName>;
  /** A name that one table has recorded for a present tool, whatever the tool's name is now (RES-7). */
  readonly onRecord: (lockKey: string, text: string) => FormerName | undefined;
  /** The same for the tables whose names are shown in addition to the caller's own. */
  readonly formerKnown: (text: string) => FormerName | undefined;
  /** Spellings of tools that are gone. */
  readonly gone: (text: string) => FormerName | undefined;
  readonly goneFolded: (folded: string) => FormerName | undefined;
  readonly goneUnboxed: (text: string) => readonly FormerName[];
  /** Additional names that servers themselves give their tools: their `openai_name` and `cursor_name`. */
  readonly described: (text: string) => Claim | undefined;
  /** Only useful for texts that are not foreign. */
  readonly spelling: (text: string) => Claim | undefined;
  /** The text contains a character that no tool's names contain, so it can only be a canonical or encoded name. */
  readonly isForeign: (text: string) => boolean;
  /** The canonical form of a loosely written one (CANON-3). */
  readonly normalise: (text: string) => ParseResult<string>;
  /** By the canonical form in lower case. */
  readonly caseFolded: (folded: string) => Claim | undefined;
  /** The same text, read with a server's id in place of the integration, in lower case. */
  readonly serverFolded: (folded: string) => Claim | undefined;
  /**
   * The tool of exactly this server and toolbox, or of this server outside toolboxes; its successor if it has one.
   */
  readonly exactly: (raw: string, context: ResolveContext) => Tool | undefined;
  /** A raw name, by the owner in the context, or by being unique in the whole catalog. */
  readonly owned: (raw: string, context: ResolveContext) => Claim | undefined;
  /** Builds in steps the lookups that do not exist yet. */
  readonly makeSteps: () => Generator<undefined, void, undefined>;
}

const NONE_GONE: readonly FormerName[] = [];
const NO_FORMER: ReadonlyMap<string, FormerName> = new Map();

export function createSharedLookups(input: {
  readonly catalog: Catalog;
  readonly former: FormerNames;
  readonly formerByProfile: ReadonlyMap<string, ReadonlyMap<string, FormerName>>;
  /** Texts that are declared as old names. */
  readonly declared: ReadonlyMap<string, unknown>;
  readonly lock: Lock;
  readonly lineage: Lineage;
  readonly gone: () => GoneSpellings;
  readonly advertised: readonly (() => NamingTable)[];
  readonly variants: () => Iterable<NameVariant>;
  /** Other texts that occur in spellings, besides raw names and server ids: the gateway's alias, pins. */
  readonly texts: () => readonly string[];
}): SharedLookups {
  const { catalog, former, formerByProfile, declared, lock, lineage } = input;
  const canonicals = once(() => findCanonicalIn(claimsOf(catalog.tools, (tool) => tool.canonical)));
  const boxed = once(() => catalog.tools.filter(({ toolbox }) => toolbox !== undefined));
  const unboxed = once(() => claimsOf(boxed(), (tool) => withoutToolbox(tool.canonical)));
  const unboxedFolded = once(() => claimsOf(boxed(), (tool) => foldAscii(withoutToolbox(tool.canonical))));
  const serverForms = once(() => buildServerForms(catalog.tools));
  const spellings = onceInSteps(function* () {
    return findIn(yield* spellingSteps(catalog, input.variants(), serverForms()));
  });
  const folded = once(() => claimsOf(catalog.tools, (tool) => foldAscii(tool.canonical)));
  const serverFolded = once(() => foldedServerForms(catalog.tools));
  const described = once(() => describedNames(catalog.tools));
  const raws = once(() => claimsOf(catalog.tools, (tool) => tool.raw));
  const gone = once(input.gone);
  const formerIn = (lockKey: string): ReadonlyMap<string, FormerName> =>
    formerByProfile.get(lockKey) ?? NO_FORMER;
  const formerBeside = once(() => input.advertised.map((table) => formerIn(table().lockKey)));
  const latest = once(() => latestVersions(catalog));
  const rare = once(() => rareCharacters(catalog, input.texts()));
  const isForeign = (text: string): boolean => {
    for (const character of rare()) if (text.includes(character)) return true;
    return false;
  };
  return {
    shownBeside: (table) => shownBeside(input.advertised, table),
    canonical: (text) => canonicals()(text),
    unboxed: (text) => lookUp(unboxed(), text),
    unboxedFolded: (text) => lookUp(unboxedFolded(), text),
    former: (text) => lookUp(former, text),
    formerIn,
    onRecord(lockKey, text) {
      // A declared old name is handled by its declaration.
      const entry = declared.has(text) ? undefined : lock.profiles.get(lockKey)?.names.get(text);
      const tool = entry === undefined ? undefined : catalog.toolWithKey(entry.key);
      return tool === undefined ? undefined : { tool, canonical: tool.canonical, policy: "warn" };
    },
    formerKnown(text) {
      if (former.size === 0) return undefined;
      for (const names of formerBeside()) {
        const entry = names.get(text);
        if (entry !== undefined) return entry;
      }
      return undefined;
    },
    gone: (text) => lookUp(gone().byText, text),
    goneFolded: (text) => lookUp(gone().byFolded, text),
    goneUnboxed: (text) => lookUp(gone().unboxed, text) ?? NONE_GONE,
    described: (text) => lookUp(described(), text),
    spelling: (text) => unite(serverForms()(text), spellings.take()(text)),
    isForeign,
    normalise(text) {
      const parsed = parseToolName(text);
      if (!parsed.ok) return parsed;
      const { toolbox, integration, integrationVersion, tool, toolVersion } = parsed.value;
      // The latest versions are computed only on request.
      const versions =
        integrationVersion !== "latest" && toolVersion !== "latest"
          ? { integrationVersion, toolVersion }
          : newest(parsed.value, latest());
      return { ok: true, value: formatCanonicalName({ toolbox, integration, tool, ...versions }) };
    },
    caseFolded: (text) => folded().get(text),
    serverFolded: (text) => serverFolded().get(text),
    exactly: (raw, { server, toolbox }) =>
      server === undefined
        ? undefined
        : catalog.toolWithKey(lineage.presentKeyOf(toolKeyOf({ server, raw, toolbox }))),
    owned(raw, context) {
      const { server, toolbox } = context;
      if (server !== undefined && toolbox !== undefined) {
        return catalog.toolWithKey(toolKeyOf({ server, raw, toolbox }));
      }
      const claim = raws().get(raw);
      if (claim === undefined || (server === undefined && toolbox === undefined)) return claim;
      return narrowed(claim, (tool) => isMeant(tool, context));
    },
    *makeSteps() {
      for (const make of [canonicals, unboxed, unboxedFolded, serverForms, folded, serverFolded]) {
        make();
        yield;
      }
      for (const make of [described, raws, gone, formerBeside, latest, rare]) {
        make();
        yield;
      }
      yield* spellings.steps();
    },
  };
}

/** Those of `@`, `%` and `~` that no raw name or server id contains. In most catalogs none of them occurs. */
function rareCharacters({ tools, servers }: Catalog, texts: readonly string[]): readonly string[] {
  return ["@", "%", "~"].filter(
    (character) =>
      !texts.some((text) => text.includes(character)) &&
      !servers.some(({ server }) => server.includes(character)) &&
      !tools.some(({ raw }) => raw.includes(character)),
  );
}

/** Checks the caller's table first, to avoid storing a name twice: most profiles give most tools the same name. */
function shownBeside(advertised: readonly (() => NamingTable)[], own: NamingTable): Claims {
  const claims: Claims = new Map();
  for (const table of advertised) {
    for (const { name, tool } of table().tools)
      if (own.indexOf(name) === undefined) addClaim(claims, name, tool);
  }
  return claims;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A value that is built in steps, or all at once if it is needed before the steps are done. */
function onceInSteps<T>(make: () => Generator<undefined, T, undefined>): {
  readonly take: () => T;
  readonly steps: () => Generator<undefined, void, undefined>;
} {
  let made: { readonly value: T } | undefined;
  return {
    take() {
      if (made !== undefined) return made.value;
      const steps = make();
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      made = { value: step.value };
      return made.value;
    },
    *steps() {
      if (made !== undefined) return;
      const value = yield* make();
      made ??= { value };
    },
  };
}

function claimsOf(tools: readonly Tool[], textOf: (tool: Tool) => string): Claims {
  const claims: Claims = new Map();
  for (const tool of tools) addClaim(claims, textOf(tool), tool);
  return claims;
}

/** `server/tool`, and the canonical form with the server's id in it. */
function foldedServerForms(tools: readonly Tool[]): Claims {
  const claims: Claims = new Map();
  for (const tool of tools) {
    const { server, toolbox, raw, integrationVersion, toolName, toolVersion } = tool;
    const owner = foldAscii(toolbox === undefined ? server : `${toolbox}:${server}`);
    addClaim(claims, `${owner}/${foldAscii(raw)}`, tool);
    addClaim(claims, `${owner}@${integrationVersion}/${foldAscii(toolName)}@${toolVersion}`, tool);
  }
  return claims;
}

const MAX_DESCRIBED_LENGTH = 1024;

function describedNames(tools: readonly Tool[]): Claims {
  const claims: Claims = new Map();
  for (const tool of tools) {
    const { openai_name: openai, cursor_name: cursor } = tool.definition as Readonly<Record<string, unknown>>;
    for (const name of [openai, cursor])
      if (typeof name === "string" && name.length <= MAX_DESCRIBED_LENGTH) addClaim(claims, name, tool);
  }
  return claims;
}

function narrowed(claim: Claim, meant: (tool: Tool) => boolean): Claim | undefined {
  const tools = (claim instanceof Set ? [...claim] : [claim as Tool]).filter(meant);
  return tools.length < 2 ? tools[0] : new Set(tools);
}

/** By owner and tool: as written, and in lower case. */
interface LatestVersions {
  readonly exact: ReadonlyMap<string, number>;
  readonly folded: ReadonlyMap<string, number>;
}

/**
 * The highest versions present: of an integration among those that have the tool, and of the tool inside one of
 * them. If the newest version of an integration dropped a tool, the tool still has a latest version.
 */
function latestVersions(catalog: Catalog): LatestVersions {
  const exact = new Map<string, number>();
  const folded = new Map<string, number>();
  const raise = (text: string, version: number): void => {
    exact.set(text, Math.max(version, exact.get(text) ?? 0));
    const lower = foldAscii(text);
    folded.set(lower, Math.max(version, folded.get(lower) ?? 0));
  };
  for (const { toolbox, integration, integrationVersion, toolName, toolVersion } of catalog.tools) {
    // A name without a toolbox means every toolbox.
    for (const owner of toolbox === undefined ? [integration] : [integration, `${toolbox}:${integration}`]) {
      raise(`${owner}/${toolName}`, integrationVersion);
      raise(`${owner}/${toolName}@${toolVersion}`, integrationVersion);
      raise(`${owner}@${integrationVersion}/${toolName}`, toolVersion);
    }
  }
  return { exact, folded };
}

/** If nothing is present, the newest version is 1, which an absent version means too. */
function newest(
  { toolbox, integration, integrationVersion, tool, toolVersion }: ParsedToolName,
  { exact, folded }: LatestVersions,
): { readonly integrationVersion: number; readonly toolVersion: number } {
  const owner = toolbox === undefined ? foldAscii(integration) : `${toolbox}:${foldAscii(integration)}`;
  const wanted = toolVersion === "latest" ? tool : `${tool}@${toolVersion}`;
  // If the text matches a present tool exactly, tools that differ in case do not count (CANON-4).
  const highest = (text: string): number => exact.get(text) ?? folded.get(foldAscii(text)) ?? 1;
  const version = integrationVersion === "latest" ? highest(`${owner}/${wanted}`) : integrationVersion;
  return {
    integrationVersion: version,
    toolVersion: toolVersion === "latest" ? highest(`${owner}@${version}/${tool}`) : toolVersion,
  };
}
