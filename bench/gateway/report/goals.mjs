// The goals, as ratios within one run. D: an SDK server asked directly; N: a straightforward SDK gateway; R: the bare
// pass-through; P: the fastest gateway from npm on the same way.

import { gatewayTargets } from "../targets/gateway-targets.mjs";
import { keyFor } from "./summarise.mjs";

const PEERS = gatewayTargets.map(({ id }) => id);

/** `off`: audit and tracing off; `on`: everything on. `name` is the label of an Onym build, or empty. */
export function checkGoals(summary, name) {
  const idOf = (kind) => (name === "" ? kind : `${name}:${kind}`);
  const median = (scenario, job, target, field) =>
    summary.get(keyFor(scenario, job, target))?.[field]?.median;
  const best = (scenario, job, field, choose) => {
    const values = PEERS.map((id) => median(scenario, job, id, field)).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : choose(...values);
  };
  const goals = [];
  for (const [column, onym] of [
    ["off", idOf("onym-no-audit")],
    ["on", idOf("onym")],
  ]) {
    const limit = (off, on) => (column === "off" ? off : on);
    const add = (measure, against, ratio, relation, wanted) => {
      if (wanted === undefined) return;
      goals.push({ measure, column, against, relation, wanted, ...judge(ratio, relation, wanted) });
    };
    const faster = (measure, scenario, { r, p }) => {
      const ours = median(scenario, "call-64", onym, "perSecond");
      if (r) add(measure, "R", divide(ours, median(scenario, "call-64", "R", "perSecond")), "≥", limit(...r));
      add(measure, "P", divide(ours, best(scenario, "call-64", "perSecond", Math.max)), "≥", limit(...p));
    };
    faster("calls/s, HTTP to HTTP, 64 concurrent", "http-http", { r: [0.8, 0.6], p: [10, 8] });
    faster("calls/s, HTTP to stdio, 64 concurrent", "http-stdio", { r: [0.6, 0.45], p: [6, 4.5] });
    faster("calls/s, stdio to stdio, 64 at once", "stdio-stdio", { p: [3.5, 2.5] });
    faster("calls/s, stdio to HTTP, 64 at once", "stdio-http", { p: [8, 6] });

    const p50 = (target) => median("http-http", "call-1", target, "p50");
    const added = (target) => subtract(p50(target), p50("direct"));
    add("added median latency, 1 concurrent", "R", divide(added(onym), added("R")), "≤", limit(1.2, 2));
    add("median latency of a call as a whole", "D", divide(p50(onym), p50("D")), "≤", limit(undefined, 1));
    const p99 = (target) => median("http-http", "call-16", target, "p99");
    add("p99, 16 concurrent", "R", divide(p99(onym), p99("R")), "≤", limit(2, 3));

    const list = (target) => median("list-10000", "list", target, "ms");
    add("tools/list, 10,000 tools, time", "R", divide(list(onym), list("R")), "≤", 1.2);
    add("tools/list, 10,000 tools, times as fast", "N", divide(list("N"), list(onym)), "≥", 120);
    add(
      "tools/list, 10,000 tools, times as fast",
      "P",
      divide(best("list-10000", "list", "ms", Math.min), list(onym)),
      "≥",
      16,
    );
    const view = (target) => median("list-10000", "new-view", target, "ms");
    add(
      "first list of a new client view, 10,000 tools, times as fast",
      "N",
      divide(view("N"), view(onym)),
      "≥",
      30,
    );

    const large = (target) => median("http-http", "arguments-100k", target, "cpuUs");
    add("100 KB arguments, CPU per call", "R", divide(large(onym), large("R")), "≤", limit(1, 1.3));
    const small = median("http-http", "call-64", onym, "cpuUs");
    for (const [scenario, what] of [
      ["tools-1000", "1,000 tools"],
      ["tools-10000", "10,000 tools"],
      ["tools-100000", "100,000 tools"],
      ["servers-20", "20 servers"],
      ["servers-200", "200 servers"],
    ]) {
      const cpu = median(scenario, "call-64", onym, "cpuUs");
      add(`CPU per call with ${what}`, "10 tools, 1 server", divide(cpu, small), "≤", 1.1);
    }

    const cold = (target) => median("cold-start", "first-list", target, "ms");
    add(
      "cold start, three servers, to the first full list",
      "N",
      divide(cold(onym), cold("N")),
      "≤",
      limit(0.55, 0.7),
    );
    if (column === "on") {
      const time = (job) => median("resolve", job, idOf("onym"), "ms");
      add("`onym resolve` on a small config", "`node -e 0`", divide(time("resolve"), time("node")), "≤", 2.5);
    }
    const rss = (scenario, job, target) => median(scenario, job, target, "rss");
    add("memory, idle", "N", divide(rss("memory", "idle", onym), rss("memory", "idle", "N")), "≤", 0.85);
    const grown = subtract(rss("list-10000", "memory", onym), rss("list-10", "memory", onym));
    add("memory, 10,000 tools, MB more", "10 tools", divide(grown, 1e6), "≤", 60);
    const many = summary.has(keyFor("memory", "after-1000000", onym)) ? 1_000_000 : 100_000;
    const later = divide(rss("memory", `after-${many}`, onym), rss("memory", "after-50000", onym));
    add(`memory after ${many.toLocaleString("en")} calls`, "after 50,000", later, "≤", 1.15);
  }
  return goals;
}

/** `off` is by which share of the goal it was missed. */
function judge(ratio, relation, wanted) {
  if (ratio === undefined) return { outcome: "not measured" };
  const met = relation === "≥" ? ratio >= wanted : ratio <= wanted;
  if (met) return { ratio, outcome: "met" };
  return { ratio, outcome: "missed", missedBy: relation === "≥" ? 1 - ratio / wanted : ratio / wanted - 1 };
}

function divide(a, b) {
  return a === undefined || b === undefined || b <= 0 ? undefined : a / b;
}

function subtract(a, b) {
  return a === undefined || b === undefined ? undefined : a - b;
}
