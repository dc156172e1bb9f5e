// Half an hour of mixed load with sessions left open and a fault a minute: what the gateway holds does not grow, nobody's
// answer goes to another, nothing is left behind (SAFE-5, GW-5). Only where ONYM_SOAK_MINUTES says for how long: `npm run soak`.

import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { createChance } from "../gateway/misroutes/chance.js";
import { checkAudit } from "./audit-check.js";
import { CLIENT_FAULTS } from "./client-faults.js";
import type { Fault } from "./fault.js";
import { startHealthyLoad } from "./healthy-load.js";
import { HTTP_FAULTS } from "./http-faults.js";
import { type Held, listMarked, readHeld, readTurns, type Turns } from "./leftovers.js";
import { startMixedLoad } from "./mixed-load.js";
import { startRig } from "./rig.js";
import { runFault } from "./run-fault.js";
import { STDIO_FAULTS } from "./stdio-faults.js";
import { writeReport } from "./write-report.js";

const MINUTES = Number(process.env["ONYM_SOAK_MINUTES"] ?? 0);
const MINUTE_MS = 60_000;
const LOAD_PAUSE_MS = 100;
/** Sessions pile up until the oldest give way: what is held before that says nothing. */
const WARM_UP = 1 / 3;
/** A leak of one session or call in a hundred would be more than this in half an hour. */
const SLACK = { descriptors: 16, timers: 16, heapMiB: 64 };

interface Minute extends Held, Turns {
  readonly fault: string;
  readonly recoveryMs: number;
}

it.runIf(MINUTES > 0)(
  "holds as much at the end as after its first minutes (SAFE-5) (GW-5)",
  async () => {
    const rig = await startRig(1);
    const [lane] = rig.lanes;
    if (lane === undefined) throw new Error("no lane");
    const healthy = startHealthyLoad(rig, LOAD_PAUSE_MS);
    const mixed = startMixedLoad(rig);
    const chance = createChance(1);
    const faults: Fault[] = [...STDIO_FAULTS, ...HTTP_FAULTS, ...CLIENT_FAULTS];
    const wrongs: string[] = [];
    const minutes: Minute[] = [];
    const began = Date.now();
    for (let minute = 1; minute <= MINUTES; minute += 1) {
      const fault = faults.splice(chance.below(faults.length), 1)[0];
      const run = fault === undefined ? undefined : await runFault(fault, lane, rig);
      wrongs.push(...(run?.wrongs ?? []));
      await wait(Math.max(0, began + minute * MINUTE_MS - Date.now()));
      const turns = await readTurns(rig.probe);
      const held = await readHeld(rig.probe, rig.onym.pid);
      minutes.push({ ...held, ...turns, fault: fault?.name ?? "", recoveryMs: run?.recoveryMs ?? 0 });
    }
    await Promise.all([healthy.stop(), mixed.stop()]);
    const { code } = await rig.stop();
    const orphans = listMarked(rig.mark);
    const audit = await checkAudit(rig, rig.sent);
    rig.remove();

    const steady = minutes.slice(Math.floor(minutes.length * WARM_UP));
    const slope = (kind: "heapMiB" | "rssMiB" | "descriptors"): number =>
      slopeOf(steady.map((each) => each[kind])) * 60;
    console.info(
      writeReport({
        name: "soak",
        title: "Soak",
        facts: [
          `${MINUTES} minutes, ${healthy.calls()} calls to servers that were well: ${healthy.wrongs.length} failed, ${healthy.misroutes()} misroutes.`,
          `Beside them: ${[...mixed.done].map(([name, count]) => `${count} × ${name}`).join(", ")}; ${mixed.wrongs.length} went wrong.`,
          `${minutes.length} faults, ${wrongs.length} with another outcome than expected.`,
          `${audit.received} calls reached a server, each with its record; ${audit.records} records; ${audit.wrongs.length} wrong.`,
          `After the first third, in an hour: heap ${slope("heapMiB").toFixed(1)} MiB, resident ${slope("rssMiB").toFixed(1)} MiB, descriptors ${slope("descriptors").toFixed(1)}.`,
          `Orphans: ${orphans.length}. Exit code: ${code}.`,
        ],
        columns: [
          "minute",
          "fault",
          "heap MiB",
          "resident MiB",
          "descriptors",
          "children",
          "timers",
          "stall CPU / clock ms",
          "recovery ms",
        ],
        rows: minutes.map((each, index) => [
          ...[index + 1, each.fault, each.heapMiB, each.rssMiB, each.descriptors, each.children, each.timers],
          ...[`${Math.round(each.cpuMs)} / ${Math.round(each.wallMs)}`, Math.round(each.recoveryMs)],
        ]),
        figures: { minutes, mixed: Object.fromEntries(mixed.done), wrongs, orphans },
      }),
    );
    expect([...wrongs, ...healthy.wrongs, ...mixed.wrongs, ...audit.wrongs]).toEqual([]);
    expect({ code, orphans }).toEqual({ code: 0, orphans: [] });
    const [first, last] = [steady[0], steady.at(-1)];
    expect(last?.children).toBe(first?.children);
    for (const kind of ["descriptors", "timers", "heapMiB"] as const)
      expect(last?.[kind], kind).toBeLessThanOrEqual((first?.[kind] ?? 0) + SLACK[kind]);
  },
  0,
);

/** The least-squares slope of values a minute apart. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const over = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const under = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
