// The doors between the rooms: who may import whom. Prints each arrow that has no door.

import { posix } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { listFiles, readProjectFile } from "./project-files.js";

interface House {
  /** Room → the rooms it may import. Files directly in `src` are the composition root and see every room. */
  readonly rooms: Readonly<Record<string, readonly string[]>>;
  /** Room → the rooms it may import types from, beside those. */
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** Packages that may be imported, and by which rooms; `*` for all. Others are closed. */
  readonly packages: readonly { readonly name: RegExp; readonly rooms: readonly string[] | "*" }[];
}

interface Import {
  readonly to: string;
  readonly typeOnly: boolean;
  readonly isDynamic: boolean;
}

const CORE: House = {
  rooms: {
    names: [],
    identity: ["names"],
    profiles: ["identity", "names"],
    catalog: ["identity", "names"],
    naming: ["catalog", "profiles", "identity", "names"],
    resolve: ["naming", "catalog", "profiles", "identity", "names"],
    approvals: ["identity", "names"],
    snapshot: ["resolve", "naming", "catalog", "profiles", "approvals", "identity", "names"],
    adapters: ["snapshot", "resolve", "naming", "catalog", "profiles", "approvals", "identity", "names"],
    evidence: ["profiles", "names"],
  },
  types: { approvals: ["catalog"] },
  packages: [{ name: /^@noble\/hashes(\/|$)/, rooms: "*" }],
};

