// The goals, as ratios within one run. D: an SDK server asked directly; N: a straightforward SDK gateway; R: the bare
// pass-through; P: the fastest gateway from npm on the same way.

import { gatewayTargets } from "../targets/gateway-targets.mjs";
import { divide, judge, least, most, subtract } from "./judge-ratio.mjs";
import { keyFor } from "./summarise.mjs";

const PEERS = gatewayTargets.map(({ id }) => id);
const SIZES = [
  ["tools-1000", "1,000 tools"],
  ["tools-10000", "10,000 tools"],
  ["tools-100000", "100,000 tools"],
  ["servers-20", "20 servers"],
  ["servers-200", "200 servers"],
];

/** `name` is the label of an Onym build, or empty. */
export function checkGoals(summary, name) {
  const idOf = (kind) => (name === "" ? kind : `${name}:${kind}`);
  const goals = [];
  /** `off`: audit and tracing off; `on`: everything on. A pair holds what is wanted of each. `floor`: what R reaches. */
  for (const [place, column, onym] of [
    [0, "off", idOf("onym-no-audit")],
    [1, "on", idOf("onym")],
    [undefined, "floor", "R"],
  ]) {
    const add = (measure, against, ratio, relation, pair) => {
      const wanted = pair[place];
      if (column === "floor" && against !== "R" && ratio !== undefined)
        goals.push({ measure, column, against, ratio: ratio.value, noisy: ratio.noisy });
      if (wanted === undefined) return;
      goals.push({ measure, column, against, relation, wanted, ...judge(ratio, relation, wanted) });
    };
    addCalls({ summary, add, onym });
    addLists({ summary, add, onym });
    addCosts({ summary, add, onym, resolve: idOf("onym") });
  }
  return goals;
}

function addCalls({ summary, add, onym }) {
  const speed = (scenario, target) => figure(summary, scenario, "call-64", target, "perSecond");
  const faster = (measure, scenario, { r, p }) => {
    const ours = speed(scenario, onym);
    if (r) add(measure, "R", divide(ours, speed(scenario, "R")), "≥", r);
    add(measure, "P", divide(ours, most(PEERS.map((id) => speed(scenario, id)))), "≥", p);
  };
  faster("calls/s, HTTP to HTTP, 64 concurrent", "http-http", { r: [0.8, 0.6], p: [10, 8] });
  faster("calls/s, HTTP to stdio, 64 concurrent", "http-stdio", { r: [0.6, 0.45], p: [6, 4.5] });
  faster("calls/s, stdio to stdio, 64 at once", "stdio-stdio", { p: [3.5, 2.5] });
  faster("calls/s, stdio to HTTP, 64 at once", "stdio-http", { p: [8, 6] });

  const p50 = (target) => figure(summary, "http-http", "call-1", target, "p50");
  const added = (target) => subtract(p50(target), p50("direct"));
  add("added median latency, 1 concurrent", "R", divide(added(onym), added("R")), "≤", [1.2, 2]);
  add("median latency of a call as a whole", "D", divide(p50(onym), p50("D")), "≤", [undefined, 1]);
  const p99 = (target) => figure(summary, "http-http", "call-16", target, "p99");
  add("p99, 16 concurrent", "R", divide(p99(onym), p99("R")), "≤", [2, 3]);
}

function addLists({ summary, add, onym }) {
  const list = (target) => figure(summary, "list-10000", "list", target, "ms");
  const measure = "`tools/list`, 10,000 tools";
  add(`${measure}, time`, "R", divide(list(onym), list("R")), "≤", [1.2, 1.2]);
  add(`${measure}, times as fast`, "N", divide(list("N"), list(onym)), "≥", [120, 120]);
  add(`${measure}, times as fast`, "P", divide(least(PEERS.map(list)), list(onym)), "≥", [16, 16]);
  const view = (target, field) => figure(summary, "list-10000", "new-view", target, field);
  for (const [measure, field] of [
    ["first list of a new client view, times as fast", "ms"],
    ["the same, connecting included", "wholeMs"],
  ])
    add(measure, "N", divide(view("N", field), view(onym, field)), "≥", [30, 30]);
}

function addCosts({ summary, add, onym, resolve }) {
  const cpu = (scenario, job, target) => figure(summary, scenario, job, target, "cpuUs");
  const large = (target) => cpu("http-http", "arguments-100k", target);
  add("100 KB arguments, CPU per call", "R", divide(large(onym), large("R")), "≤", [1, 1.3]);
  for (const [scenario, what] of SIZES) {
    const ratio = divide(cpu(scenario, "call-64", onym), cpu("tools-10", "call-64", onym));
    add(`CPU per call with ${what}`, "10 tools, 1 server", ratio, "≤", [1.1, 1.1]);
  }
  const ms = (scenario, job, target) => figure(summary, scenario, job, target, "ms");
  const cold = (target) => ms("cold-start", "first-list", target);
  add(
    "cold start, three servers, to the first full list",
    "N",
    divide(cold(onym), cold("N")),
    "≤",
    [0.55, 0.7],
  );
  const command = divide(ms("resolve", "resolve", resolve), ms("resolve", "node", resolve));
  add("`onym resolve` on a small config", "`node -e 0`", command, "≤", [2.5, undefined]);

  const rss = (scenario, job, target) => figure(summary, scenario, job, target, "rss");
  const idle = divide(rss("memory", "idle", onym), rss("memory", "idle", "N"));
  add("memory, idle", "N", idle, "≤", [0.85, 0.85]);
  const grown = subtract(rss("list-10000", "memory", onym), rss("list-10", "memory", onym));
  add("memory with 10,000 tools, MB more", "10 tools", divide(grown, { value: 1e6 }), "≤", [60, 60]);
  const calls = summary.has(keyFor("memory", "after-1000000", onym)) ? 1_000_000 : 100_000;
  const later = divide(rss("memory", `after-${calls}`, onym), rss("memory", "after-50000", onym));
  add(`memory after ${calls.toLocaleString("en")} calls`, "after 50,000", later, "≤", [1.15, 1.15]);
}

/** A median, and whether it comes from samples that were disturbed. */
function figure(summary, scenario, job, target, field) {
  const entry = summary.get(keyFor(scenario, job, target));
  return entry?.[field] === undefined ? undefined : { value: entry[field].median, noisy: entry.noisy };
}
