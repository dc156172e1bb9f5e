import { expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import { runSteps } from "../../names/steps.js";
import { findProfile } from "../../profiles/find-profile.js";
import type { Profile } from "../../profiles/profile.js";
import type { NamedTool } from "../assign/assign-names.js";
import { buildNamingTable } from "../build-naming-table.js";
import { namesMeet } from "./name-variants.js";

const catalog = buildCatalog([{ server: "a", tools: ["x-y", "y", "z"] }]);
const reserved = new Map([
  ["kept-one", "a test"],
  ["kept_one", "a test"],
]);
const table = buildNamingTable(catalog, findProfile("openai") as Profile, { reserved });

const equateHyphens = (name: string): string => name.replaceAll("-", "_");
const tellApart = (name: string): string => name;

it.each<[string, Readonly<Record<number, string>>, boolean]>([
  ["no name changed", {}, false],
  ["one that stays apart", { 1: "a_v" }, false],
  ["one that another looks like", { 1: "a_x_y" }, true],
  ["one that looks like another", { 2: "a_x_y" }, true],
  ["the one that it looked like changed too", { 0: "a_w", 2: "a_x_y" }, false],
  ["two that look alike", { 1: "a-v", 2: "a_v" }, true],
  ["one that looks like what nobody may have", { 1: "kept_one" }, true],
])("with %s, a client that equates hyphens confuses names: %j is %j (RULE-5)", (_, changed, meet) => {
  const change = {
    positions: Object.keys(changed).map(Number),
    names: Object.entries(changed).map(
      ([at, name]): NamedTool => ({ ...(table.tools[Number(at)] as NamedTool), name }),
    ),
  };
  expect(runSteps(namesMeet(equateHyphens, table, change))).toBe(meet);
  expect(runSteps(namesMeet(tellApart, table, change))).toBe(false);
});
