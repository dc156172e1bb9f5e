import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import { createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { buildSettings, profileNamed, serverOf, snapshotOf } from "../testing/test-callers.js";
import {
  createRecentMap,
  createToolLists,
  type ListChoice,
  MAX_LIST_BYTES,
  PAGE_ENTRIES,
} from "./tool-lists.js";

function choice(id: string, with_: Partial<ListChoice> = {}): ListChoice {
  return { profile: profileNamed(id), as: undefined, era: "legacy", toolboxes: undefined, ...with_ };
}

function entriesOf(
  downstreams: Parameters<typeof snapshotOf>[0]["downstreams"],
  id: string,
  with_ = {},
): JsonObject[] {
  const page = createToolLists(snapshotOf({ downstreams })).page(choice(id, with_), undefined);
  return JSON.parse(`[${page?.entries}]`);
}

const long = `do_${"very_".repeat(12)}long_thing`;

describe("an entry (GW-2, BOX-5)", () => {
  it("is canonical for a profile that takes canonical names, with the other names beside it", () => {
    const [entry] = entriesOf([createMemoryDownstream({ tools: toolsNamed("read_file") })], "canonical");
    expect(entry).toMatchObject({
      name: "fs@1/read_file@1",
      openai_name: "fs_read_file",
      source_server: "fs",
      _meta: {
        "onym/canonicalName": "fs@1/read_file@1",
        "onym/openaiName": "fs_read_file",
        source_server: "fs",
        original_name: "read_file",
      },
    });
    for (const absent of ["canonical_name", "cursor_name", "toolbox_name"])
      expect(entry).not.toHaveProperty(absent);
    expect(entry?.["_meta"]).not.toHaveProperty("onym/cursorName");
  });

  it("shows Cursor's name where it differs from OpenAI's", () => {
    const [entry] = entriesOf([createMemoryDownstream({ tools: toolsNamed(long) })], "canonical");
    expect(entry?.["cursor_name"]).toEqual(expect.any(String));
    expect(entry?.["cursor_name"]).not.toBe(entry?.["openai_name"]);
    expect(entry?.["_meta"]).toMatchObject({ "onym/cursorName": entry?.["cursor_name"] });
  });

  it("is the public name for other profiles, with the canonical one beside it", () => {
    const boxed = createMemoryDownstream({ tools: toolsNamed("read_file") }, { toolbox: "dev" });
    const [entry] = entriesOf([boxed], "openai");
    expect(entry).toMatchObject({
      name: "dev__fs__read_file",
      canonical_name: "dev:fs@1/read_file@1",
      source_server: "fs",
      toolbox_name: "dev",
      _meta: { "onym/openaiName": "dev__fs__read_file", toolbox_name: "dev", original_name: "read_file" },
    });
    for (const absent of ["openai_name", "cursor_name"]) expect(entry).not.toHaveProperty(absent);
  });

  it("mentions other tools by the names of this list", () => {
    const tools = [{ name: "a_tool", description: "After b_tool, or `b_tool`." }, { name: "b_tool" }];
    const [entry] = entriesOf([createMemoryDownstream({ tools })], "openai");
    expect(entry?.["description"]).toBe("After fs_b_tool, or `fs_b_tool`.");
  });

  it("mentions a tool that the caller does not see as a word like others (POL-1)", () => {
    const mention = "After b_tool, `c_tool` or d_tool.";
    const tools = [
      { name: "a_tool", description: mention, inputSchema: { type: "object", description: mention } },
      { name: "b_tool", description: mention },
      { name: "c_tool" },
    ];
    const lists = createToolLists(snapshotOf({ downstreams: [createMemoryDownstream({ tools })] }));
    const shownTo = (...hidden: readonly string[]) => {
      const visibility = {
        key: hidden.join(),
        sees: ({ raw }: { readonly raw: string }) => !hidden.includes(raw),
      };
      const seen = choice("openai", hidden.length === 0 ? {} : { visibility });
      return JSON.parse(`[${lists.page(seen, undefined)?.entries}]`).map((entry: JsonObject) => [
        entry["description"],
        (entry["inputSchema"] as JsonObject)["description"],
      ]);
    };
    const [all, some, few] = [shownTo(), shownTo("c_tool"), shownTo("b_tool", "c_tool")];
    const whole = "After fs_b_tool, `fs_c_tool` or d_tool.";
    expect(all[0]).toEqual([whole, whole]);
    const part = "After fs_b_tool, `c_tool` or d_tool.";
    expect(some).toEqual([
      [part, part],
      [part, undefined],
    ]);
    expect(few).toEqual([[mention, mention]]);
    expect(shownTo()).toEqual(all);
  });

  it("mentions them so in the descriptions of parameters, too (GW-9)", () => {
    const schema = (mention: string, own: string) => ({
      type: "object",
      description: `From ${mention}.`,
      properties: {
        b_tool: { type: "string", description: `Of \`${mention}\`; not "${own}".`, default: "b_tool" },
        list: {
          type: "array",
          items: { anyOf: [{ description: `A "${mention}"`, enum: ["b_tool"], title: "b_tool" }] },
        },
        description: { type: "string", examples: ["call b_tool"], const: "b_tool" },
      },
      $defs: { deep: { description: `${mention}, é`, properties: {} } },
    });
    const raw = {
      name: "a_tool",
      inputSchema: schema("c_tool", "b_tool"),
      outputSchema: schema("c_tool", "b_tool"),
    };
    const tools = [raw, { name: "b_tool" }, { name: "c_tool" }];
    for (const era of ["modern", "legacy"]) {
      const [entry] = entriesOf([createMemoryDownstream({ tools })], "openai", { era });
      expect(JSON.stringify(entry?.["inputSchema"])).toBe(JSON.stringify(schema("fs_c_tool", "b_tool")));
    }
    const [tool] = snapshotOf({ downstreams: [createMemoryDownstream({ tools })] }).tools.catalog.tools;
    expect(tool?.definition.inputSchema).toEqual(raw.inputSchema);
  });
});

describe("pages", () => {
  const many = Array.from({ length: PAGE_ENTRIES + 2 }, (_, n) => ({
    name: `t${String(n).padStart(6, "0")}`,
  }));
  const lists = createToolLists(snapshotOf({ downstreams: [createMemoryDownstream({ tools: many })] }));

  it("hold every tool once, in order", () => {
    const first = lists.page(choice("canonical"), undefined);
    const second = lists.page(choice("canonical"), first?.nextCursor);
    expect(second?.nextCursor).toBeUndefined();
    const names = JSON.parse(`[${first?.entries},${second?.entries}]`).map(({ name }: JsonObject) => name);
    expect(names).toEqual(many.map(({ name }) => `fs@1/${name}@1`));
  });

  it("come after no cursor that no list gave out", () => {
    const { nextCursor = "" } = lists.page(choice("canonical"), undefined) ?? {};
    for (const cursor of [
      "",
      "x",
      "!!",
      `${nextCursor}=`,
      `${nextCursor}A`,
      Buffer.from("__proto__").toString("base64url"),
    ])
      expect(lists.page(choice("canonical"), cursor)).toBeUndefined();
  });

  it("go on after the same tool when others come and go", () => {
    const { nextCursor } = lists.page(choice("canonical"), undefined) ?? {};
    const fewer = createMemoryDownstream({ tools: many.slice(5) });
    const page = createToolLists(snapshotOf({ downstreams: [fewer] })).page(choice("canonical"), nextCursor);
    expect(JSON.parse(`[${page?.entries}]`)).toHaveLength(2);
  });
});

describe("a large list (SAFE-4)", () => {
  const many = Array.from({ length: 5_000 }, (_, n) => ({ name: `t${n}`, description: "Like t1." }));
  const snapshot = snapshotOf({ downstreams: [createMemoryDownstream({ tools: many })] });

  it("is made in slices as it is made at once, while others have their turn", async () => {
    const lists = createToolLists(snapshot);
    let turns = 0;
    const count = setImmediate(function again() {
      turns += 1;
      if (turns < 1_000) setImmediate(again);
    });
    const made = lists.prepare(choice("claude-code"));
    expect(lists.prepare(choice("claude-code"))).toBe(made);
    await made;
    clearImmediate(count);
    expect(turns).toBeGreaterThan(1);
    expect(lists.prepare(choice("claude-code"))).toBeUndefined();
    const atOnce = createToolLists(snapshotOf({ downstreams: [createMemoryDownstream({ tools: many })] }));
    expect(lists.digest(choice("claude-code"))).toBe(atOnce.digest(choice("claude-code")));
    expect(lists.page(choice("claude-code"), undefined)).toEqual(
      atOnce.page(choice("claude-code"), undefined),
    );
  });

  it("is made in the turn of its caller, or in one of its own once another waits for it, too (SAFE-5)", async () => {
    const lists = createToolLists(snapshot);
    const ready: string[] = [];
    const prepare = (as: string, callerKey: string) =>
      lists.prepare(choice("openai", { as, callerKey }))?.then(() => ready.push(`${callerKey} ${as}`));
    const flood = ["1", "2", "3", "4", "5", "6", "7", "8"].map((as) => prepare(as, "flood"));
    await Promise.all([...flood, prepare("own", "other"), prepare("8", "other")]);
    expect(ready.slice(0, 3).toSorted()).toEqual(["flood 8", "other 8", "other own"]);
  });

  it("is not waited for where there is little to do", () => {
    const few = createToolLists(
      snapshotOf({ downstreams: [createMemoryDownstream({ tools: many.slice(0, 999) })] }),
    );
    expect(few.prepare(choice("openai"))).toBeUndefined();
    expect(createToolLists(snapshot).prepare(choice("openai", { toolboxes: "none" }))).toBeUndefined();
  });
});

describe("what is shown", () => {
  const boxes = [
    createMemoryDownstream({ tools: toolsNamed("a") }),
    createMemoryDownstream({ tools: toolsNamed("b") }, { toolbox: "dev" }),
    createMemoryDownstream({ tools: toolsNamed("c") }, { toolbox: "none" }),
  ];
  const raws = (toolboxes: ListChoice["toolboxes"]): readonly unknown[] =>
    entriesOf(boxes, "openai", { toolboxes }).map((entry) => (entry["_meta"] as JsonObject)["original_name"]);

  it("is everything, the open toolboxes, or nothing (GW-10)", () => {
    expect(raws(undefined)).toEqual(expect.arrayContaining(["a", "b", "c"]));
    expect(raws([])).toEqual(["a"]);
    expect(raws(["dev"])).toEqual(["a", "b"]);
    expect(raws(["none"])).toEqual(["a", "c"]);
    expect(raws("none")).toEqual([]);
  });
});

describe("lists that are kept (SAFE-4)", () => {
  /** Memory that nobody writes to is not taken. */
  const listsOf = (...sizes: readonly number[]): readonly string[] => {
    const map = createRecentMap<{ readonly key: string; readonly bytes: Buffer }>(({ bytes }) => bytes);
    for (const [index, size] of sizes.entries())
      map.take(String(index), () => ({ key: String(index), bytes: Buffer.allocUnsafeSlow(size) }));
    return map.recent().map(({ key }) => key);
  };
  const part = MAX_LIST_BYTES / 4;

  it.each([
    ["one below", -1, ["2", "1", "0"]],
    ["at", 0, ["2", "1", "0"]],
    ["one above", 1, ["2", "1"]],
  ])(
    "are those used last, %s the limit of their bytes (limits: MAX_LIST_BYTES of tool-lists)",
    (_, more, kept) => {
      expect(listsOf(part, part, 2 * part + more)).toEqual(kept);
    },
  );

  it("are two, however large", () => {
    expect(listsOf(MAX_LIST_BYTES, MAX_LIST_BYTES, MAX_LIST_BYTES)).toEqual(["2", "1"]);
  });

  it.each([
    ["one below", 23, 23],
    ["at", 24, 24],
    ["one above", 25, 24],
  ])("are at most 24: %s", (_, count, kept) => {
    expect(listsOf(...Array.from({ length: count }, () => 1))).toHaveLength(kept);
  });

  it("count once where they are the same", () => {
    const bytes = Buffer.allocUnsafeSlow(MAX_LIST_BYTES);
    const map = createRecentMap<{ readonly bytes: Buffer }>(({ bytes: held }) => held);
    for (const key of ["a", "b", "c"]) map.take(key, () => ({ bytes }));
    expect(map.recent()).toHaveLength(3);
  });
});

describe("the digest (GW-7)", () => {
  const tools = toolsNamed("a", "b");
  const digestOf = (offer: readonly JsonObject[], id = "openai", server = "fs"): string =>
    createToolLists(
      snapshotOf({ downstreams: [createMemoryDownstream({ tools: offer }, { server })] }),
    ).digest(choice(id));

  it("is the same from start to start, whatever the order they come in (GW-4)", () => {
    expect(digestOf(tools.toReversed())).toBe(digestOf(tools));
    expect(digestOf(tools.map((tool) => ({ ...tool })))).toBe(digestOf(tools));
  });

  it.each([
    ["a tool is added", [...tools, { name: "c" }]],
    ["a tool goes", tools.slice(1)],
    ["a tool is renamed", [{ ...tools[0], name: "aa" }, ...tools.slice(1)]],
    ["a description changes", [{ ...tools[0], description: "Other" }, ...tools.slice(1)]],
    [
      "a schema changes",
      [{ ...tools[0], inputSchema: { type: "object", required: ["x"] } }, ...tools.slice(1)],
    ],
    ["an annotation changes", [{ ...tools[0], annotations: { readOnlyHint: true } }, ...tools.slice(1)]],
  ])("changes when %s", (_, changed) => {
    expect(digestOf(changed)).not.toBe(digestOf(tools));
  });

  it("changes with the server's name, because names do", () => {
    expect(digestOf(tools, "openai", "disk")).not.toBe(digestOf(tools));
  });

  it("does not change with a server that has nothing to show here", () => {
    const fs = createMemoryDownstream({ tools });
    const down = createMemoryDownstream(undefined, { server: "other" });
    const settings = buildSettings({ servers: [serverOf(fs), serverOf(down)] });
    const alone = createToolLists(snapshotOf({ downstreams: [fs] })).digest(choice("openai"));
    expect(createToolLists(snapshotOf({ downstreams: [fs, down], settings })).digest(choice("openai"))).toBe(
      alone,
    );
  });
});

describe("digests (GW-7)", () => {
  it("of more kinds of callers than lists are kept are made once, whatever the size (SAFE-4)", async () => {
    const lists = createToolLists(
      snapshotOf({ downstreams: [createMemoryDownstream({ tools: toolsNamed("read_file") })] }),
    );
    const kinds = Array.from({ length: 50 }, (_, n) => choice("openai", { toolboxes: [`box_${n}`] }));
    for (const kind of kinds) {
      expect(lists.prepareDigest(kind)).toBeInstanceOf(Promise);
      await lists.prepareDigest(kind);
    }
    expect(kinds.filter((kind) => lists.prepareDigest(kind) !== undefined)).toEqual([]);
    expect(new Set(kinds.map(lists.digest)).size).toBe(1);
  });
});
