// A migration that was printed with --json, read again: for users who have neither the config nor the server.

import { resolve } from "node:path";
import { quoteText, type Rename } from "@onym/core";
import { buildCatalog } from "@onym/core/naming";
import { readTextFile } from "../../../config/files/read-text-file.js";
import { OnymError } from "../../../model/onym-error.js";
import { invertNamePairs, type NamePairs, type Pair } from "./name-pairs.js";
import type { MigratedTool } from "./plan-migration.js";
import type { PlannedMigration } from "./planned-migration.js";

/** @throws OnymError `unreadable-file` for a file that holds no migration. */
export function loadMigrationTable(
  shown: string,
  { cwd, direction }: { readonly cwd: string; readonly direction: "there" | "back" },
): PlannedMigration {
  const read = readTextFile(resolve(cwd, shown));
  if ("reason" in read) throw unreadable(shown, read.reason);
  const value = parseJson(read.text);
  const [from, to, owner, as] = ["from", "to", "owner", "as"].map((key) => textOf(value, key));
  const [rows, pairs] = [field(value, "tools"), pairsIn(field(value, "pairs"))];
  if (from === undefined || to === undefined || pairs === undefined || !Array.isArray(rows))
    throw unreadable(shown, NO_TABLE);
  const tools = rows.map((row: unknown) => readRow(row, shown));
  const renames = field(value, "renames");
  const common = {
    level: textOf(value, "level") === "server" ? ("server" as const) : ("gateway" as const),
    owner: owner ?? "",
    as: as ?? "",
  };
  const titles = { from: textOf(value, "fromTitle") ?? from, to: textOf(value, "toTitle") ?? to };
  if (direction === "there")
    return {
      ...common,
      ...{ from, to, fromTitle: titles.from, toTitle: titles.to, pairs },
      migration: { tools, conflicts: [], ambiguous: [], left: [] },
      ...declaredIn(renames),
    };
  const back = tools.map((row) => ({ ...row, from: row.to, to: row.from, others: [] }));
  return {
    ...common,
    ...{ from: to, to: from, fromTitle: titles.to, toTitle: titles.from },
    pairs: invertNamePairs(pairs),
    migration: { tools: back, conflicts: [], ambiguous: [], left: [] },
    renames: [],
    window: undefined,
  };
}

function declaredIn(renames: unknown): Pick<PlannedMigration, "renames" | "window"> {
  const declared = Array.isArray(renames) ? (renames as readonly Rename[]) : [];
  const { until, since, majors } = declared[0] ?? {};
  const counted = since === undefined ? undefined : { since, ...(majors === undefined ? {} : { majors }) };
  return { renames: declared, window: until === undefined ? counted : { until } };
}

const NO_TABLE = "it is not what onym migrate --json prints";

function readRow(row: unknown, shown: string): MigratedTool {
  const [from, to, server, raw] = ["from", "to", "server", "raw"].map((key) => textOf(row, key));
  if (from === undefined || to === undefined || server === undefined || raw === undefined)
    throw unreadable(shown, NO_TABLE);
  const toolbox = textOf(row, "toolbox");
  const [tool] = buildCatalog([
    { server, tools: [raw], ...(toolbox === undefined ? {} : { toolbox }) },
  ]).tools;
  if (tool === undefined) throw unreadable(shown, `${quoteText(raw)} is no tool`);
  const others = field(row, "others");
  return {
    tool,
    from,
    to,
    others: Array.isArray(others) ? others.filter((one: unknown) => typeof one === "string") : [],
  };
}

/** Lists of two texts: names are never keys. */
export function pairLists({ everywhere, clients, examples }: NamePairs): unknown {
  return {
    everywhere: [...everywhere],
    clients: [...clients].map(([client, pairs]) => ({
      client,
      example: examples.get(client),
      pairs: [...pairs],
    })),
  };
}

function pairsIn(value: unknown): NamePairs | undefined {
  const everywhere = pairList(field(value, "everywhere"));
  const clients = field(value, "clients");
  if (everywhere === undefined || !Array.isArray(clients)) return undefined;
  const read = clients.map((one: unknown) => ({
    id: textOf(one, "client") ?? "",
    pairs: pairList(field(one, "pairs")) ?? [],
    example: pairList([field(one, "example")])?.[0],
  }));
  return {
    everywhere: new Map(everywhere),
    clients: new Map(read.map(({ id, pairs }) => [id, new Map(pairs)])),
    examples: new Map(read.flatMap(({ id, example }) => (example === undefined ? [] : [[id, example]]))),
  };
}

function pairList(value: unknown): readonly Pair[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const pairs = value.flatMap((pair: unknown): readonly Pair[] => {
    const [from, to]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    return typeof from === "string" && typeof to === "string" && from !== "" ? [[from, to]] : [];
  });
  return pairs.length === value.length ? pairs : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function textOf(value: unknown, key: string): string | undefined {
  const text = field(value, key);
  return typeof text === "string" ? text : undefined;
}

function unreadable(file: string, reason: string): OnymError {
  return new OnymError(
    "unreadable-file",
    `${quoteText(file)} holds no migration: ${reason}.`,
    "Name a file that onym migrate --json was written to.",
  );
}
