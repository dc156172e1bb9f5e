// onym connect of a client that is connected already, and what --undo takes back then: all of it (LOCK-7).

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newMachine, SERVER, serverWith } from "./cli/connect-machine.js";

const CURSOR = ".cursor/mcp.json";
const CONFIG = ".config/onym/onym.json";

/** As people write it: with a comment, and without a line end. */
const OWN = `// mine\n{ "mcpServers": { "one": ${JSON.stringify(serverWith("get"))} }, "theme": "dark" }`;

describe("undo of a client that was connected more than once (LOCK-7)", () => {
  it.each([
    [["--http"], ["--stdio"]],
    [["--http"], ["--stdio"], ["--http"], ["--as", "other"]],
    [["--stdio"], ["--url", "https://gateway.example"]],
  ])("goes back to before the first: %s %s", async (...connects) => {
    const { run, write, read, home } = newMachine();
    write(CURSOR, OWN);
    for (const flags of connects) expect((await run("connect", "cursor", "--yes", ...flags)).code).toBe(0);
    const undone = await run("connect", "cursor", "--undo");
    expect(undone).toMatchObject({ code: 0, out: expect.stringContaining("mcp.json is as it was.") });
    expect(read(CURSOR)).toBe(OWN);
    expect(existsSync(join(home, CONFIG))).toBe(false);
    expect(await run("connect", "cursor", "--undo")).toMatchObject({
      code: 2,
      err: expect.stringContaining("There is nothing to undo"),
    });
  });

  it("keeps what the user changed between, and shows it", async () => {
    const { run, write, read } = newMachine();
    write(CURSOR, OWN);
    await run("connect", "cursor", "--yes", "--http");
    write(CURSOR, read(CURSOR).replace('"dark"', '"light"'));
    await run("connect", "cursor", "--yes", "--stdio");
    const connected = read(CURSOR);
    const refused = await run("connect", "cursor", "--undo");
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/- .*"theme": "dark".*\+ .*"theme": "light"/s);
    expect(refused.err).toContain("onym connect cursor --undo --keep-changes keeps them");
    expect(read(CURSOR)).toBe(connected);
    const kept = await run("connect", "cursor", "--undo", "--keep-changes");
    expect(kept).toMatchObject({ code: 0, out: expect.stringContaining("the other changes stay") });
    expect(read(CURSOR)).toContain("// mine");
    expect(JSON.parse(read(CURSOR).replace("// mine", ""))).toEqual({
      mcpServers: { one: serverWith("get") },
      theme: "light",
    });
  });

  it("takes back what was moved by either, with a server that the user added between", async () => {
    const { run, write, read, home } = newMachine();
    write(CURSOR, { mcpServers: { one: serverWith("get") } });
    await run("connect", "cursor", "--yes");
    const { mcpServers } = JSON.parse(read(CURSOR));
    write(CURSOR, { mcpServers: { ...mcpServers, two: serverWith("put") } });
    await run("connect", "cursor", "--yes");
    expect(Object.keys(JSON.parse(read(CURSOR)).mcpServers)).toEqual(["onym"]);
    expect((await run("connect", "cursor", "--undo", "--keep-changes")).code).toBe(0);
    expect(JSON.parse(read(CURSOR)).mcpServers).toEqual({ two: serverWith("put"), one: serverWith("get") });
    expect(existsSync(join(home, CONFIG))).toBe(false);
  });

  it("finds nothing to keep where the user put the file back by hand between", async () => {
    const { run, write, read } = newMachine();
    write(CURSOR, OWN);
    await run("connect", "cursor", "--yes");
    write(CURSOR, OWN);
    await run("connect", "cursor", "--yes", "--http");
    expect((await run("connect", "cursor", "--undo")).code).toBe(0);
    expect(read(CURSOR)).toBe(OWN);
  });

  it("restores the files of a project and of the user, which were connected one after the other", async () => {
    const { run, write, read } = newMachine();
    const mine = write(CURSOR, OWN);
    const ours = write("work/.cursor/mcp.json", '{ "mcpServers": {} }');
    await run("connect", "cursor", "--yes");
    await run("connect", "cursor", "--yes", "--file", ".cursor/mcp.json");
    expect((await run("connect", "cursor", "--undo")).code).toBe(0);
    expect([read(CURSOR), read("work/.cursor/mcp.json")]).toEqual([mine, ours]);
  });

  it.each([
    ["cursor", "gemini-cli"],
    ["gemini-cli", "cursor"],
  ])("leaves the config to the other client, and the last takes it back: %s first", async (...undone) => {
    const { run, write, read, home, config } = newMachine();
    const before = {
      [CURSOR]: write(CURSOR, OWN),
      ".gemini/settings.json": write(".gemini/settings.json", { mcpServers: { two: serverWith("put") } }),
    };
    for (const [client, flag] of [
      ["cursor", "--http"],
      ["gemini-cli", "--http"],
      ["cursor", "--stdio"],
      ["gemini-cli", "--stdio"],
    ] as const)
      expect((await run("connect", client, flag, "--yes")).code).toBe(0);
    const [first = "", last = ""] = undone;
    expect(await run("connect", first, "--undo")).toMatchObject({
      code: 0,
      err: expect.stringContaining(`${last} uses it, too`),
    });
    expect(Object.keys(config().mcpServers)).toEqual(["one", "two"]);
    expect((await run("connect", last, "--undo")).code).toBe(0);
    for (const [file, text] of Object.entries(before)) expect(read(file)).toBe(text);
    expect(existsSync(join(home, CONFIG))).toBe(false);
  });

  it("is not misled by one that was recorded and could not write", async () => {
    const { run, write, read, home } = newMachine();
    write(CURSOR, OWN);
    await run("connect", "cursor", "--yes", "--http");
    const connected = read(CURSOR);
    await run("connect", "cursor", "--yes", "--stdio");
    write(CURSOR, connected);
    await run("connect", "cursor", "--yes", "--as", "other");
    expect((await run("connect", "cursor", "--undo")).code).toBe(0);
    expect(read(CURSOR)).toBe(OWN);
    expect(existsSync(join(home, CONFIG))).toBe(false);
  });

  it("goes on where an undo was interrupted", async () => {
    const { run, write, read } = newMachine();
    write(CURSOR, OWN);
    await run("connect", "cursor", "--yes", "--http");
    await run("connect", "cursor", "--yes", "--stdio");
    write(CURSOR, OWN);
    expect((await run("connect", "cursor", "--undo")).code).toBe(0);
    expect(read(CURSOR)).toBe(OWN);
  });
});

