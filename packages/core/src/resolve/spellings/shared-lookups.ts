// The lookups that all callers of a snapshot share. Each is built once, on first use.

import { type Catalog, compareTools } from "../../catalog/build-catalog.js";
import type { CatalogServer } from "../../catalog/source.js";
import type { Tool } from "../../catalog/tool.js";
import { toolKeyOf } from "../../identity/tool-key.js";
import { foldAscii } from "../../names/ascii-fold.js";
import { formatCanonicalName, parseToolName, withoutToolbox } from "../../names/canonical-name.js";
import type { ParseResult } from "../../names/problem.js";
import { eachInSteps, onceInSteps, type Steps } from "../../names/steps.js";
import type { NamingTable } from "../../naming/build-naming-table.js";
import type { NameVariant } from "../../naming/fit/name-variants.js";
import type { Lineage } from "../../naming/lock/lineage.js";
import type { Lock } from "../../naming/lock/lock.js";
import type { FormerName, FormerNames } from "../renames/former-names.js";
import { isMeant, type ResolveContext } from "../resolution.js";
import { spellingSteps } from "./build-spellings.js";
import {
  addClaim,
  type Claim,
  type Claims,
  findCanonicalIn,
  findIn,
  lookUp,
  narrow,
  unite,
} from "./claims.js";
import type { GoneSpellings } from "./gone-spellings.js";
import { latestVersionSteps, newestVersions } from "./latest-versions.js";
import { serverFormSteps } from "./server-forms.js";

export interface SharedLookups {
  /**
   * Names that are shown in addition to a table's (`openai_name`, `cursor_name`), except those that the table has
   * itself.
   */
  readonly besideSteps: (table: NamingTable) => Steps<Claims>;
  readonly canonical: (text: string) => Claim | undefined;
  /** By the canonical name that a loosely written one stands for. */
  readonly normalised: (canonical: string) => Claim | undefined;
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
  /** The tools of the server in the context with exactly this raw name. Needs no index. */
  readonly stated: (raw: string, context: ResolveContext) => Claim | undefined;
  /** A raw name, by the owner in the context, or by being unique in the whole catalog. */
  readonly owned: (raw: string, context: ResolveContext) => Claim | undefined;
  /**
   * The same lookups as if all other tools were not there. Names that were given out keep their owners: those of `canonical`,
   * `former`, `gone` and `besideSteps` (POL-1).
   */
  readonly seenBy: (sees: (tool: Tool) => boolean) => SharedLookups;
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
  readonly gone: () => Steps<GoneSpellings>;
  readonly advertised: readonly (() => Steps<NamingTable>)[];
  readonly variants: () => Iterable<NameVariant | undefined>;
  /** Other texts that occur in spellings, besides raw names and server ids: the gateway's alias, pins. */
  readonly texts: () => readonly string[];
}): SharedLookups {
  const { catalog, former, formerByProfile, declared, lock, lineage } = input;
  const canonicals = onceInSteps(function* () {
    return findCanonicalIn(yield* claimSteps(catalog.tools, (tool) => tool.canonical));
  });
  const boxed = onceInSteps(() => filterSteps(catalog.tools, ({ toolbox }) => toolbox !== undefined));
  const unboxed = onceInSteps(() => claimSteps(boxed.take(), (tool) => withoutToolbox(tool.canonical)));
  const unboxedFolded = onceInSteps(() =>
    claimSteps(boxed.take(), (tool) => foldAscii(withoutToolbox(tool.canonical))),
  );
  const serverForms = onceInSteps(() => serverFormSteps(catalog.tools));
  const spellings = onceInSteps(function* () {
    const made = yield* spellingSteps(catalog, input.variants(), serverForms.take());
    return { ...made, findName: findIn(made.names) };
  });
  const folded = onceInSteps(() => claimSteps(catalog.tools, (tool) => foldAscii(tool.canonical)));
  const serverFolded = onceInSteps(() => foldedServerForms(catalog.tools));
  const described = onceInSteps(() => describedNames(catalog.tools));
  const raws = onceInSteps(() => claimSteps(catalog.tools, (tool) => tool.raw));
  const owners = onceInSteps(function* () {
    const byServer = new Map<string, CatalogServer[]>();
    yield* eachInSteps(catalog.servers, (owner) => {
      const others = byServer.get(owner.server);
      if (others === undefined) byServer.set(owner.server, [owner]);
      else others.push(owner);
    });
    return byServer;
  });
  const gone = onceInSteps(input.gone);
  const formerIn = (lockKey: string): ReadonlyMap<string, FormerName> =>
    formerByProfile.get(lockKey) ?? NO_FORMER;
  const formerBeside = onceInSteps(function* () {
    const tables: ReadonlyMap<string, FormerName>[] = [];
    for (const table of input.advertised) tables.push(formerIn((yield* table()).lockKey));
    return tables;
  });
  const latest = onceInSteps(() => latestVersionSteps(catalog));
  const rare = onceInSteps(function* () {
    yield;
    return rareCharacters(catalog, input.texts());
  });
  const isForeign = (text: string): boolean => {
    for (const character of rare.take()) if (text.includes(character)) return true;
    return false;
  };
  const lookupsOver = (seen: (claim: Claim | undefined) => Claim | undefined): SharedLookups => ({
    besideSteps: (table) => besideSteps(input.advertised, table),
    canonical: (text) => canonicals.take()(text),
    normalised: (canonical) => seen(canonicals.take()(canonical)),
    unboxed: (text) => seen(lookUp(unboxed.take(), text)),
    unboxedFolded: (text) => seen(lookUp(unboxedFolded.take(), text)),
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
      for (const names of formerBeside.take()) {
        const entry = names.get(text);
        if (entry !== undefined) return entry;
      }
      return undefined;
    },
    gone: (text) => lookUp(gone.take().byText, text),
    goneFolded: (text) => lookUp(gone.take().byFolded, text),
    goneUnboxed: (text) => lookUp(gone.take().unboxed, text) ?? NONE_GONE,
    described: (text) => seen(lookUp(described.take(), text)),
    spelling(text) {
      const { findName, wishes, flats } = spellings.take();
      const claim = seen(unite(serverForms.take()(text), findName(text))) ?? seen(lookUp(wishes, text));
      return unite(claim, seen(lookUp(flats, text)));
    },
    isForeign,
    normalise(text) {
      const parsed = parseToolName(text);
      if (!parsed.ok) return parsed;
      const { toolbox, integration, integrationVersion, tool, toolVersion } = parsed.value;
      // The latest versions are computed only on request.
      const versions =
        integrationVersion !== "latest" && toolVersion !== "latest"
          ? { integrationVersion, toolVersion }
          : newestVersions(parsed.value, latest.take(), seen);
      return { ok: true, value: formatCanonicalName({ toolbox, integration, tool, ...versions }) };
    },
    caseFolded: (text) => seen(folded.take().get(text)),
    serverFolded: (text) => seen(serverFolded.take().get(text)),
    exactly(raw, { server, toolbox }) {
      if (server === undefined) return undefined;
      const tool = catalog.toolWithKey(lineage.presentKeyOf(toolKeyOf({ server, raw, toolbox })));
      return seen(tool) === undefined ? undefined : tool;
    },
    stated(raw, { server = "", toolbox }) {
      let claim: Claim | undefined;
      for (const owner of owners.take().get(server) ?? []) {
        if (toolbox !== undefined && toolbox !== owner.toolbox) continue;
        const tool = catalog.toolWithKey(toolKeyOf({ server, raw, toolbox: owner.toolbox }));
        claim = unite(claim, seen(tool), compareTools);
      }
      return claim;
    },
    owned(raw, context) {
      const { server, toolbox } = context;
      if (server !== undefined && toolbox !== undefined) {
        return seen(catalog.toolWithKey(toolKeyOf({ server, raw, toolbox })));
      }
      const claim = seen(raws.take().get(raw));
      if (server === undefined && toolbox === undefined) return claim;
      return narrow(claim, (tool) => isMeant(tool, context));
    },
    seenBy: (sees) => lookupsOver((claim) => narrow(seen(claim), sees)),
    *makeSteps() {
      for (const each of [boxed, canonicals, unboxed, unboxedFolded, serverForms, folded, serverFolded]) {
        yield* each.steps();
        yield;
      }
      for (const each of [described, raws, gone, formerBeside, latest, rare]) {
        yield* each.steps();
        yield;
      }
      yield* spellings.steps();
    },
  });
  return lookupsOver((claim) => claim);
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
function* besideSteps(advertised: readonly (() => Steps<NamingTable>)[], own: NamingTable): Steps<Claims> {
  const claims: Claims = new Map();
  for (const table of advertised) {
    const { tools } = yield* table();
    yield* eachInSteps(tools, ({ name, tool }) => {
      if (own.indexOf(name) === undefined) addClaim(claims, name, tool);
    });
  }
  return claims;
}

