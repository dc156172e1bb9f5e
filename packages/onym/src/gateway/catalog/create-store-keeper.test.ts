// Names in a store, on both engines: whoever is second adopts what the first gave out.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSnapshot, EMPTY_LOCK, type Lock, type Snapshot } from "@onym/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../model/log.js";
import { OnymError } from "../../model/onym-error.js";
import { openStore } from "../../store/open-store.js";
import type { Store } from "../../store/store.js";
import { startPostgres, type TestPostgres } from "../../store/testing/start-postgres.js";
import { createStoreKeeper } from "./create-store-keeper.js";
import type { SharedKeeper } from "./name-lock.js";
import { draftNames, hasNewNames, recordedPart } from "./shared-names.js";

const stores: Store[] = [];
const folders: string[] = [];
let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});
afterAll(async () => {
  await postgres.stop();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

const engines = {
  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), "onym-keeper-"));
    folders.push(folder);
    return join(folder, "onym.db");
  },
  postgres: () => postgres.newLocation(),
};

async function open(location: string): Promise<Store> {
  const store = await openStore({ location, folder: tmpdir() });
  stores.push(store);
  return store;
}

const keeperOf = (store: Pick<Store, "names" | "watch">, seed?: Lock): Promise<SharedKeeper> =>
  createStoreKeeper({ store, space: "tools", seed, log: silentLog });

/** Records the names of a snapshot for one profile, again and again as long as others are first. */
async function record(keeper: SharedKeeper, build: (lock: Lock) => Snapshot): Promise<readonly string[]> {
  for (;;) {
    const before = keeper.current();
    const snapshot = build(before);
    const table = snapshot.namesFor("openai");
    const draft = draftNames([table], snapshot, before);
    if (draft.kind === "lacking" && (await keeper.swap(before, draft.next)) !== "kept") continue;
    expect(recordedPart(table, keeper.current())).toBe(table);
    return table.tools.map(({ name, tool }) => `${tool.server}/${tool.raw} = ${name}`);
  }
}

const docs = { server: "docs", tools: ["files_read", "files.read"] };
const files = { server: "docs-files", tools: ["read", "read_2"] };