describe("a server that takes long to start", () => {
  /** Lists its tools once the file is there. */
  const slowServer = (file: string) => {
    const wait = `const { existsSync } = require("node:fs");
      const until = setInterval(() => { if (existsSync(${JSON.stringify(file)})) { clearInterval(until); start(); } }, 20);
      function start() {${SERVER}}`;
    return { command: process.execPath, args: ["-e", wait, "get"] };
  };

  it.each([["names"], ["doctor"], ["connect", "cursor", "--dry-run"]])(
    "is waited for with a word at a terminal: onym %s",
    async (...args) => {
      const { runWith, write, home } = newMachine();
      const file = join(home, "go");
      write(CONFIG, { mcpServers: { slow: slowServer(file) } });
      write(CURSOR, { mcpServers: {} });
      const { code, err } = await runWith("", args, (text) => {
        if (text.includes("waiting  slow")) writeFileSync(file, "");
      });
      expect(code).toBe(0);
      expect(err).toMatch(/^ {2}waiting {2}slow {2}\d+ s of at most 30 s$/m);
    },
  );
});

it("does not call a config unused that another client was given by hand", async () => {
  const { run, write, home } = newMachine();
  write(CONFIG, { mcpServers: { one: serverWith("get") } });
  write(CURSOR, { mcpServers: {} });
  await run("connect", "cursor", "--yes");
  const onym = { command: "npx", args: ["-y", "onym", "serve", "--stdio", "--config", join(home, CONFIG)] };
  write(".gemini/settings.json", { mcpServers: { onym } });
  const said = (await run("connect", "cursor", "--undo")).err.replace(/\s+/g, " ");
  expect(said).not.toContain("no client is connected to it now");
  rmSync(join(home, ".gemini"), { recursive: true });
  mkdirSync(join(home, ".gemini"));
  await run("connect", "cursor", "--yes");
  const again = (await run("connect", "cursor", "--undo")).err.replace(/\s+/g, " ");
  expect(again).toContain("no client is connected to it now");
  expect(readFileSync(join(home, CONFIG), "utf8")).toContain('"one"');
});

