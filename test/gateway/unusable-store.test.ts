// A store that is none: the built program refuses to start, or refuses every call, and never touches the file.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLibsql, readPragma } from "../../packages/onym/src/store/sqlite/libsql.js";
import { ONYM_BIN, onymEnvironment } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV1Stdio, connectV2 } from "./harness-clients.js";
import { askLegacy, askModern } from "./harness-raw.js";

let stage: Stage;
let whole: Buffer;
const folders: string[] = [];
beforeAll(async () => {
  stage = await createStage();
  const onym = await stage.start({ config: { mcpServers: { a: { tools: ["one"] } } }, dir: newFolder() });
  await onym.stop();
  whole = readFileSync(join(onym.dir, "onym.db"));
});
afterAll(async () => {
  await stage.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "onym-unusable-"));
  folders.push(folder);
  return folder;
}

async function alter(file: string, statement: string): Promise<void> {
  const db = openLibsql(file, "rwc");
  await db.exec(statement);
  await readPragma(db, "wal_checkpoint(TRUNCATE)");
  db.close();
}

const KINDS: readonly (readonly [string, RegExp, (file: string) => unknown])[] = [
  ["random bytes", /refused: it is not a SQLite file/, (file) => writeFileSync(file, randomBytes(20_000))],
  ["nothing", /refused: it is empty/, (file) => writeFileSync(file, "")],
  ["its first half", /refused: /, (file) => truncateSync(file, 9000)],
  [
    "another program's database",
    /refused: it belongs to another program/,
    (file) => {
      rmSync(file);
      return alter(file, "create table customers (name text)");
    },
  ],
  [
    "a store of a later version",
    /was written by a later version of Onym \(it has "9999-later"\)/,
    (file) => alter(file, "insert into onym_migrations values (99, '9999-later', 0)"),
  ],
  [
    "all but the last change, which was in its log",
    /refused: it has lost changes, perhaps with a damaged log/,
    (file) => {
      writeFileSync(`${file}-revision`, "1\n");
      writeFileSync(`${file}-wal`, randomBytes(9000));
    },
  ],
  [
    "a folder",
    /refused: it is not a file/,
    (file) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
];

async function spoil(make: (file: string) => unknown): Promise<{ dir: string; bytes: () => Buffer }> {
  const dir = newFolder();
  const file = join(dir, "onym.db");
  writeFileSync(file, whole);
  await make(file);
  return { dir, bytes: () => (statSync(file).isFile() ? readFileSync(file) : Buffer.of()) };
}

describe.each(KINDS)("a store file that holds %s", (_, reason, make) => {
  const config = () => ({ mcpServers: { a: stage.entry({ label: "a", tools: ["one"] }) } });

  it("is refused at the start, loudly, with the way out, and left as it is", async () => {
    const { dir, bytes } = await spoil(make);
    const before = bytes();
    writeFileSync(join(dir, "onym.json"), JSON.stringify(config()));
    const ran = spawnSync(process.execPath, [ONYM_BIN, "serve", "--port", "0"], {
      cwd: dir,
      env: onymEnvironment(dir, {}),
      encoding: "utf8",
    });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toMatch(reason);
    expect(ran.stderr).toMatch(/left as it is/);
    expect(ran.stderr).not.toContain("listening");
    expect(bytes().equals(before)).toBe(true);
  });

  it("with --deny-without-store lets clients connect, and refuses them everything with the reason", async () => {
    const { dir, bytes } = await spoil(make);
    const before = bytes();
    const onym = await stage.start({ config: config(), dir, args: ["--deny-without-store"] });
    expect(onym.stderr()).toMatch(reason);
    expect(onym.stderr()).toMatch(/every call is refused/);
    for (const ask of [askModern, askLegacy]) {
      for (const [method, params] of [
        ["tools/list", {}],
        ["tools/call", { name: "a_one" }],
        ["prompts/list", {}],
        ["resources/read", { uri: "file:///x" }],
      ] as const) {
        const { error, result } = await ask({ url: onym.url, method, params });
        expect(result).toBeUndefined();
        expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(reason) });
        expect(error?.message).toMatch(/left as it is.*start Onym again/);
      }
    }
    const ready = await fetch(new URL("/readyz", onym.url));
    expect([ready.status, await ready.json()]).toEqual([503, { status: "unavailable" }]);
    expect(await (await fetch(new URL("/", onym.url))).json()).toMatchObject({
      status: "store-failing",
      reason: expect.stringMatching(reason),
    });
    expect((await fetch(new URL("/healthz", onym.url))).status).toBe(200);
    onym.signal("SIGHUP");
    await onym.said(/(every call is refused[\s\S]*){2}/);
    expect((await onym.stop()).code).toBe(0);
    // Nothing was started, and no name was given out.
    expect(stage.starts("a")).toBe(0);
    expect(existsSync(join(dir, "onym.lock"))).toBe(false);
    expect(bytes().equals(before)).toBe(true);
  });
});

describe("a gateway that denies everything", () => {
  it("tells SDK clients why, when they connect and when they ask", async () => {
    const { dir } = await spoil((file) => writeFileSync(file, "no store"));
    const config = { mcpServers: { a: { tools: ["one"] } } };
    const onym = await stage.start({ config, dir, args: ["--deny-without-store"] });
    for (const era of ["legacy", "modern"] as const) {
      const client = await connectV2({ url: onym.url, era });
      expect(client.getInstructions()).toMatch(/refuses every request.*onym\.db is refused/);
      await expect(client.listTools()).rejects.toThrow(/onym\.db is refused/);
      await expect(client.callTool({ name: "a_one" })).rejects.toThrow(/onym\.db is refused/);
      await client.close();
    }
    const client = await connectV1Stdio({ dir, args: ["--deny-without-store"] });
    expect(client.getInstructions()).toMatch(/onym\.db is refused/);
    await expect(client.listTools()).rejects.toThrow(/onym\.db is refused/);
    await client.ping();
    await client.close();
    await onym.stop();
  });

  it("is not what a sound store gets, nor a place that is none", async () => {
    const config = { mcpServers: { a: { tools: ["one"] } } };
    const onym = await stage.start({ config, args: ["--deny-without-store"] });
    expect((await askModern({ url: onym.url, method: "tools/list" })).result?.["tools"]).toHaveLength(1);
    await onym.stop();
    const wrong = stage.start({
      config: { ...config, store: "mysql://host/x" },
      args: ["--deny-without-store"],
    });
    await expect(wrong).rejects.toThrow(/no place for a store/);
  });
});
