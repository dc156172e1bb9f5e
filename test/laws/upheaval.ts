// Generators of what may happen to servers, tools and options after somebody decided: arrivals, renamings, re-encodings,
// copies, new versions, aliases, pins, styles, and definitions that change under a name that stays.

import {
  buildSnapshot,
  type ListedTool,
  NAMING_STYLES,
  type Profile,
  type Snapshot,
  type SnapshotOptions,
  type Tool,
  type ToolSource,
} from "@onym/core";
import { buildCatalog } from "@onym/core/naming";
import fc from "fast-check";
import { alias, rawName, sources } from "./nasty.js";

/** Sources before → the snapshot after, with the approved tool at hand to be imitated. */
export type Upheaval = (
  list: readonly ToolSource[],
  before: Snapshot,
  approved: Tool,
  profile: Profile,
) => Snapshot;

/** Nasty sources list names alone; a definition that depends on the name makes copies and changes tell. */
export function withDefinitions(list: readonly ToolSource[]): readonly ToolSource[] {
  return list.map((source) => ({ ...source, tools: source.tools.map((tool) => defined(tool)) }));
}

function defined(tool: string | ListedTool): ListedTool {
  const listed = typeof tool === "string" ? { name: tool } : tool;
  // Few enough that tools of different names often have the same definition.
  return { ...listed, description: `does ${listed.name.length % 3}` };
}

type Change = (list: readonly ToolSource[], approved: Tool) => readonly ToolSource[];

const change: fc.Arbitrary<Change> = fc.oneof(
  sources.map(
    (more): Change =>
      (list) => [...list, ...withDefinitions(more)],
  ),
  // The raw name, with or without the definition it had.
  fc.tuple(rawName, fc.boolean()).map(([name, keeps]): Change => {
    return (list, approved) =>
      edit(list, approved, (tool) => ({ ...tool, name, ...(keeps ? {} : { description: "new" }) }));
  }),
  fc.constantFrom(...reencodings()).map((encode): Change => {
    return (list, approved) =>
      edit(list, approved, (tool) => ({ ...tool, name: encode(tool.name, approved) }));
  }),
  fc.constant<Change>((list, approved) =>
    edit(list, approved, (tool) => ({ ...tool, description: "other" })),
  ),
  fc.integer({ min: 1, max: 9 }).map((version): Change => {
    return (list, approved) => edit(list, approved, (tool) => ({ ...tool, version }));
  }),
  // A copy of the approved tool, definition and all, on a server of another name or in a toolbox.
  fc.tuple(rawName, fc.boolean()).map(([server, isBoxed]): Change => {
    return (list, { raw, definition }) => {
      const copy = { server, tools: [{ ...definition, name: raw }] };
      return [isBoxed ? { ...copy, server: "a", toolbox: "dev" } : copy, ...list];
    };
  }),
  // A lookalike beside it on its own server, which the server itself may add at any time.
  fc.constantFrom(...reencodings()).map((encode): Change => {
    return (list, approved) =>
      list.map((source) =>
        isOwner(source, approved)
          ? {
              ...source,
              tools: [...source.tools, { ...approved.definition, name: encode(approved.raw, approved) }],
            }
          : source,
      );
  }),
  fc
    .record(
      {
        version: fc.integer({ min: 1, max: 12 }),
        alias: fc.constantFrom("a", "sf", "zz"),
        integration: fc.constantFrom("a", "b", "salesforce", "moved"),
      },
      { requiredKeys: [] },
    )
    .map((fields): Change => {
      return (list, approved) => list.map((one) => (isOwner(one, approved) ? { ...one, ...fields } : one));
    }),
  // The approved tool's server goes, and another takes its integration, alias and tools.
  fc.constant<Change>((list, approved) => {
    return list.map((source) =>
      isOwner(source, approved) ? { ...source, server: `${source.server}-new` } : source,
    );
  }),
);

export const upheaval: fc.Arbitrary<Upheaval> = fc
  .record({
    changes: fc.array(change, { maxLength: 3 }),
    style: fc.option(fc.constantFrom(...NAMING_STYLES), { nil: undefined }),
    as: alias,
    isLocked: fc.boolean(),
    pin: fc.option(fc.tuple(rawName, fc.nat()), { nil: undefined }),
    takes: fc.option(fc.nat(), { nil: undefined }),
    rename: fc.option(fc.tuple(rawName, fc.nat()), { nil: undefined }),
    label: fc.option(fc.constantFrom("a", "sf", "crm"), { nil: undefined }),
  })
  .map(({ changes, style, as, isLocked, pin, takes, rename, label }): Upheaval => {
    return (list, before, approved, profile) => {
      const next = changes.reduce((present, apply) => apply(present, approved), list);
      const canonicals = buildCatalog(next).tools.map(({ canonical }) => canonical);
      const targetOf = (at: number): string =>
        canonicals[at % Math.max(1, canonicals.length)] ?? "none@1/none@1";
      // The name the approved tool had is pinned to, or declared to be, any other.
      const name = before.namesFor(profile).nameOf(approved) ?? "none";
      const pins: [string, string][] = [
        ...(pin === undefined ? [] : [[pin[0], targetOf(pin[1])] satisfies [string, string]]),
        ...(takes === undefined ? [] : [[name, targetOf(takes)] satisfies [string, string]]),
      ];
      const renames = [
        ...(rename === undefined ? [] : [{ from: rename[0], to: targetOf(rename[1]) }]),
        ...(rename === undefined || takes !== undefined ? [] : [{ from: name, to: targetOf(rename[1] + 1) }]),
      ];
      const options: SnapshotOptions = {
        as,
        renames,
        pins: Object.fromEntries(pins),
        ...(style === undefined ? {} : { style }),
        ...(isLocked ? { lock: before.nextLock([profile]) } : {}),
        ...(label === undefined ? {} : { aliases: { [approved.integration]: label } }),
      };
      return buildSnapshot(next, options);
    };
  });

function isOwner(source: ToolSource, { server, toolbox }: Tool): boolean {
  return source.server === server && source.toolbox === toolbox;
}

/** Changes the approved tool where it is listed. */
function edit(
  list: readonly ToolSource[],
  approved: Tool,
  change: (tool: ListedTool) => ListedTool,
): readonly ToolSource[] {
  return list.map((source) => {
    if (!isOwner(source, approved)) return source;
    const tools = source.tools.map((tool) => {
      const listed = typeof tool === "string" ? { name: tool } : tool;
      return listed.name === approved.raw ? change(listed) : listed;
    });
    return { ...source, tools };
  });
}

/** Ways to write a name that some reader takes for the same. */
function reencodings(): readonly ((raw: string, tool: Tool) => string)[] {
  return [
    (raw) => raw.toUpperCase(),
    (raw) => raw.toLowerCase(),
    (raw) => `${raw}_2`,
    (raw) => ` ${raw}`,
    (raw) => raw.normalize("NFD"),
    (raw) => raw.replaceAll(".", "__"),
    (raw) => raw.replaceAll("_", "."),
    (raw) => raw.replaceAll("/", "%2F"),
    (raw, { label }) => `${label}_${raw}`,
    (raw, { server }) => `mcp__${server}__${raw}`,
    (_, { canonical }) => canonical,
    (_, { canonical }) => canonical.replaceAll("@", "%40").replace("/", "~"),
  ];
}
