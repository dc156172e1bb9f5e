// What is told from two tables must be what all tables say: the names of every profile, no more claims and no fewer.

import fc from "fast-check";
import { it } from "vitest";
import {
  EMPTY_LOCK,
  listProfiles,
  NAMING_STYLES,
  type Profile,
  type ToolSource,
} from "../../packages/core/src/index.js";
import { nameVariants } from "../../packages/core/src/naming/fit/name-variants.js";
import { buildCatalog, buildNamingTable, type NamingOptions } from "../../packages/core/src/naming/index.js";
import { isLong } from "../long-runs.js";
import { isThorough } from "./law-runs.js";
import { alias, sources } from "./nasty.js";

const profiles = listProfiles();

/** Nothing but separators, and one more than fits: once cut otherwise where a name starts with a letter. */
const SEPARATORS: [readonly ToolSource[], undefined, string, undefined, never[]] = [
  [{ server: "", alias: "sf", tools: ["-".repeat(61)] }],
  undefined,
  "",
  undefined,
  [],
];

/** A name that is reserved once the client has left out its own alias: once told by no variant. */
const OWN_ALIAS: [readonly ToolSource[], "flat", string, undefined, never[]] = [
  [
    { toolbox: "dev", server: "a-b", tools: ["constructor"] },
    { toolbox: "a-b", server: "a-b", tools: ["constructor"] },
  ],
  "flat",
  "a.b",
  undefined,
  [],
];

it("the variants of all profiles hold every name that a full table holds (RES-1) (NAME-4)", () => {
  const style = fc.option(fc.constantFrom(...NAMING_STYLES), { nil: undefined });
  const pin = fc.constantFrom("find it!", "a-b", "a_b", "find_tools", "x@y", "search");
  fc.assert(
    fc.property(
      sources,
      style,
      alias,
      fc.option(pin, { nil: undefined }),
      fc.array(pin),
      (list, style, as, pin, kept) => {
        const catalog = buildCatalog(list);
        const [first] = catalog.tools;
        const options: NamingOptions = {
          as,
          lock: EMPTY_LOCK,
          reserved: new Map(kept.map((name) => [name, "a test"])),
          ...(style === undefined ? {} : { style }),
          ...(pin === undefined || first === undefined ? {} : { pins: new Map([[pin, first.key]]) }),
        };
        const tableOf = (profile: Profile) => buildNamingTable(catalog, profile, options);
        const told = new Set<string>();
        const tableSteps = function* (profile: Profile) {
          yield;
          return tableOf(profile);
        };
        for (const variant of nameVariants({ profiles, as, tableSteps, isLocked: () => false })) {
          for (const { name, tool } of variant?.named ?? []) told.add(`${tool.key} ${name}`);
        }
        for (const profile of profiles) {
          for (const { name, tool } of tableOf(profile).tools) {
            const isTold = told.has(`${tool.key} ${name}`) || name === tool.canonical;
            if (!isTold) throw new Error(`${JSON.stringify(name)} of ${profile.id} is told by no variant`);
          }
        }
      },
    ),
    // Each case makes a hundred tables.
    { numRuns: isThorough ? 20_000 : isLong ? 1_000 : 150, examples: [SEPARATORS, OWN_ALIAS] },
  );
});