describe.each(Object.entries(engines))("names in %s", (_engine, newLocation) => {
  it("are those of the first, for everybody (NAME-4, LOCK-1)", async () => {
    const location = await newLocation();
    const [a, b] = [await keeperOf(await open(location)), await keeperOf(await open(location))];
    const first = await record(a, (lock) => buildSnapshot([files], { lock }));
    const both = await record(b, (lock) => buildSnapshot([docs, files], { lock }));
    expect(both).toEqual(expect.arrayContaining([...first]));
    expect(new Set(both.map((line) => line.split(" = ")[1])).size).toBe(4);
  });

  it("agree when eight claim them at once, in whatever order they see servers (NAME-4)", async () => {
    const location = await newLocation();
    const keepers = await Promise.all(Array.from({ length: 8 }, async () => keeperOf(await open(location))));
    const sources = [[docs], [files], [docs, files], [files, docs]];
    await Promise.all(
      keepers.map((keeper, at) =>
        record(keeper, (lock) => buildSnapshot(sources[at % 4] ?? [], { lock, absent: [docs, files] })),
      ),
    );
    const all = await Promise.all(
      keepers.map(async (keeper) => {
        await keeper.renew();
        return record(keeper, (lock) => buildSnapshot([docs, files], { lock }));
      }),
    );
    expect(new Set(all.map((names) => names.join("\n"))).size).toBe(1);
  });

  it("of others are heard of, and only when they are new (GW-7)", async () => {
    const location = await newLocation();
    const [a, b] = [await keeperOf(await open(location)), await keeperOf(await open(location))];
    let heard = 0;
    const arrived = new Promise<void>((resolve) => {
      b.watch(() => {
        heard += 1;
        resolve();
      });
    });
    await record(a, (lock) => buildSnapshot([docs], { lock }));
    await arrived;
    expect(hasNewNames(b.current(), a.current())).toBe(false);
    const redefined = { server: "docs", tools: docs.tools.map((name) => ({ name, description: "Other." })) };
    await record(a, (lock) => buildSnapshot([redefined], { lock }));
    await b.renew();
    expect(b.current().tools).toEqual(a.current().tools);
    expect(heard).toBe(1);
  });

  it("are not retired by who does not see their tools (LOCK-1)", async () => {
    const keeper = await keeperOf(await open(await newLocation()));
    await record(keeper, (lock) => buildSnapshot([docs, files], { lock }));
    const before = keeper.current();
    await record(keeper, (lock) => buildSnapshot([{ server: "docs", tools: ["files_read"] }], { lock }));
    expect(keeper.current()).toEqual(before);
  });

  it("begin with those of a file, once", async () => {
    const location = await newLocation();
    const seeded = buildSnapshot([docs], { pins: { my_read: "docs@1/files_read@1" } });
    const seed = seeded.nextLock(["openai"]);
    const a = await keeperOf(await open(location), seed);
    expect(await record(a, (lock) => buildSnapshot([docs], { lock }))).toContain("docs/files_read = my_read");
    const other = buildSnapshot([files]).nextLock(["openai"]);
    const b = await keeperOf(await open(location), other);
    expect(b.current()).toEqual(a.current());
  });

  it("that cannot be written are not on record, and told once", async () => {
    const store = await open(await newLocation());
    const told: string[] = [];
    let isDown = true;
    const names: Store["names"] = {
      ...store.names,
      swap: (...given) =>
        isDown
          ? Promise.reject(new OnymError("store-unavailable", "gone", "wait"))
          : store.names.swap(...given),
    };
    const keeper = await createStoreKeeper({
      store: { names, watch: store.watch },
      space: "tools",
      log: (_severity, text) => void told.push(text),
    });
    const snapshot = buildSnapshot([docs]);
    const table = snapshot.namesFor("openai");
    const draft = draftNames([table], snapshot, keeper.current());
    if (draft.kind !== "lacking") throw new Error("nothing to record");
    for (let time = 0; time < 2; time += 1) expect(await keeper.swap(EMPTY_LOCK, draft.next)).toBe("moved");
    for (let time = 0; time < 2; time += 1)
      expect(await keeper.swap(keeper.current(), draft.next)).toBe("failed");
    expect(told).toEqual([expect.stringMatching(/^names cannot be recorded/)]);
    const part = recordedPart(table, keeper.current());
    expect(part.tools).toEqual([]);
    expect(table.tools.map(({ tool, name }) => [part.nameOf(tool), part.toolNamed(name)])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
    isDown = false;
    expect(await keeper.swap(keeper.current(), draft.next)).toBe("kept");
    expect(recordedPart(table, keeper.current())).toBe(table);
  });
});

describe("a draft", () => {
  it("of a table that was built before names arrived is stale, and changes nothing", () => {
    const snapshot = buildSnapshot([docs]);
    const table = snapshot.namesFor("openai");
    const [first] = table.tools;
    const names = new Map([[first?.name ?? "", { key: "somebody" as never }]]);
    const lock: Lock = { profiles: new Map([["openai", { style: "flat", names }]]), tools: new Map() };
    expect(draftNames([table], snapshot, lock)).toEqual({ kind: "stale" });
  });

  it("of a name that an operator pinned keeps the former one leading to the tool", () => {
    const old = buildSnapshot([docs]);
    const lock = old.nextLock(["openai"]);
    const pinned = buildSnapshot([docs], { lock, pins: { my_read: "docs@1/files_read@1" } });
    const draft = draftNames([pinned.namesFor("openai")], pinned, lock);
    if (draft.kind !== "lacking") throw new Error("nothing to record");
    const key = old.catalog.tools.find(({ raw }) => raw === "files_read")?.key;
    const [former] =
      [...(lock.profiles.get("openai")?.names ?? [])].find(([, entry]) => entry.key === key) ?? [];
    const names = draft.next.profiles.get("openai")?.names;
    expect(names?.get("my_read")).toEqual({ key });
    expect(names?.get(former ?? "")).toEqual({ key, retired: "renamed" });
    // Who still has the old config takes the new name over, and knows the former one.
    const adopting = buildSnapshot([docs], { lock: draft.next });
    expect(adopting.namesFor("openai").toolNamed("my_read")?.key).toBe(key);
    expect(adopting.resolve(former ?? "", { profile: "openai" })).toMatchObject({ outcome: "resolved" });
  });
});