function* filterSteps(tools: readonly Tool[], isWanted: (tool: Tool) => boolean): Steps<readonly Tool[]> {
  const found: Tool[] = [];
  yield* eachInSteps(tools, (tool) => {
    if (isWanted(tool)) found.push(tool);
  });
  return found;
}

function* claimSteps(tools: readonly Tool[], textOf: (tool: Tool) => string): Steps<Claims> {
  const claims: Claims = new Map();
  yield* eachInSteps(tools, (tool) => addClaim(claims, textOf(tool), tool));
  return claims;
}

/** `server/tool`, and the canonical form with the server's id in it. */
function* foldedServerForms(tools: readonly Tool[]): Steps<Claims> {
  const claims: Claims = new Map();
  yield* eachInSteps(tools, (tool) => {
    const { server, toolbox, raw, integrationVersion, toolName, toolVersion } = tool;
    const owner = foldAscii(toolbox === undefined ? server : `${toolbox}:${server}`);
    addClaim(claims, `${owner}/${foldAscii(raw)}`, tool);
    addClaim(claims, `${owner}@${integrationVersion}/${foldAscii(toolName)}@${toolVersion}`, tool);
  });
  return claims;
}

const MAX_DESCRIBED_LENGTH = 1024;

function* describedNames(tools: readonly Tool[]): Steps<Claims> {
  const claims: Claims = new Map();
  yield* eachInSteps(tools, (tool) => {
    const { openai_name: openai, cursor_name: cursor } = tool.definition as Readonly<Record<string, unknown>>;
    for (const name of [openai, cursor])
      if (typeof name === "string" && name.length <= MAX_DESCRIBED_LENGTH) addClaim(claims, name, tool);
  });
  return claims;
}
