// npm run bench:core: what naming and resolving cost, measured side by side in one run and told as ratios.

import { cpus } from "node:os";
import { bench, do_not_optimize, group, run, summary } from "mitata";
import { buildSnapshot, findProfile, listProfiles } from "../../packages/core/dist/index.js";
import { runSteps } from "../../packages/core/dist/names/steps.js";
import { namingTableSteps } from "../../packages/core/dist/naming/build-naming-table.js";
import { nameVariants } from "../../packages/core/dist/naming/fit/name-variants.js";
import { buildCatalog, buildNamingTable } from "../../packages/core/dist/naming/index.js";
import { spellingSteps } from "../../packages/core/dist/resolve/spellings/build-spellings.js";
import { serverFormSteps, serverStarts } from "../../packages/core/dist/resolve/spellings/server-forms.js";
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

/**
 * Nanoseconds per call of each work over all `texts`, the best of several rounds, since noise only adds. In turn, so that
 * a machine that is busy for a while is busy for all of them.
 */
function perCall(texts, works) {
  // A loop for each, since one that has called several functions calls all of them more slowly.
  const loops = works.map(
    () =>
      new Function("list", "work", "use", "for (let at = 0; at < list.length; at++) use(work(list[at]));"),
  );
  const best = works.map(() => Number.POSITIVE_INFINITY);
  const rounds = Math.max(60, Math.ceil((quick ? 200_000 : 1_000_000) / texts().length));
  for (let round = 0; round < rounds; round++) {
    for (const [at, work] of works.entries()) {
      const list = texts();
      const start = process.hrtime.bigint();
      loops[at](list, work, do_not_optimize);
      best[at] = Math.min(best[at], Number(process.hrtime.bigint() - start) / list.length);
    }
  }
  return best;
}

/** Texts as they come from the wire: new strings whose hash nobody has computed yet. */
function fresh(texts) {
  const bytes = texts.map((text) => Buffer.from(text));
  return () => bytes.map((each) => each.toString("latin1"));
}

function lookUps() {
  console.log(
    "look-ups, nanoseconds and times Map.get on the same strings; last, times a Map that got them at the end",
  );
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
      for (const text of from)
        if (resolve(text).outcome !== "resolved") throw new Error(`${label}: ${text} is lost`);
      // As large as the table that is asked, since a larger map is slower by itself.
      const together = new Map(tools.map(({ name }, index) => [name, index]));
      for (const text of from) together.set(text, together.size);
      // What is set one after the other lies together in memory, which no table that is asked for some of its names can
      // have. So each text is set where its tool is.
      const spread = new Map();
      for (const [index, { name }] of tools.entries()) {
        spread.set(name, index);
        if (index % step === 0) spread.set(from[index / step], index);
      }
      const [plain, flattered, ours] = perCall(texts, [
        (text) => spread.get(text),
        (text) => together.get(text),
        resolve,
      ]);
      console.log(
        line(`${count} tools, ${label}`, `${plain.toFixed(0)} ns`, `${ours.toFixed(0)} ns`, ours / plain) +
          times(ours / flattered),
      );
    }
  }
  console.log("");
}

function formOf(texts) {
  return { texts: fresh(texts), from: texts };
}

function buildTimes() {
  console.log("building, milliseconds and times filling a Map: with as many entries as there are spellings;");
  console.log("with as many as are kept, since the forms of a server are one entry for each of its tools");
  for (const [label, make] of [
    ["ordinary", ordinarySources],
    ["all cut and digested", longSources],
  ]) {
    for (const count of quick ? [10_000] : [10_000, 100_000]) {
      const sources = make(count);
      const { table, spellings, catalog } = indexed(sources);
      const names = table.tools.map(({ name }) => name);
      const kept = [...names, ...spellings.keys(), ...catalog.tools.map(({ raw }) => raw)];
      const forms = catalog.tools.flatMap((tool) => serverStarts(tool).map((start) => start + tool.raw));
      const entries = [...names, ...new Set([...spellings.keys(), ...forms])];
      const [all, stored] = [fresh(entries), fresh(kept)];
      const [filled, filledKept, built] = inTurn(
        [
          () => fill(all()),
          () => fill(stored()),
          () => {
            const start = process.cpuUsage();
            indexed(sources);
            return since(start);
          },
        ],
        count > 10_000 ? 5 : 25,
      );
      const what = `${count} tools, ${label}, table and ${entries.length} spellings`;
      console.log(
        line(what, `${filled.toFixed(0)} ms`, `${built.toFixed(0)} ms`, built / filled) +
          times(built / filledKept),
      );
    }
  }
  console.log("");
}

function fill(texts) {
  const map = new Map();
  const start = process.cpuUsage();
  for (let index = 0; index < texts.length; index++) map.set(texts[index], index);
  return since(start);
}

/** From sources to the openai table and every spelling that leads to one of its tools, as resolving needs them. */
function indexed(sources) {
  const catalog = buildCatalog(sources);
  const table = buildNamingTable(catalog, openai);
  const tableSteps = function* (profile) {
    return profile === openai ? table : yield* namingTableSteps(catalog, profile);
  };
  const variants = nameVariants({
    profiles: listProfiles(),
    as: "onym",
    tableSteps,
    isLocked: () => false,
    keepsCanonical: true,
  });
  const spellings = runSteps(spellingSteps(catalog, variants, runSteps(serverFormSteps(catalog.tools))));
  return { catalog, table, spellings };
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
    const [small, large] = inTurn(
      (quick ? [1_000, 10_000] : [10_000, 100_000]).map((count) => {
        const sources = make(count);
        return () => {
          const start = process.cpuUsage();
          buildNamingTable(buildCatalog(sources), openai);
          return since(start);
        };
      }),
    );
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

/** The best of several rounds of each; so many that compiling our own code, which a Map has behind it, is over. */
function inTurn(works, rounds = quick ? 15 : 9) {
  const least = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++)
    for (const [at, work] of works.entries()) least[at] = Math.min(least[at], work());
  return least;
}

/** Milliseconds of work, collecting garbage beside it included: on a shared machine the clock counts others' work too. */
function since(start) {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e3;
}

function line(what, plain, ours, ratio) {
  return `  ${what.padEnd(58)}${plain.padStart(10)}${ours.padStart(10)}${times(ratio)}`;
}

function times(ratio) {
  return `${ratio.toFixed(2)}×`.padStart(9);
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
