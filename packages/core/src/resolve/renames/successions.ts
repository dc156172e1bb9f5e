// Which tool became which: from the lock's records, the declared `renames`, and the servers' `formerly` ids
// (LOCK-5).

import type { Catalog } from "../../catalog/build-catalog.js";
import type { CatalogProblem } from "../../catalog/catalog-problem.js";
import type { ToolSource } from "../../catalog/source.js";
import type { Tool } from "../../catalog/tool.js";
import { type Owner, partsOfKey, type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { compareText } from "../../names/compare-text.js";
import type { Successions } from "../../naming/lock/lineage.js";
import type { Lock } from "../../naming/lock/lock.js";
import { nameUnseen } from "./former-names.js";
import { createOldTools, type OldTools } from "./old-tools.js";
import {
  claimedTwice,
  formerlyClaimed,
  formerlyLive,
  formerlyTaken,
  renameCircle,
  severalOld,
} from "./rename-problems.js";
import type { Rename } from "./rename-window.js";

export interface SuccessionInput {
  readonly catalog: Catalog;
  /** Needed for their former ids. */
  readonly sources: readonly ToolSource[];
  readonly renames: readonly Rename[];
  readonly lock: Lock;
  readonly findCanonical: (canonical: string) => readonly Tool[];
  readonly isAbsent: (key: ToolKey) => boolean;
}

export interface BuiltSuccessions {
  readonly successions: Successions;
  /** Canonical names of old tools that may not be in the lock: declared, or moved with their server. */
  readonly canonicals: ReadonlyMap<ToolKey, string>;
  /** By `from`: present tools that the lock records as what another tool is declared to be. */
  readonly owners: ReadonlyMap<string, Tool>;
  readonly problems: readonly CatalogProblem[];
}

/** Recorded successions stay, because otherwise a name assigned through one would go to another tool. */
export function buildSuccessions(input: SuccessionInput): BuiltSuccessions {
  const problems: CatalogProblem[] = [];
  const links = new Links();
  for (const [key, { successor }] of input.lock.tools) if (successor !== undefined) links.add(key, successor);
  const declared = input.renames.length === 0 ? NOTHING : declare(input, links, problems);
  const canonicals = new Map(declared.canonicals);
  for (const source of input.sources) {
    if (source.formerly === undefined || source.formerly.length === 0) continue;
    for (const [key, canonical] of moveServer(source, input, links, problems)) canonicals.set(key, canonical);
  }
  return { successions: links.next, ...declared, canonicals, problems };
}

type DeclaredTools = Pick<BuiltSuccessions, "canonicals" | "owners">;

const NOTHING: DeclaredTools = { canonicals: new Map(), owners: new Map() };

/** Lines without branches. A link that would create a branch or a cycle is not added. */
class Links {
  readonly next = new Map<ToolKey, ToolKey>();
  readonly #before = new Map<ToolKey, ToolKey>();

  add(from: ToolKey, to: ToolKey): boolean {
    if (this.next.has(from) || this.#before.has(to) || this.lastOf(to) === from) return false;
    this.next.set(from, to);
    this.#before.set(to, from);
    return true;
  }

  lastOf(key: ToolKey): ToolKey {
    let last = key;
    for (let at = this.next.get(key); at !== undefined; at = this.next.get(at)) last = at;
    return last;
  }

  /**
   * Inserts a tool's other identity directly after it, before its successor. If both are present, each is its own
   * tool, as the old one would be beside its successor (LOCK-5).
   */
  insert(key: ToolKey, moved: ToolKey): boolean {
    const next = this.next.get(key);
    if (next === undefined) return this.add(key, moved);
    if (this.#before.has(moved) || this.next.has(moved)) return false;
    this.next.set(key, moved).set(moved, next);
    this.#before.set(moved, key).set(next, moved);
    return true;
  }

  hasBefore(key: ToolKey): boolean {
    return this.#before.has(key);
  }

  isOneLine(a: ToolKey, b: ToolKey): boolean {
    return this.lastOf(a) === this.lastOf(b);
  }
}

interface Declared {
  readonly from: ToolKey;
  readonly to: ToolKey;
  readonly rename: Rename;
}

/** Adds the declared `renames`, and returns what they say about old tools. */
function declare(input: SuccessionInput, links: Links, problems: CatalogProblem[]): DeclaredTools {
  const canonicals = new Map<ToolKey, string>();
  const owners = new Map<string, Tool>();
  const oldTools = createOldTools(input);
  const declared: Declared[] = [];
  for (const rename of input.renames) {
    const [from, ...others] = oldKeysOf(rename, oldTools, links, input);
    const to = targetKeyOf(rename, oldTools, input);
    if (others.length > 0) {
      if (to !== undefined && !links.hasBefore(to)) problems.push(severalOld(rename));
      continue;
    }
    // Already one line: declared again, or the server was rolled back and the way back is declared, too.
    if (from === undefined || to === undefined || links.isOneLine(from, to)) continue;
    const owner = input.catalog.toolWithKey(from);
    if (owner !== undefined) {
      owners.set(rename.from, owner);
      continue;
    }
    const canonical = oldTools.canonicalOf(rename.from);
    if (canonical !== undefined) canonicals.set(from, canonical);
    declared.push({ from, to, rename });
  }
  const sources = groupBy(declared, ({ from }) => from);
  const targets = groupBy(declared, ({ to }) => to);
  for (const { from, to, rename } of distinct(declared)) {
    const isForked = (sources.get(from)?.size ?? 0) > 1 || (targets.get(to)?.size ?? 0) > 1;
    if (isCircle(from, declared)) problems.push(renameCircle(rename));
    else if (isForked || !links.add(from, to)) problems.push(claimedTwice(rename));
  }
  return { canonicals, owners };
}

function isCircle(start: ToolKey, declared: readonly Declared[]): boolean {
  const next = new Map(declared.map(({ from, to }) => [from, to]));
  const seen = new Set<ToolKey>();
  for (let at = next.get(start); at !== undefined && !seen.has(at); at = next.get(at)) {
    if (at === start) return true;
    seen.add(at);
  }
  return false;
}

/** The present tool, or an older one that another entry continues from. */
function targetKeyOf(
  { to }: Rename,
  oldTools: OldTools,
  { findCanonical }: SuccessionInput,
): ToolKey | undefined {
  const live = findCanonical(to);
  const keys = live.length > 0 ? live.map(({ key }) => key) : oldTools.find(to);
  return keys.length === 1 ? keys[0] : undefined;
}

/**
 * The old tool of an entry, as the latest recorded identity: an operator may edit an entry to point to the newest
 * name instead of adding one. A tool that is present, or whose server may have it, is not old.
 */
function oldKeysOf(
  { from, to }: Rename,
  oldTools: OldTools,
  links: Links,
  { findCanonical, isAbsent }: SuccessionInput,
): readonly ToolKey[] {
  if (findCanonical(from).length > 0) return [];
  const [target] = findCanonical(to);
  const found = oldTools.find(from, target).filter((key) => !isAbsent(key));
  return [...new Set(found.map((each) => links.lastOf(each)))];
}

/**
 * Each tool of a former id becomes the tool with the same raw name of the present id, unless a declaration says
 * otherwise.
 */
function moveServer(
  { server, toolbox, formerly = [] }: ToolSource,
  { catalog, lock, sources }: SuccessionInput,
  links: Links,
  problems: CatalogProblem[],
): ReadonlyMap<ToolKey, string> {
  const named = new Map<ToolKey, string>();
  const isHere = (owner: Owner, id: string): boolean => owner.server === id && owner.toolbox === toolbox;
  const ids = [...new Set(formerly)].filter((id) => {
    if (id === server) return false;
    if (catalog.servers.some((one) => isHere(one, id))) problems.push(formerlyLive(server, id));
    else if (sources.some((one) => isClaimed(one, id, { server, toolbox })))
      problems.push(formerlyClaimed(server, id));
    else return true;
    return false;
  });
  if (ids.length === 0) return named;
  const old = new Set<string>();
  const present = new Set(catalog.tools.filter((tool) => isHere(tool, server)).map(({ raw }) => raw));
  for (const [key, { successor = key }] of lock.tools) {
    // A tool's successor is recorded before the successor has a line of its own.
    for (const { raw, ...owner } of successor === key
      ? [partsOfKey(key)]
      : [key, successor].map(partsOfKey)) {
      if (ids.some((id) => isHere(owner, id))) old.add(raw);
      else if (isHere(owner, server)) present.add(raw);
    }
  }
  const refused: string[] = [];
  const isKnown = catalog.servers.some((one) => isHere(one, server));
  // A lock knows all tools of a former id. Without a lock, approvals may exist for any tool.
  for (const raw of [...(lock.tools.size > 0 ? old : present)].sort(compareText)) {
    const line = [...ids, server].map((id) => toolKeyOf({ server: id, toolbox, raw }));
    for (const [at, key] of line.entries()) {
      const moved = line[at + 1];
      if (moved === undefined || links.isOneLine(key, moved)) continue;
      const successor = links.next.get(key);
      // A declaration about the tool itself takes precedence over one about its server.
      if (successor !== undefined && isHere(partsOfKey(successor), server)) continue;
      if (!links.insert(key, moved)) refused.push(raw);
      // Names may be waiting there for a server that does not answer, and move on when the server gets another id.
      else if (isKnown && isHere(partsOfKey(moved), server)) named.set(moved, nameUnseen(moved, catalog));
    }
  }
  if (refused.length > 0) problems.push(formerlyTaken(server, ids, refused));
  return named;
}

function isClaimed(source: ToolSource, id: string, { server, toolbox }: Owner): boolean {
  return source.server !== server && source.toolbox === toolbox && source.formerly?.includes(id) === true;
}

function groupBy<T>(items: readonly Declared[], keyOf: (item: Declared) => T): ReadonlyMap<T, Set<string>> {
  const groups = new Map<T, Set<string>>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, (groups.get(key) ?? new Set()).add(JSON.stringify([item.from, item.to])));
  }
  return groups;
}

function distinct(items: readonly Declared[]): Iterable<Declared> {
  return new Map(items.map((item) => [JSON.stringify([item.from, item.to]), item])).values();
}
