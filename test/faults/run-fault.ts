// One fault, once: brought about, judged by what its caller heard and what ran, and waited for until its server is well.

import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { type Fault, judge, type Outcome } from "./fault.js";
import type { Lane, Rig } from "./rig.js";

export interface FaultRun {
  /** What the caller heard, in a word or two. */
  readonly heard: string;
  readonly wrongs: readonly string[];
  /** From the caller's answer until a call to the same server succeeded. */
  readonly recoveryMs: number;
}

const RECOVERY_MS = 60_000;
const POLL_MS = 25;

export async function runFault(fault: Fault, lane: Lane, rig: Rig): Promise<FaultRun> {
  const nonce = rig.nextNonce();
  const server = fault.cause.kind === "stdio" ? lane.stdio : lane.http;
  const outcome = await happen(fault, { nonce, lane, rig });
  const wrongs: string[] = [];
  const wrong = judge(fault.expect, outcome);
  if (wrong !== undefined) wrongs.push(wrong);
  if (outcome.kind === "result" && (outcome.echo.server !== server || outcome.echo.nonce !== nonce))
    wrongs.push(`another's answer came: ${JSON.stringify(outcome.echo)}`);
  const began = performance.now();
  const recovered = await recover(server, rig);
  if (recovered !== undefined) wrongs.push(recovered);
  const recoveryMs = performance.now() - began;
  // What was lost on the way may still run until the server is well again.
  const ran = rig.record.count("ran", nonce);
  if (ran !== fault.ran && !Number.isNaN(fault.ran)) wrongs.push(`it ran ${ran} times, not ${fault.ran}`);
  if (ran > 1 || rig.record.count("got", nonce) > 1) wrongs.push("it was sent twice");
  return { heard: describe(outcome), wrongs: wrongs.map((each) => `${fault.name}: ${each}`), recoveryMs };
}

interface Happening {
  readonly nonce: string;
  readonly lane: Lane;
  readonly rig: Rig;
}

async function happen({ name, cause }: Fault, { nonce, lane, rig }: Happening): Promise<Outcome> {
  switch (cause.kind) {
    case "stdio": {
      await wait(cause.quietMs);
      const outcome = await rig.call(lane.stdio, { nonce, steps: cause.steps });
      if (cause.after.length > 0) await rig.call(lane.stdio, { nonce: rig.nextNonce(), steps: cause.after });
      return outcome;
    }
    case "http":
      return rig.call(lane.http, { nonce, fault: name });
    case "refused": {
      await lane.proxy.refuse();
      const outcome = await rig.call(lane.http, { nonce });
      await lane.proxy.open();
      return outcome;
    }
    case "sick":
      for (let count = 0; count < cause.failures; count += 1)
        await rig.call(lane.http, { nonce: rig.nextNonce(), fault: name });
      return rig.call(lane.http, { nonce, fault: name });
    case "client":
      rig.sent.set(nonce, JSON.stringify({ nonce }));
      return cause.happen({ url: `${rig.onym.url}/canonical`, tool: `${lane.http}@1/act@1`, nonce });
  }
}

/** Calls the same server until it answers; what is wrong where it never does. */
async function recover(server: string, rig: Rig): Promise<string | undefined> {
  const until = performance.now() + RECOVERY_MS;
  for (;;) {
    const nonce = rig.nextNonce();
    const outcome = await rig.call(server, { nonce });
    if (outcome.kind === "result")
      return outcome.echo.nonce === nonce && outcome.echo.server === server
        ? undefined
        : `another's answer came: ${JSON.stringify(outcome.echo)}`;
    // After its fifth fall it is left alone for ten minutes, unless somebody asks for it (decision 0057).
    if (isParked(outcome)) rig.onym.signal("SIGHUP");
    if (performance.now() > until) return `it is not well again: ${JSON.stringify(outcome)}`;
    await wait(POLL_MS);
  }
}

const PATIENCE_MS = 120_000;

function isParked(outcome: Outcome): boolean {
  return outcome.kind === "error" && Number(outcome.data["retryAfterMs"]) > PATIENCE_MS;
}

function describe(outcome: Outcome): string {
  if (outcome.kind === "result") return "result";
  if (outcome.kind === "http") return outcome.status === 0 ? "connection ended" : `HTTP ${outcome.status}`;
  return `error ${outcome.code}${outcome.data["outcome"] === "unknown" ? ", outcome unknown" : ""}`;
}