it("says which tools a deny that came from another client hides here too, and how to change that", async () => {
  const { run, write } = newMachine();
  write(".claude.json", { mcpServers: { notes: serverWith("search", "drop_all") } });
  write(".claude/settings.json", { permissions: { deny: ["mcp__notes__drop_all"] } });
  write(CURSOR, { mcpServers: {} });
  const first = await run("connect", "claude-code", "--yes");
  expect(first.out).not.toContain("Not offered in");
  const { out } = await run("connect", "cursor", "--dry-run");
  expect(out).toContain("Not offered in Cursor: Onym's policy denies it");
  expect(out).toContain("deny  notes_drop_all  rules[0], from Claude Code: mcp__notes__drop_all");
  expect(out).toContain(
    'change its rule under "policy" in ~/.config/onym/onym.json; it holds in every client.',
  );
  const { denied } = JSON.parse((await run("connect", "cursor", "--dry-run", "--json")).out);
  expect(denied).toEqual([
    { rule: "rules[0]", note: "from Claude Code: mcp__notes__drop_all", names: ["notes_drop_all"] },
  ]);
});

describe("two programs of one id", () => {
  const [own, other] = [serverWith("search"), serverWith("search", "close")];
  const connect = { cursor: ["connect", "cursor", "--yes"], windsurf: ["connect", "windsurf", "--yes"] };

  it("keep their ids when they are connected again in another order", async () => {
    const { run, write, config } = newMachine();
    write(".cursor/mcp.json", { mcpServers: { tickets: own } });
    write(".codeium/windsurf/mcp_config.json", { mcpServers: { tickets: other } });
    for (const client of ["cursor", "windsurf"] as const)
      expect((await run(...connect[client])).code).toBe(0);
    const before = config().mcpServers;
    expect(before).toEqual({ tickets: own, "tickets-2": other });
    for (const client of ["cursor", "windsurf"])
      expect((await run("connect", client, "--undo")).code).toBe(0);
    for (const client of ["windsurf", "cursor"] as const)
      expect((await run(...connect[client])).code).toBe(0);
    expect(config().mcpServers).toEqual(before);
  });

  it("one that was given another id in the client has that", async () => {
    const { run, write, config } = newMachine();
    write(".cursor/mcp.json", { mcpServers: { tickets: own } });
    expect((await run(...connect.cursor)).code).toBe(0);
    expect((await run("connect", "cursor", "--undo")).code).toBe(0);
    write(".cursor/mcp.json", { mcpServers: { issues: own } });
    expect((await run(...connect.cursor)).code).toBe(0);
    expect(Object.keys(config().mcpServers)).toEqual(["issues"]);
  });

  it("one that stands in the config under another id has that", async () => {
    const { run, write, config } = newMachine();
    write(".cursor/mcp.json", { mcpServers: { tickets: own } });
    write(".config/onym/onym.json", { mcpServers: { tickets: other } });
    expect((await run(...connect.cursor)).code).toBe(0);
    expect((await run("connect", "cursor", "--undo")).code).toBe(0);
    write(".config/onym/onym.json", { mcpServers: { tickets: own } });
    const { out } = await run(...connect.cursor, "--json");
    expect(JSON.parse(out).servers).toMatchObject([{ outcome: "merged", as: "tickets" }]);
    expect(Object.keys(config().mcpServers)).toEqual(["tickets"]);
  });
});
