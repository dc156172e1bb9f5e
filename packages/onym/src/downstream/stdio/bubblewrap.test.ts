import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bubblewrapWords, findBubblewrap } from "./bubblewrap.js";
import type { StdioLaunch } from "./start-child.js";

let dir: string;
let home: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "onym-walls-")));
  home = realpathSync(mkdtempSync(join(tmpdir(), "onym-walls-home-")));
});
afterEach(() => {
  for (const folder of [dir, home]) rmSync(folder, { recursive: true });
});

/** Of a server that starts in the folder and may only read there. */
function words(
  hidden: readonly string[],
  more: { readonly env?: readonly (readonly [string, string])[] } = {},
) {
  const sandbox = {
    kind: "bubblewrap",
    home,
    writesCwd: false,
    hidden: hidden.map((name) => join(dir, name)),
    fixed: [],
    folders: [],
  } as const;
  const env = new Map(more.env);
  const launch: StdioLaunch = { kind: "stdio", command: "x", args: [], env, cwd: dir, isolation: sandbox };
  return bubblewrapWords(launch, { ...sandbox, cwd: dir });
}

/** The names in the folder that are shown again. */
function shown(all: readonly string[]): readonly string[] {
  const start = `${dir}/`;
  const destinations = all.filter(
    (word, at) => word.startsWith(start) && /^--(?:ro-bind-try|symlink)$/.test(all[at - 2] ?? ""),
  );
  return destinations.map((word) => word.slice(start.length)).sort();
}

describe.skipIf(process.platform === "win32")("a folder with files of Onym", () => {
  it("is covered, and all else in it is shown: files, folders and links, as they are now", async () => {
    for (const name of ["onym.json", "server.mjs"]) writeFileSync(join(dir, name), "");
    mkdirSync(join(dir, "lib"));
    symlinkSync("nowhere", join(dir, "link"));
    const socket = createServer().listen(join(dir, "socket"));
    await new Promise((resolve) => socket.once("listening", resolve));
    const all = words(["onym.json", "onym.lock"]);
    expect(shown(all)).toEqual(["lib", "link", "server.mjs"]);
    const line = all.join(" ");
    expect(line).toContain(` --tmpfs ${dir} `);
    expect(line).toContain(` --symlink nowhere ${join(dir, "link")} `);
    expect(line).toContain(` --remount-ro ${dir} `);
    await new Promise((resolve) => socket.close(resolve));
  });

  it("shows no drafts and backups of them, nor what editors leave beside them", () => {
    const versions = [
      ".onym.json.1a2b3c4d.tmp",
      ".onym.json.swp",
      "onym.json~",
      "#onym.json#",
      "onym.json.bak",
    ];
    const others = ["onym.jsonc", "my-onym.json", "a.onym.json"];
    for (const name of [...versions, ...others]) writeFileSync(join(dir, name), "");
    expect(shown(words(["onym.json"]))).toEqual([...others].sort());
  });

  it("is that of the name and that of the file, where one is a link to the other", () => {
    mkdirSync(join(dir, "real"));
    writeFileSync(join(dir, "real/config"), "");
    writeFileSync(join(dir, "real/beside"), "");
    symlinkSync("real/config", join(dir, "onym.json"));
    expect(shown(words(["onym.json"]))).toEqual(["real", "real/beside"]);
  });

  it("may have 500 other files: one below, at and one above (limits: MAX_ENTRIES of bubblewrap)", () => {
    writeFileSync(join(dir, "onym.json"), "");
    for (let at = 0; at < 499; at += 1) writeFileSync(join(dir, `${at}`), "");
    expect(shown(words(["onym.json"]))).toHaveLength(499);
    writeFileSync(join(dir, "499"), "");
    expect(shown(words(["onym.json"]))).toHaveLength(500);
    writeFileSync(join(dir, "500"), "");
    expect(() => words(["onym.json"])).toThrow(/more than 500 others/);
  });
});

describe.skipIf(process.platform === "win32")("bubblewrap itself", () => {
  it("is found by absolute folders of PATH only: others are where the server starts", () => {
    const program = join(dir, "bwrap");
    writeFileSync(program, "");
    expect(() => findBubblewrap(dir)).toThrow(/bwrap was not found on PATH/);
    chmodSync(program, 0o755);
    expect(findBubblewrap([".", "", "bin", dir].join(delimiter))).toBe(program);
    expect(() => findBubblewrap(".")).toThrow(/bwrap was not found on PATH/);
    expect(() => findBubblewrap(undefined)).toThrow(/bwrap was not found on PATH/);
  });

  it("gets no variables of the server for its own loader", () => {
    const env = [
      ["LD_PRELOAD", "/x.so"],
      ["A", "b"],
    ] as const;
    const line = words([], { env }).join(" ");
    expect(line).toContain("--setenv LD_PRELOAD /x.so");
    expect(line).not.toContain("--setenv A");
  });
});
