// npm run bench:core: what naming and resolving cost, measured side by side in one run and told as ratios.

import { cpus } from "node:os";
import { bench, do_not_optimize, group, run, summary } from "mitata";
import {
  buildCatalog,
  buildNamingTable,
  buildSnapshot,
  findProfile,
  listProfiles,
} from "../../packages/core/dist/index.js";
import { nameVariants } from "../../packages/core/dist/naming/name-variants.js";
import { buildSpellings } from "../../packages/core/dist/resolve/build-spellings.js";
import { collidingSources, foldingSources, longSources, ordinarySources } from "./sources.mjs";

const quick = process.argv.includes("--quick");
const openai = findProfile("openai");

console.log("about six minutes; --quick takes one, --mitata adds distributions");
console.log(`${cpus()[0]?.model.trim()}, Node ${process.version}\n`);
lookUps();
buildTimes();
growth();
memory();
if (process.argv.includes("--mitata")) await details();

/** Nanoseconds per call of `work` over all `texts`, the best of several rounds, since noise only adds. */
function perCall(texts, work) {
  let best = Number.POSITIVE_INFINITY;
  const rounds = Math.ceil((quick ? 20_000 : 200_000) / texts().length);
  for (let round = 0; round < rounds; round++) {
    const list = texts();
    const start = process.hrtime.bigint();
    for (let index = 0; index < list.length; index++) do_not_optimize(work(list[index]));
    best = Math.min(best, Number(process.hrtime.bigint() - start) / list.length);
  }
  return best;
}

/** Texts as they come from the wire: new strings whose hash nobody has computed yet. */
function fresh(texts) {
  const bytes = texts.map((text) => Buffer.from(text));
  return () => bytes.map((each) => each.toString("latin1"));
}

function lookUps() {
  console.log("look-ups, nanoseconds and times Map.get on the same strings");
  for (const count of quick ? [100, 10_000] : [100, 1_000, 10_000, 100_000]) {
    const snapshot = buildSnapshot(ordinarySources(count));
    const { tools } = snapshot.namesFor("openai");
    const resolve = snapshot.resolverFor("openai");
    const step = Math.ceil(tools.length / 2_000);
    const sample = tools.filter((_, index) => index % step === 0);
    const names = sample.map(({ name }) => name);
    const forms = {
      "public, cached string": { texts: () => names, from: names },
      "public, fresh string": { texts: fresh(names), from: names },
      "canonical, fresh": formOf(sample.map(({ tool }) => tool.canonical)),
      "mcp__server__tool, fresh": formOf(sample.map(({ tool }) => `mcp__${tool.server}__${tool.raw}`)),
      "full integration, fresh": formOf(sample.map(({ tool }) => `${tool.integration}_${tool.raw}`)),
      "percent-encoded, fresh": formOf(sample.map(({ tool }) => encodeURIComponent(tool.canonical))),
      "without versions, fresh": formOf(sample.map(({ tool }) => `${tool.integration}@v1/${tool.toolName}`)),
      "upper case, fresh": formOf(sample.map(({ tool }) => tool.canonical.toUpperCase())),
    };
    for (const [label, { texts, from }] of Object.entries(forms)) {
      // As large as the table that is asked, since a larger map is slower by itself.
      const map = new Map(tools.map(({ name }, index) => [name, index]));
      for (const text of from) map.set(text, map.size);
      for (const text of from)
        if (resolve(text).outcome !== "resolved") throw new Error(`${label}: ${text} is lost`);
      const plain = perCall(texts, (text) => map.get(text));
      const ours = perCall(texts, resolve);
      console.log(
        line(`${count} tools, ${label}`, `${plain.toFixed(0)} ns`, `${ours.toFixed(0)} ns`, ours / plain),
      );
    }
  }
  console.log("");
}

function formOf(texts) {
  return { texts: fresh(texts), from: texts };
}