/** What rooms share sees nothing but itself. */
const SHARED = ["model", "mcp"];
const BELOW_CONSOLE = [
  ...SHARED,
  "audit",
  "config",
  "control",
  "store",
  "downstream",
  "oauth",
  "policy",
  "telemetry",
  "output",
  "documents",
  "clients",
  "gateway",
  "configured",
];
const PRODUCT: House = {
  rooms: {
    model: [],
    mcp: [],
    audit: SHARED,
    config: SHARED,
    store: [...SHARED, "audit"],
    control: SHARED,
    downstream: SHARED,
    oauth: SHARED,
    policy: SHARED,
    telemetry: SHARED,
    output: SHARED,
    documents: [...SHARED, "config"],
    clients: [...SHARED, "config", "documents", "output"],
    gateway: [...SHARED, "audit", "downstream", "policy", "telemetry", "store"],
    configured: [
      ...SHARED,
      "audit",
      "config",
      "control",
      "store",
      "downstream",
      "oauth",
      "policy",
      "gateway",
      "output",
    ],
    console: BELOW_CONSOLE,
    serve: [...BELOW_CONSOLE, "console"],
    cli: [...BELOW_CONSOLE, "console", "serve"],
  },
  types: { oauth: ["downstream"] },
  packages: [
    { name: /^zod(\/|$)/, rooms: ["config"] },
    { name: /^(@libsql\/|libsql|pg|postgres|better-sqlite3|node:sqlite)/, rooms: ["store"] },
    { name: /^@modelcontextprotocol\//, rooms: ["downstream", "gateway"] },
    { name: /./, rooms: "*" },
  ],
};

describe("every import goes through a door", () => {
  it.each([
    ["packages/core", CORE],
    ["packages/onym", PRODUCT],
  ])("in %s", (folder, house) => {
    const files = listFiles(`${folder}/src`, ".ts").filter((file) => !file.endsWith(".test.ts"));
    expect(files.flatMap((file) => closedArrows(file, readProjectFile(file), house))).toEqual([]);
  });
});

describe("imports go one way", () => {
  it.each([
    ["packages/core", CORE],
    ["packages/onym", PRODUCT],
  ])("in %s: no two rooms see each other, directly or by others", (_, { rooms, types }) => {
    const seen = (room: string) => [...(rooms[room] ?? []), ...(types[room] ?? [])];
    const above = (room: string, way: readonly string[]): readonly string[] | undefined =>
      way.includes(room)
        ? [...way, room]
        : seen(room)
            .map((other) => above(other, [...way, room]))
            .find((circle) => circle !== undefined);
    expect(Object.keys(rooms).flatMap((room) => above(room, []) ?? [])).toEqual([]);
  });

  it.each([["packages/core"], ["packages/onym"]])("in %s: no file needs itself by a detour", (folder) => {
    const files = listFiles(`${folder}/src`, ".ts").filter((file) => !file.endsWith(".test.ts"));
    expect(findCycle(new Map(files.map((file) => [file, readProjectFile(file)])))).toBeUndefined();
  });

  it("is checked", () => {
    const b = 'import { c } from "./c.js";';
    const cycle = ["a/b.ts", "a/c.ts", "a/b.ts"];
    expect(findCycle(new Map(Object.entries({ "a/b.ts": b, "a/c.ts": "" })))).toBeUndefined();
    const back = 'import type { B } from "./b.js";';
    expect(findCycle(new Map(Object.entries({ "a/b.ts": b, "a/c.ts": back })))).toEqual(cycle);
    const later = 'const load = () => import("./b.js");';
    expect(findCycle(new Map(Object.entries({ "a/b.ts": b, "a/c.ts": later })))).toBeUndefined();
  });
});

describe("the check itself", () => {
  const core = (file: string, source: string) => closedArrows(`packages/core/src/${file}`, source, CORE);
  const product = (file: string, source: string) =>
    closedArrows(`packages/onym/src/${file}`, source, PRODUCT);

  it.each([
    ["an import", core("names/a.ts", 'import { b } from "../catalog/b.js";')],
    ["a type import", core("names/a.ts", 'import type { B } from "../identity/b.js";')],
    ["a re-export", core("catalog/a.ts", 'export * from "../profiles/b.js";')],
    ["a dynamic import", core("profiles/a.ts", 'await import("../naming/b.js");')],
    ["a type in an expression", core("identity/a.ts", 'type B = import("../catalog/b.js").B;')],
    ["an import for its effects", core("naming/a.ts", 'import "../resolve/b.js";')],
    ["a value through a door for types", core("approvals/a.ts", 'import { b } from "../catalog/b.js";')],
    ["the composition root from a room", core("catalog/a.ts", 'import { b } from "../index.js";')],
    ["a room nobody has heard of", core("helpers/a.ts", "")],
    ["a Node builtin in core", core("names/a.ts", 'import fs from "node:fs";')],
    ["a package in core", core("index.ts", 'import { z } from "zod";')],
    ["a package whose name only starts alike", core("names/a.ts", 'import x from "@noble/hashes-fork";')],
    ["zod outside config", product("cli/a.ts", 'import { z } from "zod";')],
    ["a database outside store", product("gateway/a.ts", 'import { createClient } from "@libsql/client";')],
    ["the MCP SDK outside its rooms", product("policy/a.ts", 'import "@modelcontextprotocol/sdk/x.js";')],
    ["core by path", product("cli/a.ts", 'import { b } from "../../../core/src/index.js";')],
    ["config from the gateway", product("gateway/a.ts", 'import { b } from "../config/b.js";')],
    ["the command line from serve", product("serve/a.ts", 'import type { B } from "../cli/b.js";')],
    ["the command line from the console", product("console/a.ts", 'import { b } from "../cli/b.js";')],
    ["serve from the console", product("console/a.ts", 'await import("../serve/b.js");')],
  ])("refuses %s", (_, arrows) => {
    expect(arrows).toHaveLength(1);
  });

  it.each([
    ["its own room", core("names/a.ts", 'import { b } from "./b.js";')],
    ["a folder of its own room", core("profiles/a.ts", 'import { b } from "./builtin/b.js";')],
    ["a room through its door", core("resolve/a.ts", 'import { b } from "../naming/b.js";')],
    ["types through a door for types", core("approvals/a.ts", 'import { type B } from "../catalog/b.js";')],
    ["the hash functions", core("identity/a.ts", 'import { sha256 } from "@noble/hashes/sha2.js";')],
    ["everything from the root", core("index.ts", 'export { a } from "./names/a.js";')],
    ["what only a comment says", core("names/a.ts", '// import { b } from "../catalog/b.js";')],
    ["core from the product", product("policy/a.ts", 'import { b } from "@onym/core";')],
    ["everything from the command line", product("cli/a.ts", 'import { b } from "../store/b.js";')],
  ])("lets through %s", (_, arrows) => {
    expect(arrows).toEqual([]);
  });
});

function closedArrows(file: string, source: string, house: House): readonly string[] {
  const src = file.slice(0, file.indexOf("/src/") + 4);
  const room = roomOf(src, file);
  if (room !== undefined && house.rooms[room] === undefined)
    return [`${file}: "${room}" is no room of the house`];
  return importsOf(file, source)
    .filter((found) => !mayImport(file, src, room, found, house))
    .map(
      ({ to, typeOnly }) =>
        `${file} → ${to}${typeOnly ? " (types)" : ""}: no door from ${room ?? "the root"}`,
    );
}

function mayImport(
  file: string,
  src: string,
  room: string | undefined,
  found: Import,
  house: House,
): boolean {
  if (!found.to.startsWith(".")) {
    const rooms = house.packages.find(({ name }) => name.test(found.to))?.rooms;
    return rooms === "*" || (room !== undefined && rooms?.includes(room) === true);
  }
  const target = posix.join(posix.dirname(file), found.to);
  if (!target.startsWith(`${src}/`)) return false;
  if (room === undefined) return true;
  const other = roomOf(src, target);
  if (other === undefined) return false;
  if (other === room || house.rooms[room]?.includes(other) === true) return true;
  return found.typeOnly && house.types[room]?.includes(other) === true;
}

/** Files of which each imports the next, types included, and the last the first. What is loaded later does not count. */
function findCycle(sources: ReadonlyMap<string, string>): readonly string[] | undefined {
  const done = new Set<string>();
  const search = (file: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { to, isDynamic } of importsOf(file, sources.get(file) ?? "")) {
      const target = posix.join(posix.dirname(file), to).replace(/\.js$/, ".ts");
      const cycle = isDynamic || !sources.has(target) ? undefined : search(target, [...way, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of sources.keys()) {
    const cycle = search(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** The folder of `src` that a file is in; none for a file directly in `src`. */
function roomOf(src: string, file: string): string | undefined {
  const [first, ...rest] = file.slice(src.length + 1).split("/");
  return rest.length === 0 ? undefined : first;
}

function importsOf(file: string, source: string): readonly Import[] {
  const found: Import[] = [];
  const add = (to: ts.Node | undefined, typeOnly: boolean, isDynamic = false) => {
    if (to !== undefined && ts.isStringLiteralLike(to)) found.push({ to: to.text, typeOnly, isDynamic });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, importsTypesOnly(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false, true);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest));
  return found;
}

function importsTypesOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  if (clause.name !== undefined || named === undefined || !ts.isNamedImports(named)) return false;
  return named.elements.every((element) => element.isTypeOnly);
}
