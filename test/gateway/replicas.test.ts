// Three replicas on one PostgreSQL give the same names, whatever each of them sees, and in whatever order.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { gatewaySources } from "../servers/awful-tools.js";
import { ONYM_BIN, onymEnvironment } from "./harness.js";
import { listenModern } from "./harness-raw.js";
import { adopt, callByName, createFleet, type Fleet, namesIn, PROFILES } from "./harness-replicas.js";

const ORDERS = [
  [0, 1, 2, 3],
  [3, 2, 1, 0],
  [2, 0, 3, 1],
];
const LIST = "notifications/tools/list_changed";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await createFleet();
});
afterEach(() => fleet.clear());
afterAll(() => fleet.close());

describe("three replicas", () => {
  it("list the same names for every profile when they start at once, connect in different orders, and one lacks a server (NAME-4, LOCK-1)", async () => {
    const store = await fleet.newLocation();
    const sources = [
      ...gatewaySources.slice(0, 1),
      // Who lacks it would give its names to the tools of the next.
      { server: "notes", tools: ["files_read", "files.read"] },
      { server: "notes-files", tools: ["read", "read_2"] },
      ...gatewaySources.slice(1, 2),
    ];
    fleet.setOrders(ORDERS.map((order, at) => order.map((source) => `r${at}s${source}`)));
    const onyms = await Promise.all(
      ORDERS.map((_, at) => {
        const dir = fleet.newFolder();
        const mcpServers = Object.fromEntries(
          sources.map(({ server, tools }, source) => [
            server,
            // The last replica cannot start its second server, and others start after that one's turn.
            at === 2 && source === 1
              ? { command: process.execPath, args: ["-e", "process.exit(1)"] }
              : fleet.control.stdioEntry({ label: `r${at}s${source}`, tools }, dir),
          ]),
        );
        return fleet.start({ mcpServers, store, limits: { listMs: 60_000 } }, dir);
      }),
    );
    const lacking = sources[1]?.server ?? "";
    const names = new Set<string>();
    for (const profile of PROFILES) {
      const [a, b, c] = await Promise.all(onyms.map((onym) => namesIn(onym, profile)));
      if (a === undefined || b === undefined || c === undefined) throw new Error("no names");
      expect(a.size, profile).toBe(sources.reduce((sum, { tools }) => sum + tools.length, 0));
      expect(new Set(a.values()).size, profile).toBe(a.size);
      expect(b, profile).toEqual(a);
      expect(c, profile).toEqual(new Map([...a].filter(([tool]) => !tool.startsWith(`${lacking} `))));
      for (const name of a.values()) names.add(name);
    }
    expect(names.size).toBeGreaterThan(100);
  });

  it("call at once what another of them has just listed", async () => {
    const store = await fleet.newLocation();
    const onyms = await Promise.all(
      ["x", "y", "z"].map((label) => {
        const dir = fleet.newFolder();
        const entry = (server: string, tools: readonly string[]) =>
          fleet.control.stdioEntry({ label: `${label}-${server}`, tools }, dir);
        const docs = entry("docs", ["files_read", "files.read", "files/read_2", "FILES_READ"]);
        const files = entry("docs-files", ["read", "read_2"]);
        // What a replica lacks at first decides which names it would give if it were alone.
        const mcpServers = label === "x" ? { "docs-files": files } : { docs, "docs-files": files };
        return fleet.start({ mcpServers, store, limits: { listMs: 60_000 } }, dir);
      }),
    );
    let calls = 0;
    for (const profile of PROFILES) {
      // Each profile is listed by another replica first.
      const lister = onyms[PROFILES.indexOf(profile) % 3];
      if (lister === undefined) throw new Error("no replica");
      const names = await namesIn(lister, profile);
      for (const [tool, name] of names) {
        const [server, raw] = tool.split(" ");
        for (const [at, onym] of onyms.entries()) {
          if (at === 0 && server === "docs") continue;
          const { result, error } = await callByName(onym, profile, name);
          expect(error, `${profile}: ${name}`).toBeUndefined();
          expect(result?.["structuredContent"], `${profile}: ${name}`).toMatchObject({
            server: expect.stringMatching(new RegExp(`^[xyz]-${server}$`)),
            raw,
          });
          calls += 1;
        }
      }
    }
    expect(calls).toBeGreaterThan(60);
  });

  it("keep the names of a server that one of them had first, when a colliding one joins elsewhere, and tell only real changes (NAME-4, GW-7)", async () => {
    const store = await fleet.newLocation();
    const dirs = [fleet.newFolder(), fleet.newFolder(), fleet.newFolder()];
    const configs = dirs.map((dir, at) => {
      const docs = fleet.control.stdioEntry(
        { label: `j${at}docs`, tools: ["files_read", "files.read"] },
        dir,
      );
      const files = fleet.control.stdioEntry({ label: `j${at}files`, tools: ["read", "read_2"] }, dir);
      return { docs, files };
    });
    const limits = { listMs: 60_000 };
    const configOf = (at: number, ...servers: readonly ("docs" | "files")[]) => ({
      mcpServers: Object.fromEntries(
        servers.map((server) => [server === "docs" ? "docs" : "docs-files", configs[at]?.[server]]),
      ),
      store,
      limits,
    });
    const a = await fleet.start(configOf(0, "files"), dirs[0]);
    const first = await namesIn(a, "openai");
    const ear = await listenModern(`${a.url}/openai`, { toolsListChanged: true });
    const b = await fleet.start(configOf(1, "docs", "files"), dirs[1]);
    const c = await fleet.start(configOf(2, "docs"), dirs[2]);
    const [onC, onB] = await Promise.all([namesIn(c, "openai"), namesIn(b, "openai")]);
    for (const [tool, name] of [...first, ...onC]) expect(onB.get(tool), tool).toBe(name);
    expect(onB.size).toBe(4);
    // A name that only others can serve is unknown here, and nobody else's.
    for (const name of onC.values())
      expect(await callByName(a, "openai", name)).toMatchObject({ error: { code: -32602 } });

    await adopt(a, configOf(0, "docs", "files"), 1);
    await ear.reach(LIST, 1);
    await adopt(c, configOf(2, "docs", "files"), 1);
    expect(await namesIn(a, "openai")).toEqual(onB);
    expect(await namesIn(c, "openai")).toEqual(onB);
    // One for the server that joined (it is listed empty until it is ready, and then with its tools), none for names.
    expect(ear.heard.filter(({ method }) => method === LIST).length).toBe(1);
    ear.close();

    // What is gone on one replica is neither gone nor given away on the others.
    await adopt(c, configOf(2, "docs"), 2);
    await namesIn(c, "openai");
    expect(await namesIn(a, "openai")).toEqual(onB);
    await adopt(c, configOf(2, "docs", "files"), 3);
    expect(await namesIn(c, "openai")).toEqual(onB);
  });

  it("keep the names of a tool that is renamed on one after the other, and on one that only has it on record (LOCK-5) (NAME-4)", async () => {
    const store = await fleet.newLocation();
    const renames = [{ from: "docs@1/list@1", to: "docs@1/find@1" }];
    const rolled = (label: string, dir: string, tool: string, more: object = {}) => ({
      mcpServers: {
        docs: fleet.control.stdioEntry({ label: `${label}-${tool}`, tools: [tool, "read"] }, dir),
      },
      store,
      limits: { listMs: 60_000 },
      ...more,
    });
    const [one, two] = [fleet.newFolder(), fleet.newFolder()];
    const a = await fleet.start(rolled("n1", one, "list"), one);
    const b = await fleet.start(rolled("n2", two, "list"), two);
    const runs = async (onym: typeof a, profile: string, name: string) => {
      const { result, error } = await callByName(onym, profile, name);
      return (result?.["structuredContent"] as { raw?: string } | undefined)?.raw ?? error?.message;
    };
    const profiles = ["openai", "universal", "claude-code"];
    for (const profile of profiles) expect((await namesIn(a, profile)).get("docs list")).toBe("docs_list");

    await adopt(a, rolled("n1", one, "find", { renames }), 1);
    const three = fleet.newFolder();
    for (const profile of profiles) {
      expect((await namesIn(a, profile)).get("docs find"), profile).toBe("docs_list");
      // The other still has the old tool, under the same name.
      expect((await namesIn(b, profile)).get("docs list"), profile).toBe("docs_list");
      expect(await runs(a, profile, "docs_list"), profile).toBe("find");
      expect(await runs(b, profile, "docs_list"), profile).toBe("list");
      expect(await runs(a, profile, "docs@1/list@1"), profile).toBe("find");
    }
    const c = await fleet.start(rolled("n3", three, "find"), three);
    await adopt(b, rolled("n2", two, "find"), 1);
    for (const profile of profiles) {
      for (const onym of [a, b, c]) {
        expect((await namesIn(onym, profile)).get("docs find"), profile).toBe("docs_list");
        expect(await runs(onym, profile, "docs_list"), profile).toBe("find");
      }
    }
  });

  it("begin with the names of onym.lock, and lock --check says how the two differ later (LOCK-1)", async () => {
    const store = await fleet.newLocation();
    const dir = fleet.newFolder();
    const config = (tools: readonly string[]) => ({ mcpServers: { docs: { tools } } });
    const lock = (...args: readonly string[]) =>
      spawnSync(process.execPath, [ONYM_BIN, "lock", "--config", "onym.json", ...args], {
        cwd: dir,
        env: onymEnvironment(dir, {}),
        encoding: "utf8",
      });
    writeFileSync(
      join(dir, "onym.json"),
      JSON.stringify({ ...config(["read"]), naming: { pins: { my_read: "docs@1/read@1" } } }),
    );
    expect(lock().status).toBe(0);
    const onym = await fleet.start({ ...config(["read"]), store }, dir);
    expect([...(await namesIn(onym, "openai")).values()]).toEqual(["my_read"]);
    expect(lock("--check")).toMatchObject({ status: 0, stdout: expect.stringContaining("in step") });

    await adopt(onym, { ...config(["read", "write"]), store }, 1);
    await namesIn(onym, "openai");
    const drift = lock("--check");
    expect(drift).toMatchObject({ status: 1, stdout: expect.stringContaining("docs_write") });
    expect(readFileSync(join(dir, "onym.lock"), "utf8")).not.toContain("docs_write");
    expect(lock().status).toBe(0);
    expect(lock("--check").status).toBe(0);
  });
});
