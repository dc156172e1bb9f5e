// Samples → medians with their spread, by scenario, job and target.

const FIELDS = ["perSecond", "cpuUs", "childUs", "loadUs", "p50", "p99", "ms", "wholeMs", "rss", "pss"];

/** Samples taken while the machine was not quiet count only where there are no others, and are then marked. */
export function summarise(samples) {
  const groups = Map.groupBy?.(samples, keyOf) ?? groupBy(samples);
  const summary = new Map();
  for (const [key, all] of groups) {
    const quiet = all.filter((sample) => sample.quiet !== false);
    const used = quiet.length > 0 ? quiet : all;
    const entry = { samples: used.length, noisy: quiet.length === 0, dropped: all.length - used.length };
    for (const field of FIELDS) {
      const values = used.map((sample) => sample[field]).filter((value) => value !== undefined);
      if (values.length > 0) entry[field] = spreadOf(values);
    }
    summary.set(key, entry);
  }
  return summary;
}

export function keyFor(scenario, job, target) {
  return `${scenario}/${job}/${target}`;
}

function keyOf({ scenario, job, target }) {
  return keyFor(scenario, job, target);
}

function groupBy(samples) {
  const groups = new Map();
  for (const sample of samples) groups.set(keyOf(sample), [...(groups.get(keyOf(sample)) ?? []), sample]);
  return groups;
}

function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
  return { median, min: sorted[0], max: sorted.at(-1) };
}
