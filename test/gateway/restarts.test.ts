// The same list, byte for byte, whatever order servers start in; names that never move.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../long-runs.js";
import { gatewaySources } from "../servers/awful-tools.js";
import { type Control, createControl } from "../servers/control.js";
import { type RunningOnym, startOnym } from "./harness.js";
import { askLegacy, askModern, entriesIn } from "./harness-raw.js";

const PROFILES = ["universal", "openai", "claude-code", "cursor", "canonical", "gemini-cli"];
const RESTARTS = isLong ? 10 : 4;

const folders: string[] = [];
let control: Control;
/** Labels of servers in the order in which they may start. */
let order: readonly string[] = [];

beforeAll(async () => {
  control = await createControl({
    async admit(label) {
      const before = order[order.indexOf(label) - 1];
      if (before === undefined) return;
      await (await control.server(before)).direct({ do: "awaitReceived", method: "tools/list" });
    },
  });
});

afterAll(async () => {
  await control.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe("restarts", () => {
  it(`give the same bytes ${RESTARTS} times, with servers started in random order (GW-4, NAME-4)`, async () => {
    const folder = newFolder();
    const random = createRandom(20_260_728);
    const entries = gatewaySources
      .slice(0, 4)
      .map(
        ({ server, tools }, at) => [server, control.stdioEntry({ label: `s${at}`, tools }, folder)] as const,
      );
    const count = gatewaySources.slice(0, 4).reduce((sum, { tools }) => sum + tools.length, 0);
    const bytes = new Map<string, Set<string>>();
    const orders = new Set<string>();
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      order = shuffle(["s0", "s1", "s2", "s3"], random);
      orders.add(order.join());
      // The record alone must not be what makes them equal.
      if (restart % 2 === 0) rmSync(join(folder, "onym.lock"), { force: true });
      const mcpServers = Object.fromEntries(shuffle(entries, random));
      const onym = await startOnym({ config: { mcpServers, limits: { listMs: 60_000 } }, dir: folder });
      for (const profile of shuffle(PROFILES, random)) {
        for (const ask of shuffle([askModern, askLegacy], random)) {
          const { text } = await ask({ url: `${onym.url}/${profile}`, method: "tools/list" });
          const key = `${profile}, ${ask.name}`;
          bytes.set(key, (bytes.get(key) ?? new Set()).add(text));
        }
      }
      await onym.stop();
    }
    order = [];
    expect(orders.size).toBeGreaterThan(1);
    for (const [key, [text = "", ...others]] of bytes) {
      expect(others, key).toEqual([]);
      expect(JSON.parse(text).result.tools.length, key).toBe(count);
    }
  });

  it("keep every name when a server joins whose names collide, and give none of a removed one's away (NAME-4, LOCK-1)", async () => {
    const folder = newFolder();
    // Without the record, `docs` would come first: its keys sort before those of `docs-files`.
    const first = control.stdioEntry({ label: "first", tools: ["read", "read_2", "files_read"] }, folder);
    const joining = ["files_read", "files.read", "files/read_2", "files_read_2", "FILES_READ"];
    const second = control.stdioEntry({ label: "second", tools: joining }, folder);
    const alone = { mcpServers: { "docs-files": first } };
    const onym = await startOnym({ config: alone, dir: folder });
    const before = await namesOf(onym);
    for (const names of before.values()) expect(names.size).toBe(3);
    const lock = readFileSync(join(folder, "onym.lock"), "utf8");
    for (const name of before.get("openai")?.values() ?? []) expect(lock).toContain(JSON.stringify(name));

    await adopt(onym, { mcpServers: { docs: second, "docs-files": first } }, 1);
    const joined = await namesOf(onym);
    for (const [profile, names] of before) {
      const now = joined.get(profile) ?? new Map();
      expect(now.size, profile).toBe(8);
      for (const [tool, name] of names) expect(now.get(tool), `${profile}: ${tool}`).toBe(name);
      expect(new Set(now.values()).size, profile).toBe(8);
    }
    const echo = await call(onym, joined.get("openai")?.get("docs-files read") ?? "");
    expect(echo).toMatchObject({ server: "first", raw: "read" });

    await adopt(onym, { mcpServers: { docs: second } }, 2);
    await onym.stop();
    const late = control.stdioEntry(
      { label: "second", tools: [...joining, "files read", "Files_Read"] },
      folder,
    );
    const again = await startOnym({ config: { mcpServers: { docs: late } }, dir: folder });
    const without = await namesOf(again);
    for (const [profile, names] of without) {
      expect(names.size, profile).toBe(7);
      const given = new Set(before.get(profile)?.values());
      expect(
        [...names.values()].filter((name) => given.has(name)),
        profile,
      ).toEqual([]);
      for (const [tool, name] of joined.get(profile) ?? [])
        if (tool.startsWith("docs ")) expect(names.get(tool), `${profile}: ${tool}`).toBe(name);
    }
    const [gone = ""] = before.get("openai")?.values() ?? [];
    const { error } = await askModern({
      url: `${again.url}/openai`,
      method: "tools/call",
      params: { name: gone },
    });
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/^Unknown tool: /) });
    await adopt(again, { mcpServers: { docs: late, "docs-files": first } }, 1);
    const back = await namesOf(again);
    for (const [profile, names] of before)
      for (const [tool, name] of names)
        expect(back.get(profile)?.get(tool), `${profile}: ${tool}`).toBe(name);
    await again.stop();
  });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "onym-restarts-"));
  folders.push(folder);
  return folder;
}

/** Writes the config and waits until it is in force, for the so-manieth time. */
async function adopt(onym: RunningOnym, config: unknown, time: number): Promise<void> {
  writeFileSync(join(onym.dir, "onym.json"), JSON.stringify(config));
  await onym.said(new RegExp(`(in force[^]*){${time}}`));
}

/** Profile → "server raw" → name. */
async function namesOf(onym: RunningOnym): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const all = new Map<string, ReadonlyMap<string, string>>();
  for (const profile of PROFILES) {
    const tools = entriesIn(
      await askModern({ url: `${onym.url}/${profile}`, method: "tools/list" }),
      "tools",
    );
    all.set(
      profile,
      new Map(tools.map(({ name, _meta }) => [`${_meta["source_server"]} ${_meta["original_name"]}`, name])),
    );
  }
  return all;
}

async function call(onym: RunningOnym, name: string): Promise<unknown> {
  const { result } = await askModern({ url: `${onym.url}/openai`, method: "tools/call", params: { name } });
  return result?.["structuredContent"];
}

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function shuffle<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
