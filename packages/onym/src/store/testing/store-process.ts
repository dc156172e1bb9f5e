// Starts processes that use a store, and talks to them.

import { type ChildProcess, fork } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface ChildOrder {
  readonly id: number;
  /** `open`, `watch`, `claim`, `close`, or a method of the store such as `approvals.decide`. */
  readonly what: string;
  readonly args: readonly unknown[];
}

export type ChildAnswer =
  | { readonly id: number; readonly value?: unknown; readonly error?: string }
  | { readonly revision: number };

export interface StoreProcess {
  /** Rejects with the error's code as its message. */
  readonly ask: (what: string, ...args: readonly unknown[]) => Promise<unknown>;
  /** Resolves when the process has heard of this revision or a later one. */
  readonly heard: (revision: number) => Promise<void>;
  readonly revisions: readonly number[];
  readonly kill: () => Promise<void>;
}

export interface StoreProcesses {
  readonly start: (shell?: { readonly fileSizeLimit: number }) => StoreProcess;
  /** Ends every process that was started. */
  readonly stop: () => Promise<void>;
}

const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));

/** The program is bundled once, to where its packages are found. */
export async function prepareStoreProcesses(): Promise<StoreProcesses> {
  const cache = join(ROOT, "node_modules", ".cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "onym-store-"));
  const file = join(folder, "store-child.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./store-child.ts", import.meta.url))],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    alias: Object.fromEntries(
      ["", "/approvals", "/identity", "/naming"].map((entry) => [
        `@onym/core${entry}`,
        join(ROOT, `packages/core/src${entry}/index.ts`),
      ]),
    ),
    external: ["kysely", "libsql", "pg"],
    logLevel: "error",
  });
  const started: StoreProcess[] = [];
  return {
    start(shell) {
      const limit = shell === undefined ? {} : { execPath: "/usr/bin/prlimit", execArgv: limitArgs(shell) };
      const child = fork(file, { serialization: "advanced", ...limit });
      const store = converse(child);
      started.push(store);
      return store;
    },
    async stop() {
      await Promise.all(started.map((store) => store.kill()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** No file may grow beyond this, as on a disk that is full. */
function limitArgs({ fileSizeLimit }: { readonly fileSizeLimit: number }): string[] {
  return [`--fsize=${fileSizeLimit}`, process.execPath];
}

function converse(child: ChildProcess): StoreProcess {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  const revisions: number[] = [];
  const listeners = new Set<() => void>();
  let lastId = 0;
  child.on("message", (answer: ChildAnswer) => {
    if ("revision" in answer) {
      revisions.push(answer.revision);
      for (const listener of [...listeners]) listener();
      return;
    }
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error === undefined) asked?.resolve(answer.value);
    else asked?.reject(new Error(answer.error));
  });
  child.on("error", () => {});
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      for (const { reject } of waiting.values()) reject(new Error("process-ended"));
      waiting.clear();
      resolve();
    });
  });
  return {
    revisions,
    ask: (what, ...args) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        child.send({ id: lastId, what, args } satisfies ChildOrder, (error) => {
          if (error !== null) reject(new Error("process-ended"));
        });
      }),
    heard: (revision) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!revisions.some((heard) => heard >= revision)) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
