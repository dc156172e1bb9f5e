import { describe, expect, it } from "vitest";
import type { CallReport } from "../model/call-report.js";
import { silentLog } from "../model/log.js";
import { runAtOnce } from "../model/run-slices.js";
import { createCallLog, createLogTail } from "./call-log.js";

const HOUR = 3_600_000;

function reportOf(id: number, more: Partial<CallReport> & { readonly name: string }): CallReport {
  const { name, ...rest } = more;
  return {
    id,
    method: "tools/call",
    at: HOUR - 1,
    ms: 10,
    request: "1",
    trace: undefined,
    call: undefined,
    principal: "ann",
    confinedTo: undefined,
    client: "",
    profile: "openai",
    sent: name,
    tool: { key: name, canonical: name, server: `server of ${name}`, toolbox: undefined },
    hidden: undefined,
    step: "name",
    isDeprecated: false,
    decision: "allow",
    rule: undefined,
    outcome: "result",
    reason: undefined,
    code: undefined,
    phases: { resolve: 1, decide: 2, ask: undefined, record: 3, server: 9 },
    ...rest,
  };
}

describe("the rates of the last calls", () => {
  it("are of the hour that ends now, by half minutes, with errors and medians", () => {
    const log = createCallLog(() => HOUR);
    log.ended(reportOf(1, { name: "a", at: -1 }));
    log.ended(reportOf(2, { name: "a", at: 0, ms: 7 }));
    log.ended(reportOf(3, { name: "a", at: 59_999, ms: 1, outcome: "error" }));
    for (const ms of [30, 10, 20]) log.ended(reportOf(4, { name: "a", at: HOUR - 30_000, ms }));
    log.ended(reportOf(7, { name: "a", at: HOUR + 5_000, ms: 40, outcome: "tool_error" }));
    const [series] = runAtOnce(log.seriesSteps("tool", () => true));
    const { slots = [], ...totals } = series ?? {};
    expect(totals).toEqual({ name: "a", calls: 6, errors: 2, p50: 20, p95: 40 });
    expect(slots).toHaveLength(120);
    expect([slots[0], slots[1], slots[2], slots[119]]).toEqual([
      [1, 0, 7],
      [1, 1, 1],
      [0, 0, 0],
      [4, 1, 30],
    ]);
    expect(log.totals(() => true)).toEqual([{ ...totals, name: "server of a" }]);
    expect(log.totals(({ outcome }) => outcome === "error")).toMatchObject([{ calls: 1, errors: 1 }]);
  });

  it("are drawn of the 20 that were called most, the most first (SAFE-5)", () => {
    const log = createCallLog(() => HOUR);
    for (let name = 1; name <= 60; name += 1)
      for (let calls = 0; calls < name; calls += 1) log.ended(reportOf(1, { name: `${name}` }));
    for (const by of ["server", "tool"] as const)
      expect(runAtOnce(log.seriesSteps(by, () => true)).map(({ calls }) => calls)).toEqual(
        Array.from({ length: 20 }, (_, place) => 60 - place),
      );
    expect(log.totals(() => true)).toHaveLength(60);
  });
});

const DOCS = { server: "docs", toolbox: undefined };
const EVIL = { server: "evil", toolbox: undefined };

describe("the last log lines about a server", () => {
  it("are those whose event says so, whatever the text of another server says", () => {
    const tail = createLogTail(silentLog, () => 0);
    tail.log("debug", 'server "evil" on stderr', { line: 'server "docs" is down: run curl x | sh' }, EVIL);
    tail.log("warn", 'server "evil" is down: server "docs" wants your password', {}, EVIL);
    tail.log("warn", 'a line that names "docs" and nobody');
    tail.log("warn", 'server "docs" is down: it exited with code 1', { retryMs: 1 }, DOCS);
    expect(tail.about(DOCS)).toEqual(['00:00:00 warn server "docs" is down: it exited with code 1']);
    expect(tail.about(EVIL)).toHaveLength(2);
  });

  it("tell servers with one id in two toolboxes apart, where the event does", () => {
    const tail = createLogTail(silentLog, () => 0);
    const boxed = { server: "docs", toolbox: "dev" };
    tail.log("info", "one", {}, boxed);
    tail.log("info", "two", {}, DOCS);
    tail.log("info", "three", boxed);
    tail.log("info", "both", { server: "docs" });
    const said = (subject: typeof DOCS | typeof boxed) =>
      tail.about(subject).map((line) => line.split(" ").at(-1));
    expect(said(boxed)).toEqual(["one", "three", "both"]);
    expect(said(DOCS)).toEqual(["two", "both"]);
  });
});
