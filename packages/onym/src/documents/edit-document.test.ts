import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Edit } from "./edit.js";
import { applyEdit, type DocumentFormat, editDocument, isSame, readDocument } from "./edit-document.js";

const ENTRY = { command: "npx", args: ["-y", "onym"] };

function edited(text: string, format: DocumentFormat, ...edits: readonly Edit[]): string {
  const result = editDocument(text, format, edits);
  return result.ok ? result.text : `refused: ${result.reason}`;
}

const lines = (...parts: readonly string[]): string => `${parts.join("\n")}\n`;

describe("JSON", () => {
  const TEXT = lines(
    "{",
    "  // of mine",
    '  "mcpServers": {',
    '    "files": { "command": "a" }, // note of files',
    "    // about git",
    '    "git": { "command": "b" } /* the last */',
    "  },",
    '  "theme": "dark", // kept',
    "}",
  );

  it("adds behind the last entry and its comment (LOCK-7)", () => {
    expect(edited(TEXT, "json", { path: ["mcpServers", "onym"], value: ENTRY })).toBe(
      TEXT.replace(
        '"git": { "command": "b" } /* the last */',
        '"git": { "command": "b" }, /* the last */\n    "onym": {\n      "command": "npx",\n      "args": ["-y", "onym"]\n    }',
      ),
    );
  });

  it("removes an entry with its comma and the comment on its line, and nothing else", () => {
    const first = edited(TEXT, "json", { path: ["mcpServers", "files"] });
    expect(first).toBe(TEXT.replace('    "files": { "command": "a" }, // note of files\n', ""));
    const last = edited(TEXT, "json", { path: ["mcpServers", "git"] });
    expect(last).toBe(
      TEXT.replace('{ "command": "a" },', '{ "command": "a" }').replace(
        '    "git": { "command": "b" } /* the last */\n',
        "",
      ),
    );
  });

  it("keeps a trailing comma where that is the habit", () => {
    expect(edited(TEXT, "json", { path: ["other"], value: 1 })).toContain(
      '"theme": "dark", // kept\n  "other": 1,\n}',
    );
  });

  it.each([
    ["", '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ["{}", '{\n  "a": {\n    "b": 1\n  }\n}'],
    ['{"x":1}', '{"x":1, "a": {"b":1}}'],
    ['{"x":1,}', '{"x":1, "a": {"b":1},}'],
    ['\uFEFF{\r\n\t"x": 1\r\n}\r\n', '\uFEFF{\r\n\t"x": 1,\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n'],
    ["{\n  // nothing yet\n}", '{\n  // nothing yet\n  "a": {\n    "b": 1\n  }\n}'],
    ['{"a": {}}', '{"a": {\n  "b": 1\n}}'],
  ])("adds to %j", (before, after) => {
    expect(edited(before, "json", { path: ["a", "b"], value: 1 })).toBe(after);
  });

  it("changes lists of texts item by item", () => {
    const list = lines("{", '  "allow": [', '    "one", // first', "    // second", '    "two"', "  ]", "}");
    expect(edited(list, "json", { path: ["allow"], value: ["two", "three"] })).toBe(
      lines("{", '  "allow": [', "    // second", '    "two",', '    "three"', "  ]", "}"),
    );
  });

  it.each([
    ['{ "a": 1, "a": {} }', "a"],
    ['{ "a": [] }', "a"],
    ['{ "a": ', "line 1"],
    ["[1]", "a"],
  ])("refuses %s rather than guess", (text, reason) => {
    const result = editDocument(text, "json", [{ path: ["a", "b"], value: 1 }]);
    expect(result.ok ? result.text : result.reason).toContain(reason);
    expect(result.ok).toBe(false);
  });
});

describe("TOML", () => {
  const TEXT = lines(
    "# mine",
    'model = "x" # of the day',
    "",
    "[mcp_servers.files]",
    'command = "a"',
    "args = [",
    '  "[mcp_servers.git]",',
    "]",
    "",
    "[mcp_servers.files.env]",
    'KEY = """',
    "[mcp_servers.git]",
    '"""',
    "",
    "# about git",
    '[mcp_servers."my git"] # note',
    'command = "b"',
    "",
    "[tui]",
    "notifications = true",
  );

  it("removes a table with its parts, and keeps the comment of the next", () => {
    const start = TEXT.indexOf("[mcp_servers.files]");
    const end = TEXT.indexOf("# about git");
    expect(edited(TEXT, "toml", { path: ["mcp_servers", "files"] })).toBe(
      TEXT.slice(0, start) + TEXT.slice(end),
    );
  });

  it("adds beside its kind", () => {
    const after = edited(TEXT, "toml", { path: ["mcp_servers", "onym"], value: ENTRY });
    expect(after).toBe(
      TEXT.replace(
        'command = "b"\n\n',
        'command = "b"\n\n[mcp_servers.onym]\ncommand = "npx"\nargs = [ "-y", "onym" ]\n\n',
      ),
    );
  });

  it("adds to and takes from a list of tables", () => {
    const list = lines("mcp_servers = []", 'theme = "x"', "", "[tools]", "a = 1");
    const one = edited(list, "toml", {
      path: ["mcp_servers", { name: "onym" }],
      value: { name: "onym", ...ENTRY },
    });
    expect(one).toContain('[[mcp_servers]]\nname = "onym"');
    const two = edited(one, "toml", {
      path: ["mcp_servers", { name: "b" }],
      value: { name: "b", env: { X: "1" } },
    });
    expect(edited(two, "toml", { path: ["mcp_servers", { name: "onym" }] })).toMatch(
      /\[\[mcp_servers\]\]\nname = "b"/,
    );
    expect(edited(two, "toml", { path: ["mcp_servers", { name: "b" }] }).trim()).toBe(one.trim());
  });

  it("refuses what is written inline", () => {
    expect(
      edited('mcp_servers = { files = { command = "a" } }', "toml", { path: ["mcp_servers", "files"] }),
    ).toMatch(/^refused: mcp_servers.files cannot be changed in place/);
    expect(edited("a = ", "toml", { path: ["b"], value: {} })).toBe("refused: line 1: it is not TOML");
  });
});

describe("YAML", () => {
  const TEXT = lines(
    "# mine",
    "extensions:",
    "  files: # note",
    "    cmd: a",
    "    args: [x]",
    "  # about git",
    "  git:",
    "    cmd: b",
    "",
    "GOOSE_MODEL: gpt # kept",
  );

  it("removes an entry, and keeps the comment of the next", () => {
    expect(edited(TEXT, "yaml", { path: ["extensions", "files"] })).toBe(
      TEXT.replace("  files: # note\n    cmd: a\n    args: [x]\n", ""),
    );
  });

  it("adds behind the last entry", () => {
    expect(edited(TEXT, "yaml", { path: ["extensions", "onym"], value: ENTRY })).toBe(
      TEXT.replace("    cmd: b\n", '    cmd: b\n  onym:\n    command: "npx"\n    args: ["-y", "onym"]\n'),
    );
  });

  it.each([
    ["", 'a:\n  - name: "b"\n'],
    ["x: 1", 'x: 1\na:\n  - name: "b"\n'],
    ["a:", 'a:\n  - name: "b"\n'],
    ["a: [] # none\nx: 1\n", 'a: # none\n  - name: "b"\nx: 1\n'],
    ["a:\n- name: c\n  k: 1\nx: 1\n", 'a:\n- name: c\n  k: 1\n- name: "b"\nx: 1\n'],
    ['{"a": []}', '{"a": [\n  {\n    "name": "b"\n  }\n]}'],
  ])("adds to a list in %j", (before, after) => {
    expect(edited(before, "yaml", { path: ["a", { name: "b" }], value: { name: "b" } })).toBe(after);
  });

  it("refuses what is written inline or is none", () => {
    expect(edited("a: {b: {c: 1}}\n", "yaml", { path: ["a", "x"], value: 1 })).toContain("refused");
    expect(edited("a: [\n", "yaml", { path: ["a"], value: 1 })).toMatch(/^refused: line \d: it is not YAML/);
  });
});

describe("any edits of any file", () => {
  const key = fc.constantFrom(
    "files",
    "git",
    "my git",
    "__proto__",
    "constructor",
    "é",
    "a.b",
    'q"t',
    "onym",
  );
  const entry = fc.record(
    {
      command: fc.string({ unit: "grapheme" }),
      args: fc.array(fc.string({ unit: "grapheme", maxLength: 8 }), { maxLength: 3 }),
      env: fc.dictionary(fc.stringMatching(/^[A-Z]{1,4}$/), fc.string({ maxLength: 6 }), { maxKeys: 2 }),
    },
    { requiredKeys: ["command"] },
  );
  const edits = fc.array(
    fc
      .tuple(key, fc.option(entry, { nil: undefined }))
      .map(([id, value]): Edit => ({ path: ["servers", id], value })),
    { maxLength: 6 },
  );
  const STARTS: Readonly<Record<DocumentFormat, readonly string[]>> = {
    json: [
      "",
      "{}",
      '{\n  // top\n  "servers": {\n    "git": {"command": "x"}, // end\n  },\n  "k": [1, 2] /* tail */\n}\n',
    ],
    toml: ["", '# top\nk = [\n1, # one\n]\n\n[servers.git]\ncommand = "x" # end\n\n[tail]\na = 1\n'],
    yaml: [
      "",
      "# top\nk: [1, 2] # list\nservers:\n  # above\n  git:\n    command: x # end\ntail: 1 # tail\n",
    ],
  };

  it.each(["json", "toml", "yaml"] as const)(
    "say what was meant, and leave comments alone: %s (LOCK-7)",
    (format) => {
      fc.assert(
        fc.property(fc.constantFrom(...STARTS[format]), edits, (start, list) => {
          const result = editDocument(start, format, list);
          if (!result.ok) return false;
          const after = readDocument(result.text, format);
          const before = readDocument(start, format);
          const meant = list.reduce(applyEdit, before.ok ? before.value : undefined);
          const comments = start.match(/(?:\/\/|#|\/\*) (?:top|one|list|tail|above)/g) ?? [];
          return (
            after.ok && isSame(after.value, meant) && comments.every((text) => result.text.includes(text))
          );
        }),
        { numRuns: 100 },
      );
    },
  );
});

describe("isSame", () => {
  it("looks at each member once, however deep it is", () => {
    const deep = (end: unknown) => Array.from({ length: 60 }).reduce<unknown>((inner) => ({ a: inner }), end);
    expect([isSame(deep(1), deep(1)), isSame(deep(1), deep(2))]).toEqual([true, false]);
  });

  const day = new Date("2026-11-17T00:00:00Z");
  it.each([
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: {}, b: [], c: null, d: undefined, e: { f: {} } }, {}, true],
    [undefined, {}, true],
    [[null, {}], [[], null], true],
    [day, day.toJSON(), true],
    [day, {}, false],
    [Number.NaN, null, true],
    [{ a: 0 }, {}, false],
    [{ a: "" }, {}, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [[1], { 0: 1 }, false],
    [[1, 2], [1], false],
    [1, "1", false],
    [JSON.parse('{"__proto__":1}'), {}, false],
  ])("%j and %j: %j", (one, other, expected) => {
    expect([isSame(one, other), isSame(other, one)]).toEqual([expected, expected]);
  });
});
