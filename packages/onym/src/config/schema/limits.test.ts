import { expect, it } from "vitest";
import { LIMIT_TABLE } from "../limit-table.js";
import { DEFAULT_LIMITS, type Limits, limitsOf } from "../limits.js";
import { configFile } from "./config-schema.js";

it("fills in what a config does not say, and nothing else", () => {
  expect(limitsOf()).toEqual(DEFAULT_LIMITS);
  expect(limitsOf({ callMs: 7, pending: undefined })).toEqual({ ...DEFAULT_LIMITS, callMs: 7 });
});

it("has a default for every limit that a config may hold", () => {
  const { limits } = configFile.shape;
  expect(Object.keys(limits.def.innerType.shape)).toEqual(Object.keys(DEFAULT_LIMITS));
});

it("is documented in docs/limits.md, which is written with vitest -u (SAFE-4)", async () => {
  await expect(formatDocs()).toMatchFileSnapshot("../../../../../docs/limits.md");
});

function formatDocs(): string {
  const names = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
  const rows = names.map((name) => {
    const { counts, beyond } = LIMIT_TABLE[name];
    return [`\`${name}\``, DEFAULT_LIMITS[name].toLocaleString("en"), unitOf(name), counts, beyond];
  });
  return [
    "# Limits",
    "",
    "Every limit of `limits` in the [config](config.md#limits): whole numbers, all optional. Those that begin with `caller` are",
    "the share of one caller ([0054](decisions/0054-shares-of-callers.md)): who has proved who it is, else the address it connects",
    "from. Other callers and servers do not notice when one of them meets its limit. A refusal names the limit where it helps:",
    "`data.limit`, `data.max`, `data.retryAfterMs`.",
    "",
    ...formatRows([["limit", "default", "unit", "what is counted", "what becomes of more"], ...rows]),
    "",
    "Not to be set: 16 pipelined requests on one connection, 32 KiB of headers, 256 requests in flight in one",
    "session, 100 messages in a batch, 1,000 levels of nesting (an entry of a list that is nested deeper is left out alone, with a",
    "problem; a result of a call that is comes to an error), 20,000 JSON values in one message beside the arguments and the result of a call",
    "(which are passed on unread), and the [pace](decisions/0076-pace-of-servers.md) at which a server is read.",
    "",
    "## What large lists cost",
    "",
    "No turn of the event loop should take longer than 50 ms. Work on lists is [sliced](decisions/0082-large-catalogs-in-slices.md), and",
    "so are [catalogs, tables and views](decisions/0113-views-in-slices.md). What is left in one piece (the compression of large",
    "inventories, parts of the index of spellings, one garbage collection) grows with the number of entries, which is why `listEntries` is",
    "[10,000](decisions/0100-ten-thousand-entries.md). The longest turn, in ms of CPU time of the process, garbage collection and",
    "compilation on other threads included, with one server, code that is not compiled yet, one run on two cores that others used as well:",
    "",
    "| moment                                   | 10,000 tools | the same before views were sliced |",
    "| ---------------------------------------- | -----------: | --------------------------------: |",
    "| the server starts and is listed          |          118 |                                80 |",
    "| the first list of the first client       |           40 |                               141 |",
    "| the first list of another kind of client |           21 |                                83 |",
    "| the first name that is not a public one  |          100 |                                97 |",
    "| the server says that its list changed    |           87 |                                85 |",
    "| the first list after that                |           27 |                               177 |",
    "",
  ].join("\n");
}

/** As the formatter of the project writes a table. */
function formatRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = (column: number): boolean => column === 1;
  const format = (row: readonly string[]): string =>
    `| ${row.map((cell, n) => (isNumber(n) ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, n) => (isNumber(n) ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  const [head = [], ...rest] = rows;
  return [format(head), format(rule), ...rest.map(format)];
}

function unitOf(name: string): string {
  if (name.endsWith("Ms")) return "ms";
  if (name.endsWith("Bytes")) return "bytes";
  return name.endsWith("Rate") ? "a second" : "";
}
