// Readers of what strangers send, fed mutated bytes and held against plain oracles: none throws, none reads anything else,
// and none takes more than its share of time and memory (SAFE-4). ONYM_FUZZ_INPUTS says how many inputs each gets.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createChance } from "../gateway/misroutes/chance.js";
import { loadCorpus, showInput } from "./fuzz-target.js";
import { measureGrowth } from "./growth.js";
import { mutate } from "./mutate.js";
import { config } from "./targets/config.js";
import { events } from "./targets/events.js";
import { headers } from "./targets/headers.js";
import { lines } from "./targets/lines.js";
import { messages } from "./targets/messages.js";
import { names } from "./targets/names.js";

const INPUTS = Number(process.env["ONYM_FUZZ_INPUTS"] ?? 3_000);
const SEED = Number(process.env["ONYM_FUZZ_SEED"] ?? 1);
const isLong = process.env["ONYM_FUZZ_INPUTS"] !== undefined;
/** Inputs whose cost is measured, where somebody asked for a long run. */
const STRETCHED = 100;
/** What a quadratic reader would come to. */
const QUADRATIC = 32;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

describe.each([messages, lines, events, headers, names, config])("the reader of $name", (target) => {
  const corpus = loadCorpus(target.name);

  it("agrees with its oracle on the corpus (SAFE-4)", () => {
    for (const input of corpus) target.check(input, createChance(SEED));
  });

  it(`agrees with its oracle on ${INPUTS} mutated inputs, and keeps no memory (SAFE-4)`, () => {
    const chance = createChance(SEED);
    collect();
    const before = process.memoryUsage().heapUsed;
    const began = Date.now();
    for (let count = 0; count < INPUTS; count += 1) {
      const input = mutate({ corpus, tokens: target.tokens, chance });
      try {
        target.check(input, createChance(count));
      } catch (cause) {
        throw new Error(`input ${count} of seed ${SEED}: ${showInput(input)}`, { cause });
      }
    }
    const seconds = (Date.now() - began) / 1000;
    collect();
    const kept = (process.memoryUsage().heapUsed - before) / 1024 / 1024;
    if (isLong) console.info(JSON.stringify({ reader: target.name, inputs: INPUTS, seconds, keptMiB: kept }));
    expect(kept).toBeLessThan(32);
  });

  it.runIf(isLong)("costs as much a byte for large inputs as for small ones, or little more", () => {
    const source = { corpus, tokens: target.tokens, chance: createChance(SEED) };
    const { ratio, input } = measureGrowth(target, source, STRETCHED);
    console.info(
      JSON.stringify({ reader: target.name, worstGrowth: ratio, input: showInput(input).slice(0, 200) }),
    );
    expect(ratio).toBeLessThan(QUADRATIC / 2);
  });
});
