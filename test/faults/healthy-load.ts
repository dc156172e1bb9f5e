// Callers of the servers that are well, all the while: every call has to come back with the echo of its own.

import { setTimeout as wait } from "node:timers/promises";
import type { Rig } from "./rig.js";

export interface HealthyLoad {
  readonly calls: () => number;
  /** Calls that failed, or whose answer was another's. */
  readonly wrongs: readonly string[];
  readonly misroutes: () => number;
  readonly stop: () => Promise<void>;
}

interface Healthy {
  readonly name: string;
  readonly argumentsFor: (nonce: string) => Readonly<Record<string, unknown>>;
}

const HEALTHY: readonly Healthy[] = [
  { name: "everything@1/echo@1", argumentsFor: (nonce) => ({ message: nonce }) },
  { name: "filesystem@1/list_allowed_directories@1", argumentsFor: (nonce) => ({ nonce }) },
  { name: "well@1/act@1", argumentsFor: (nonce) => ({ nonce }) },
  { name: "echo@1/act@1", argumentsFor: (nonce) => ({ nonce }) },
];

export function startHealthyLoad(rig: Rig, pauseMs: number): HealthyLoad {
  const wrongs: string[] = [];
  let calls = 0;
  let misroutes = 0;
  let isOver = false;
  const work = async ({ name, argumentsFor }: Healthy): Promise<void> => {
    while (!isOver) {
      const nonce = rig.nextNonce();
      calls += 1;
      try {
        const { text, outcome } = await rig.ask(name, argumentsFor(nonce));
        if (outcome.kind !== "result") wrongs.push(`${name}: ${text.slice(0, 300)}`);
        else if (!isEcho(name, nonce, text, outcome.echo.server)) {
          misroutes += 1;
          wrongs.push(`${name} ${nonce}: another's answer came: ${text.slice(0, 300)}`);
        }
      } catch (error) {
        wrongs.push(`${name}: ${String(error)}`);
      }
      await wait(pauseMs);
    }
  };
  const working = HEALTHY.map(work);
  return {
    calls: () => calls,
    wrongs,
    misroutes: () => misroutes,
    stop: async () => {
      isOver = true;
      await Promise.all(working);
    },
  };
}

/** The filesystem server echoes nothing; its answer is known by its text. */
function isEcho(name: string, nonce: string, text: string, server: unknown): boolean {
  if (name.startsWith("filesystem")) return text.includes("Allowed directories");
  if (name.startsWith("everything")) return text.includes(`Echo: ${nonce}"`);
  return text.includes(`"${nonce}"`) && name.startsWith(`${String(server)}@`);
}