function buildTimes() {
  console.log("building, milliseconds and times filling a Map with as many entries");
  for (const [label, make] of [
    ["ordinary", ordinarySources],
    ["all cut and digested", longSources],
  ]) {
    for (const count of quick ? [10_000] : [10_000, 100_000]) {
      const sources = make(count);
      const { table, spellings } = indexed(sources);
      const entries = [...table.tools.map(({ name }) => name), ...spellings.keys()];
      const filled = best(() => {
        const texts = fresh(entries)();
        const map = new Map();
        const start = process.hrtime.bigint();
        for (let index = 0; index < texts.length; index++) map.set(texts[index], index);
        return since(start);
      });
      const built = best(() => {
        const start = process.hrtime.bigint();
        indexed(sources);
        return since(start);
      });
      const what = `${count} tools, ${label}, table and ${entries.length} spellings`;
      console.log(line(what, `${filled.toFixed(0)} ms`, `${built.toFixed(0)} ms`, built / filled));
    }
  }
  console.log("");
}

/** The openai table and every spelling that leads to one of its tools, as resolving needs them. */
function indexed(sources) {
  const catalog = buildCatalog(sources);
  const table = buildNamingTable(catalog, openai);
  const tableOf = (profile) => (profile === openai ? table : buildNamingTable(catalog, profile));
  const variants = nameVariants({ profiles: listProfiles(), as: "onym", tableOf, isLocked: () => false });
  return { table, spellings: buildSpellings(catalog, variants) };
}

function growth() {
  console.log("growth, milliseconds for 10,000 and 100,000 tools, and their ratio (10 is linear)");
  const sets = {
    ordinary: ordinarySources,
    "all cut": longSources,
    "all collide": collidingSources,
    "all fold onto few": foldingSources,
  };
  for (const [label, make] of Object.entries(sets)) {
    const [small, large] = (quick ? [1_000, 10_000] : [10_000, 100_000]).map((count) => {
      const sources = make(count);
      return best(() => {
        const start = process.hrtime.bigint();
        buildNamingTable(buildCatalog(sources), openai);
        return since(start);
      });
    });
    console.log(line(label, `${small.toFixed(0)} ms`, `${large.toFixed(0)} ms`, large / small));
  }
  console.log("");
}

function memory() {
  const count = quick ? 10_000 : 100_000;
  const sources = ordinarySources(count);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const snapshot = buildSnapshot(sources);
  const { length } = snapshot.namesFor("openai").tools;
  globalThis.gc?.();
  const named = process.memoryUsage().heapUsed;
  snapshot.resolve("no such tool", { profile: "openai" });
  globalThis.gc?.();
  const spelled = process.memoryUsage().heapUsed;
  console.log(
    `memory per tool: ${((named - before) / length).toFixed(0)} bytes with one table, ${((spelled - before) / length).toFixed(0)} bytes with every spelling`,
  );
  if (snapshot.catalog.tools.length !== length) throw new Error("tools were lost");
}

function best(work, rounds = quick ? 3 : 7) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) least = Math.min(least, work());
  return least;
}

function since(start) {
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function line(what, plain, ours, ratio) {
  return `  ${what.padEnd(58)}${plain.padStart(10)}${ours.padStart(10)}${`${ratio.toFixed(2)}×`.padStart(9)}`;
}

/** The same look-ups in mitata, with its distribution and heap figures. */
async function details() {
  const snapshot = buildSnapshot(ordinarySources(10_000));
  const names = snapshot.namesFor("openai").tools.map(({ name }) => name);
  const resolve = snapshot.resolverFor("openai");
  const map = new Map(names.map((name, index) => [name, index]));
  for (const name of names) resolve(name);
  let at = 0;
  const next = () => {
    at = (at + 7919) % names.length;
    return names[at];
  };
  group("10,000 tools, cached strings", () =>
    summary(() => {
      bench("Map.get", () => do_not_optimize(map.get(next())))
        .baseline(true)
        .gc("inner");
      bench("resolve, public name", () => do_not_optimize(resolve(next()))).gc("inner");
    }),
  );
  await run();
}
