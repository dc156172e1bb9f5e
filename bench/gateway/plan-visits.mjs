// Which target does which jobs, and in which order: rounds are interleaved, and every other one goes the other way.

/** `left`: what cannot take part, with the reason, once for each scenario. */
export function planVisits({ scenarios, targets, options }) {
  const left = [];
  const visits = [];
  for (const group of groupsOf(scenarios)) {
    const able = group.flatMap((scenario) => pairUp(scenario, targets, left));
    for (let round = 0; round < options.rounds; round++) {
      for (const { scenario, target } of round % 2 === 0 ? able : able.toReversed()) {
        if (round >= (scenario.rounds ?? options.rounds)) continue;
        const jobs = (scenario.jobs ?? []).filter(
          (job) => takesPart(job.who ?? "all", target) && isWanted(options.only, scenario, job),
        );
        if (scenario.jobs === undefined || jobs.length > 0) visits.push({ scenario, target, round, jobs });
      }
    }
  }
  return { visits, left };
}

/** Scenarios whose figures are compared with each other share their rounds. */
function groupsOf(scenarios) {
  const groups = new Map();
  for (const scenario of scenarios) {
    const key = scenario.together ?? scenario.id;
    groups.set(key, [...(groups.get(key) ?? []), scenario]);
  }
  return groups.values();
}

function pairUp(scenario, targets, left) {
  const pairs = [];
  for (const target of targets) {
    if (!takesPart(scenario.who, target) || scenario.not?.includes(target.kind ?? target.id)) continue;
    const reason = inabilityOf(target, scenario);
    if (reason === undefined) pairs.push({ scenario, target });
    else left.push({ scenario: scenario.id, target: target.id, reason });
  }
  return pairs;
}

export function isWanted(only, scenario, job) {
  if (only.length === 0) return true;
  return only.some(
    (each) => each === scenario.id || (job !== undefined && each === `${scenario.id}/${job.id}`),
  );
}

function takesPart(who, { id, kind }) {
  if (who === "all") return true;
  if (who === "gateways") return id !== "direct" && id !== "D";
  return who.includes(kind ?? id);
}

function inabilityOf(target, scenario) {
  if (target.missing !== undefined) return target.missing;
  if (scenario.kind === "resolve") return undefined;
  const out = scenario.out ?? (scenario.kind === "cold" ? "stdio" : "http");
  const { in: via = "http", era = "legacy", servers = 1 } = scenario;
  const way = `${via}-${out}`;
  if (target.cannot?.[way] !== undefined) return target.cannot[way];
  if (!target.ins.includes(via)) return `takes no ${via} clients`;
  if (!target.outs.includes(out)) return `reaches no ${out} servers`;
  if (!target.eras.includes(era)) return `does not speak ${era === "modern" ? "2026-07-28" : era}`;
  if (servers > 1 && target.many !== true) return "reaches one server only";
  return undefined;
}
