// Counters and histograms in memory. Values of labels are kept once for each series; how many there are is bounded.

import { BUCKETS, type HistogramSample, type Sample } from "./metric-table.js";

/** Series beyond these are counted as one. */
const MAX_SERIES = 10_000;

/** A number for each set of labels. */
export class CounterTally {
  readonly #series = new Map<string, { readonly labels: readonly string[]; value: number }>();

  add(labels: readonly string[], value = 1): void {
    const key = labels.length === 1 ? (labels[0] ?? "") : labels.join("\u0000");
    const found = this.#series.get(key);
    if (found !== undefined) found.value += value;
    else if (this.#series.size < MAX_SERIES) this.#series.set(key, { labels, value });
    else if (!isOther(labels))
      this.add(
        labels.map(() => OTHER),
        value,
      );
  }

  samples(): readonly Sample[] {
    return [...this.#series.values()].map(({ labels, value }) => ({ labels, value }));
  }
}

export const OTHER = "other";

function isOther(labels: readonly string[]): boolean {
  return labels.every((each) => each === OTHER);
}

export class HistogramTally {
  readonly #labels: readonly string[];
  readonly #counts = new Array<number>(BUCKETS.length + 1).fill(0);
  #sum = 0;

  constructor(labels: readonly string[]) {
    this.#labels = labels;
  }

  observe(seconds: number): void {
    let index = 0;
    while (index < BUCKETS.length && seconds > (BUCKETS[index] ?? 0)) index++;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += seconds;
  }

  sample(): HistogramSample {
    return { labels: this.#labels, counts: [...this.#counts], sum: this.#sum };
  }
}
