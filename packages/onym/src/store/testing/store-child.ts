// A process of its own that uses a store: opens it when told, and does what it is asked over IPC.

import type { Lock, ToolKey } from "@onym/core";
import { openStore } from "../open-store.js";
import type { Store } from "../store.js";
import type { ChildAnswer, ChildOrder } from "./store-process.js";

let store: Store | undefined;

const send = (answer: ChildAnswer): void => {
  process.send?.(answer);
};

process.on("message", (order: ChildOrder) => {
  void obey(order).then(
    (value) => send({ id: order.id, value }),
    (error: unknown) =>
      send({
        id: order.id,
        error: error instanceof Error && "code" in error ? String(error.code) : String(error),
      }),
  );
});
process.on("disconnect", () => process.exit());

async function obey({ what, args }: ChildOrder): Promise<unknown> {
  if (what === "open") {
    store = await openStore(args[0] as Parameters<typeof openStore>[0]);
    return undefined;
  }
  if (what === "become") {
    process.setgid?.(args[0] as number);
    process.setuid?.(args[0] as number);
    return undefined;
  }
  if (store === undefined) throw new Error("no store is open");
  const opened = store;
  if (what === "watch") {
    opened.watch((revision) => send({ revision }));
    return undefined;
  }
  if (what === "claim") return claim(opened, String(args[0]), args[1] as ToolKey);
  if (what === "close") return opened.close();
  const [part = "", method = ""] = what.split(".");
  const face = Reflect.get(opened, part) as Record<string, (...given: readonly unknown[]) => unknown>;
  return face[method]?.(...args);
}

/** One try to give a name to a tool: does not win where somebody was first. */
async function claim(opened: Store, name: string, tool: ToolKey): Promise<boolean> {
  const before = await opened.names.load("tools");
  if (before.lock.profiles.get("openai")?.names.has(name) === true) return false;
  const names = new Map([
    ...(before.lock.profiles.get("openai")?.names ?? []),
    [name, { key: tool }] as const,
  ]);
  const next: Lock = {
    profiles: new Map([["openai", { style: "flat", names }]]),
    tools: before.lock.tools,
  };
  return (await opened.names.swap("tools", before, next)).outcome === "kept";
}
