// The look-ups that all callers of a snapshot share, each made once, when it is first needed.

import type { Catalog } from "../catalog/build-catalog.js";
import type { Tool } from "../catalog/tool.js";
import { toolKeyOf } from "../identity/tool-key.js";
import { foldAscii } from "../names/ascii-fold.js";
import { formatCanonicalName, parseToolName } from "../names/canonical-name.js";
import type { ParseResult } from "../names/problem.js";
import type { VersionRequest } from "../names/version.js";
import type { NamingTable } from "../naming/build-naming-table.js";
import { buildSpellings } from "./build-spellings.js";
import { addClaim, type Claim, type Claims } from "./claims.js";
import type { FormerName, FormerNames } from "./former-names.js";
import { isMeant, type ResolveContext } from "./resolution.js";

export interface SharedLookups {
  /** Names shown beside the caller's own: `openai_name`, `cursor_name`. */
  readonly advertised: (text: string) => Claim | undefined;
  readonly canonical: (text: string) => Claim | undefined;
  readonly former: (text: string) => readonly FormerName[];
  readonly spellings: () => ReadonlyMap<string, Claim>;
  /** The canonical form of a loosely written one (CANON-3). */
  readonly normalise: (text: string) => ParseResult<string>;
  /** By the canonical form in lower case. */
  readonly caseFolded: (folded: string) => Claim | undefined;
  /** A raw name, by the owner in the context, or by being unique in the whole catalog. */
  readonly owned: (raw: string, context: ResolveContext) => Claim | undefined;
}

const NOBODY: readonly FormerName[] = Object.freeze([]);

export function createSharedLookups(input: {
  readonly catalog: Catalog;
  readonly former: FormerNames;
  readonly advertised: readonly (() => NamingTable)[];
  readonly allTables: () => Iterable<NamingTable>;
}): SharedLookups {
  const { catalog, former } = input;
  const canonicals = once(() => claimsOf(catalog, (tool) => tool.canonical));
  const folded = once(() => claimsOf(catalog, (tool) => foldAscii(tool.canonical)));
  const raws = once(() => claimsOf(catalog, (tool) => tool.raw));
  const latest = once(() => latestVersions(catalog));
  return {
    advertised(text) {
      const claims: Claims = new Map();
      for (const table of input.advertised) {
        const tool = table().toolNamed(text);
        if (tool !== undefined) addClaim(claims, text, tool);
      }
      return claims.get(text);
    },
    canonical: (text) => canonicals().get(text),
    former: (text) => former.get(text) ?? NOBODY,
    spellings: once(() => buildSpellings(catalog, input.allTables())),
    normalise(text) {
      const parsed = parseToolName(text);
      if (!parsed.ok) return parsed;
      const { integration, tool, ...asked } = parsed.value;
      const owner = foldAscii(integration);
      const wanted = asked.toolVersion === "latest" ? tool : `${tool}@${asked.toolVersion}`;
      const integrationVersion = pick(asked.integrationVersion, latest().get(`${owner}/${wanted}`));
      const toolVersion = pick(asked.toolVersion, latest().get(`${owner}@${integrationVersion}/${tool}`));
      return { ok: true, value: formatCanonicalName({ integration, integrationVersion, tool, toolVersion }) };
    },
    caseFolded: (text) => folded().get(text),
    owned(raw, context) {
      const { server, toolbox } = context;
      if (server !== undefined) {
        const tool = catalog.toolWithKey(toolKeyOf({ server, raw, toolbox }));
        if (tool !== undefined || toolbox !== undefined) return tool;
      }
      const claim = raws().get(raw);
      if (claim === undefined || (server === undefined && toolbox === undefined)) return claim;
      return narrowed(claim, (tool) => isMeant(tool, context));
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function claimsOf(catalog: Catalog, textOf: (tool: Tool) => string): Claims {
  const claims: Claims = new Map();
  for (const tool of catalog.tools) addClaim(claims, textOf(tool), tool);
  return claims;
}

function narrowed(claim: Claim, meant: (tool: Tool) => boolean): Claim | undefined {
  const tools = (claim instanceof Set ? [...claim] : [claim as Tool]).filter(meant);
  return tools.length < 2 ? tools[0] : new Set(tools);
}

/**
 * The highest versions present: of an integration among those that have the tool, and of the tool inside one of them.
 * An integration whose newest version dropped a tool still has a latest version of that tool.
 */
function latestVersions(catalog: Catalog): ReadonlyMap<string, number> {
  const highest = new Map<string, number>();
  const raise = (text: string, version: number): void => {
    for (const key of [text, foldAscii(text)]) {
      if (version > (highest.get(key) ?? 0)) highest.set(key, version);
    }
  };
  for (const { integration, integrationVersion, toolName, toolVersion } of catalog.tools) {
    raise(`${integration}/${toolName}`, integrationVersion);
    raise(`${integration}/${toolName}@${toolVersion}`, integrationVersion);
    raise(`${integration}@${integrationVersion}/${toolName}`, toolVersion);
  }
  return highest;
}

/** Nothing present has no latest version; 1 is then what an absent version means too. */
function pick(asked: VersionRequest, latest: number | undefined): number {
  return asked === "latest" ? (latest ?? 1) : asked;
}
