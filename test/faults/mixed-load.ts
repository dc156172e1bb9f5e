// What clients do beside calling tools that are well: sessions that are left open, lists, reads, mistakes, calls given up.

import { setTimeout as wait } from "node:timers/promises";
import { modern, openSession, send } from "../edge/http-client.js";
import { askLegacy, askModern } from "../gateway/harness-raw.js";
import type { Rig } from "./rig.js";

export interface MixedLoad {
  readonly done: ReadonlyMap<string, number>;
  readonly wrongs: readonly string[];
  readonly stop: () => Promise<void>;
}

/** How often each happens; one session a second is left open. */
const PAUSE_MS = 1_000;

export function startMixedLoad(rig: Rig): MixedLoad {
  const url = `${rig.onym.url}/canonical`;
  const done = new Map<string, number>();
  const wrongs: string[] = [];
  let isOver = false;

  const habits: readonly (readonly [name: string, act: () => Promise<unknown>])[] = [
    ["session left open", () => openSession(url)],
    ["list", async () => expectTools(await askModern({ url, method: "tools/list" }))],
    ["list in a session", async () => expectTools(await askLegacy({ url, method: "tools/list" }))],
    ["prompts", async () => expectResult(await askModern({ url, method: "prompts/list" }))],
    ["resources", async () => expectResult(await askModern({ url, method: "resources/list" }))],
    ["unknown tool", async () => expectUnknown(await callTool("everything@1/ecko@1"))],
    ["call given up", giveUp],
  ];

  function callTool(name: string) {
    return askModern({ url, method: "tools/call", params: { name, arguments: {} } });
  }

  /** To a server that never answers this one, so that the caller is the first to end it. */
  async function giveUp(): Promise<void> {
    const nonce = rig.nextNonce();
    const args = { nonce, steps: [{ do: "wait", ms: 500 }] };
    rig.sent.set(nonce, JSON.stringify(args));
    const { body, headers } = modern("tools/call", { name: "well@1/act@1", arguments: args });
    const stop = new AbortController();
    const came = send(url, body, { headers, signal: stop.signal }).catch(() => {});
    await wait(50);
    stop.abort();
    await came;
  }

  const work = async ([name, act]: (typeof habits)[number]): Promise<void> => {
    while (!isOver) {
      await act().then(
        () => done.set(name, (done.get(name) ?? 0) + 1),
        (error: unknown) => wrongs.push(`${name}: ${String(error)}`),
      );
      await wait(PAUSE_MS);
    }
  };
  const working = habits.map(work);
  return {
    done,
    wrongs,
    stop: async () => {
      isOver = true;
      await Promise.all(working);
    },
  };
}

type Answer = Awaited<ReturnType<typeof askModern>>;

function expectResult({ result, text }: Answer): void {
  if (result === undefined) throw new Error(text.slice(0, 300));
}

/** Servers that are well are always listed. */
function expectTools({ text }: Answer): void {
  for (const name of ["everything@1/echo@1", "well@1/act@1", "echo@1/act@1"])
    if (!text.includes(name)) throw new Error(`the list is without ${name}: ${text.slice(0, 300)}`);
}

function expectUnknown({ error, text }: Answer): void {
  if (error?.code !== -32602) throw new Error(text.slice(0, 300));
}
