// Several Onyms on one PostgreSQL, for tests: each in a folder of its own, with servers of its own.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../packages/onym/src/store/open-store.js";
import type { Store } from "../../packages/onym/src/store/store.js";
import { startPostgres } from "../../packages/onym/src/store/testing/start-postgres.js";
import { type Control, createControl } from "../servers/control.js";
import { type RunningOnym, startOnym } from "./harness.js";
import { askModern, entriesIn, type RawAnswer } from "./harness-raw.js";

export const PROFILES = ["universal", "openai", "claude-code", "cursor", "canonical", "gemini-cli"];

/** "server raw" → name. */
export type Names = ReadonlyMap<string, string>;

export interface Fleet {
  readonly control: Control;
  /** Labels in the order in which their servers may start; the others start at once. */
  readonly setOrders: (orders: readonly (readonly string[])[]) => void;
  readonly newLocation: () => Promise<string>;
  readonly newFolder: () => string;
  readonly start: (config: object, dir?: string) => Promise<RunningOnym>;
  /** The store as a command line would open it. */
  readonly open: (location: string) => Promise<Store>;
  /** Ends the Onyms and stores of one test. */
  readonly clear: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function createFleet(): Promise<Fleet> {
  const postgres = await startPostgres();
  let orders: readonly (readonly string[])[] = [];
  const control: Control = await createControl({
    async admit(label) {
      const order = orders.find((labels) => labels.includes(label)) ?? [];
      const before = order[order.indexOf(label) - 1];
      if (before === undefined) return;
      await (await control.server(before)).direct({ do: "awaitReceived", method: "tools/list" });
    },
  });
  const folders: string[] = [];
  const onyms: RunningOnym[] = [];
  const stores: Store[] = [];
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "onym-replica-"));
    folders.push(folder);
    return folder;
  };
  return {
    control,
    setOrders(next) {
      orders = next;
    },
    newLocation: postgres.newLocation,
    newFolder,
    async start(config, dir = newFolder()) {
      const onym = await startOnym({ config, dir });
      onyms.push(onym);
      return onym;
    },
    async open(location) {
      const store = await openStore({ location, folder: tmpdir() });
      stores.push(store);
      return store;
    },
    async clear() {
      await Promise.all(onyms.splice(0).map((onym) => onym.stop()));
      await Promise.all(stores.splice(0).map((store) => store.close()));
    },
    async close() {
      await control.close();
      await postgres.stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function namesIn(onym: RunningOnym, profile: string): Promise<Names> {
  const answer = await askModern({ url: `${onym.url}/${profile}`, method: "tools/list" });
  return new Map(
    entriesIn(answer, "tools").map(({ name, _meta }) => [
      `${_meta["source_server"]} ${_meta["original_name"]}`,
      name,
    ]),
  );
}

export function callByName(onym: RunningOnym, profile: string, name: string): Promise<RawAnswer> {
  return askModern({ url: `${onym.url}/${profile}`, method: "tools/call", params: { name } });
}

/** Writes the config and waits until it is in force, for the so-manieth time. */
export async function adopt(onym: RunningOnym, config: unknown, time: number): Promise<void> {
  writeFileSync(join(onym.dir, "onym.json"), JSON.stringify(config));
  await onym.said(new RegExp(`(in force[^]*){${time}}`));
}
