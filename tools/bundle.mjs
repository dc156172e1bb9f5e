// Bundles the program `onym` into packages/onym/dist: the command, and one file for each part that is loaded when it is
// needed. A start that reads twenty files instead of several hundred takes a third of the time. What commands share is in
// many small parts; the gateway is bundled by itself, so that it starts from a few.
// Part of `npm run build`. Tests run it too, so that what they start is what the source says.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { coreSources } from "./core-sources.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const product = join(root, "packages/onym");
const dist = join(product, "dist");
const chunks = join(dist, "chunks");
/** The console's page, as it is served. */
const pageFolder = join(dist, "console");

/** Packages with native parts, or that look for some: installed beside the product. */
const EXTERNAL = ["libsql", "pg"];

/** Each by itself, and both into one folder. */
const PROGRAMS = ["bin.ts", "bin-serve.ts"];

/** CommonJS inside asks for Node's own modules with `require`: in the one part that asks whether there is one. */
const REQUIRE =
  'import { createRequire as nodeRequire } from "node:module"; const require = nodeRequire(import.meta.url); ';

/** What takes the place of a package in the bundle: each is only faster, and tested against the package. */
const INSTEAD = new Map([
  ["undici", "tools/fast-path/undici-pool.mjs"],
  ["@noble/hashes/sha2.js", "tools/fast-path/node-sha2.mjs"],
]);

const PLACE_INSTEAD = {
  name: "place-instead",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^(undici|@noble\/hashes\/sha2\.js)$/ }, ({ path }) => ({
      path: join(root, INSTEAD.get(path)),
    })),
};

/** What one program loads of the other is found beside it. */
const LEAVE_PROGRAMS = {
  name: "leave-programs",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/bin-\w+\.js$/ }, ({ path }) => ({ path, external: true })),
};

export async function setup() {
  const bundles = await Promise.all(PROGRAMS.map(bundle));
  const files = new Map();
  for (const { path, text } of bundles.flatMap(({ outputFiles }) => outputFiles)) {
    const wantsRequire = path.endsWith(".js") && text.includes("typeof require");
    files.set(path, Buffer.from(wantsRequire ? text.replace(/^(?:#!.*\n)?/, `$&${REQUIRE}`) : text));
  }
  const inputs = new Set(bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs)));
  const page = await bundlePage();
  for (const [name, contents] of page.files) files.set(join(pageFolder, name), contents);
  for (const input of page.inputs) inputs.add(input);
  files.set(join(dist, "licenses.txt"), Buffer.from(collectLicenses([...inputs])));
  files.set(join(dist, "build.json"), Buffer.from(`${JSON.stringify(describeBuild())}\n`));
  writeChanged(files);
}

/**
 * The commit and its day, for `onym --version`: not the moment of the build, so that a commit gives the same bytes whenever it
 * is built. Where there is no repository (in an image), SOURCE_COMMIT and SOURCE_DATE_EPOCH may say it.
 */
function describeBuild() {
  const { SOURCE_COMMIT: commit, SOURCE_DATE_EPOCH: seconds } = process.env;
  if (commit && seconds)
    return { commit: commit.slice(0, 7), date: new Date(Number(seconds) * 1000).toISOString().slice(0, 10) };
  try {
    return {
      commit: git("describe", "--always", "--dirty", "--abbrev=7", "--exclude=*"),
      date: new Date(Number(git("log", "-1", "--format=%ct")) * 1000).toISOString().slice(0, 10),
    };
  } catch {
    return {};
  }
}

function git(...args) {
  return execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

function bundle(program) {
  return build({
    absWorkingDir: root,
    entryPoints: [join(product, "src", program)],
    outdir: dist,
    // Files of the product are found from one folder below `dist`, as they are from one folder below `src`.
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    mainFields: ["module", "main"],
    alias: coreSources(),
    external: EXTERNAL,
    plugins: [PLACE_INSTEAD, LEAVE_PROGRAMS],
    // Comments and indentation take time to read and stay in memory: twice as much of it, where one comment in a file has
    // a character that is not ASCII. Names stay, for those who read a stack.
    minifyWhitespace: true,
    lineLimit: 120,
    legalComments: "none",
    // For --enable-source-maps. Names and lines are enough: the source itself is not published.
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: "warning",
  });
}

/** The console's page. What it was made from is in its name: as long as that is the same, so is the page. */
async function bundlePage() {
  const source = join(root, "packages/console");
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  for (const path of listFiles(source)) hash.update(path).update(readFileSync(path));
  const stamp = join(pageFolder, "made-from.json");
  const digest = hash.digest("hex");
  const made = JSON.parse(readIfThere(stamp) ?? "{}");
  if (made.digest === digest && made.names.every((name) => existsSync(join(pageFolder, name)))) {
    const names = [...made.names, "made-from.json"];
    return {
      files: new Map(names.map((name) => [name, readFileSync(join(pageFolder, name))])),
      inputs: made.inputs,
    };
  }
  const { build: buildPage } = await import("vite");
  // vitest sets another one, with which Vite would make, and leave for the package, a page for development.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  const { output } = await buildPage({
    root: source,
    configFile: join(source, "vite.config.ts"),
    logLevel: "warn",
    build: { write: false },
  });
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
  const files = new Map(output.map((file) => [file.fileName, Buffer.from(file.code ?? file.source)]));
  files.set("icon.svg", readFileSync(join(source, "public/icon.svg")));
  const modules = output.flatMap((file) => file.moduleIds ?? []);
  const inputs = [...new Set(modules.filter((id) => id.includes("node_modules/")))].map((id) =>
    relative(root, id.split("?")[0]),
  );
  const text = JSON.stringify({ digest, names: [...files.keys()], inputs });
  files.set("made-from.json", Buffer.from(`${text}\n`));
  return { files, inputs };
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".tsbuildinfo"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The licenses of the packages that went into the bundle. */
function collectLicenses(inputs) {
  const packages = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  return [...packages]
    .sort()
    .map(describeLicense)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function describeLicense(path) {
  const folder = join(root, path);
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  return `${name} ${version}: ${license}\n${text}`;
}

/** What is the same stays untouched: a test may be starting it. */
function writeChanged(files) {
  for (const [path, contents] of files) {
    if (readIfThere(path)?.equals(contents)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  const kept = new Set([...files.keys(), chunks, pageFolder]);
  for (const folder of [dist, chunks, pageFolder]) {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (!kept.has(path)) rmSync(path, { recursive: true });
    }
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setup();
