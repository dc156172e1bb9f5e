// One line for each sample, on stderr, while the benchmark runs.

export function tellSample({ at, of, scenario, target, round }, job, sample) {
  const noise =
    sample.quiet === false ? `  (others used ${(sample.others * 100).toFixed(0)} % of the machine)` : "";
  const place = `${String(at).padStart(String(of).length)}/${of}`;
  process.stderr.write(
    `${place}  ${`${scenario}/${job.id}`.padEnd(28)} ${target.padEnd(22)} ${round + 1}  ${describe(sample)}${noise}\n`,
  );
}

function describe(sample) {
  if (sample.perSecond !== undefined) {
    const { perSecond, cpuUs, p50, p99 } = sample;
    return `${perSecond.toFixed(0).padStart(6)}/s ${cpuUs.toFixed(0).padStart(6)} µs  p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms`;
  }
  if (sample.top !== undefined) return `${sample.top[0]?.name ?? "nothing"} first`;
  if (sample.rss !== undefined) return `${(sample.rss / 1e6).toFixed(1)} MB`;
  return `${sample.ms.toFixed(2)} ms`;
}
