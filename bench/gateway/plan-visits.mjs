// Which target does which jobs, and in which order: rounds are interleaved, and every other one goes the other way.

/** `left`: what cannot take part, with the reason, once for each scenario. */
export function planVisits({ scenarios, targets, options }) {
  const visits = [];
  const left = [];
  for (const scenario of scenarios) {
    const able = targets.filter((target) => {
      if (!takesPart(scenario.who, target) || scenario.not?.includes(target.kind ?? target.id)) return false;
      const reason = inabilityOf(target, scenario);
      if (reason !== undefined) left.push({ scenario: scenario.id, target: target.id, reason });
      return reason === undefined;
    });
    for (let round = 0; round < Math.min(options.rounds, scenario.rounds ?? options.rounds); round++) {
      for (const target of round % 2 === 0 ? able : [...able].reverse()) {
        const jobs = (scenario.jobs ?? []).filter(
          (job) => takesPart(job.who ?? "all", target) && isWanted(options.only, scenario, job),
        );
        if (scenario.jobs === undefined || jobs.length > 0) visits.push({ scenario, target, round, jobs });
      }
    }
  }
  return { visits, left };
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
