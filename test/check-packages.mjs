// What would be published, checked as its users get it: packed, typed, bundled for a browser, run without Node.
// Run as `npm run packages`. Prints one line for each check; exits 1 when one fails.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const root = fileURLToPath(new URL("../", import.meta.url));
const budgets = readJson("test/size-budget.json");
const folder = mkdtempSync(join(tmpdir(), "onym-packages-"));
let failures = 0;

/** Written when a package is packed: tools/write-sbom.mjs. */
const SBOM = "sbom.cdx.json";

try {
  run("npm", ["run", "--silent", "build"]);
  for (const workspace of readJson("package.json").workspaces) await checkPackage(workspace);
  await checkBrowserBundle("@onym/core");
  await checkBrowserBundle("@onym/core/evidence");
  await checkWithoutNode();
  checkPage();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

async function checkPackage(workspace) {
  const manifest = readJson(`${workspace}/package.json`);
  const [packed] = JSON.parse(
    run("npm", ["pack", "--json", "--pack-destination", folder, "--workspace", workspace]),
  );
  const tarball = join(folder, packed.filename);
  const paths = packed.files.map((file) => file.path);
  const strange = paths.filter((path) => /\.test\.|\.tsbuildinfo$|^src\//.test(path));
  const missing = ["README.md", "LICENSE", SBOM].filter((path) => !paths.includes(path));
  report(`${manifest.name}: ${paths.length} files, ${kilobytes(packed.size)} packed`, [
    ...strange.map((path) => `${path} should not be published`),
    ...missing.map((path) => `${path} is missing`),
  ]);

  // A true ArrayBuffer of just these bytes: small Buffers share theirs.
  const bytes = new Uint8Array(readFileSync(tarball)).buffer;
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: bytes } });
  report(
    `${manifest.name}: publint`,
    messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code),
  );

  const typed = Object.entries(manifest.exports).filter(([, target]) => target.types !== undefined);
  if (typed.length > 0) {
    const args = ["--profile", "esm-only", "--no-definitely-typed", "--format", "ascii", "--no-emoji"];
    const entrypoints = ["--entrypoints", ...typed.map(([path]) => path)];
    const attw = fileURLToPath(
      new URL("dist/index.js", import.meta.resolve("@arethetypeswrong/cli/package.json")),
    );
    const verdict = tryRun(process.execPath, [attw, tarball, ...args, ...entrypoints]);
    report(`${manifest.name}: are the types wrong?`, verdict.ok ? [] : [verdict.output]);
  }
  const place = join(folder, "node_modules", manifest.name);
  mkdirSync(place, { recursive: true });
  run("tar", ["-xzf", tarball, "-C", place, "--strip-components", "1"]);
  if (paths.includes(SBOM)) checkSbom(manifest, place);
}

/** It is about this package, and lists what the manifest asks for and what is bundled, each with licence and digest. */
function checkSbom(manifest, place) {
  const { metadata, components } = JSON.parse(readFileSync(join(place, SBOM), "utf8"));
  const listed = new Set(components.map(({ name, version }) => `${name} ${version}`));
  const parts = { ...manifest.dependencies, ...manifest.devDependencies };
  const needed = Object.entries(parts).map(([name, version]) => `${name} ${version}`);
  const bundled = join(place, "dist/licenses.txt");
  if (existsSync(bundled)) {
    for (const [, name] of readFileSync(bundled, "utf8").matchAll(/^(\S+ \d[^:\s]*): /gm)) needed.push(name);
  }
  // Packages of the workspace have no digest: they are packed with this one.
  const bare = components.filter(
    ({ name, licenses, hashes }) => !(licenses && (hashes || name.startsWith("@onym/"))),
  );
  report(`${manifest.name}: ${components.length} packages in ${SBOM}`, [
    ...(metadata.component.name === manifest.name ? [] : [`it is about ${metadata.component.name}`]),
    ...needed.filter((name) => !listed.has(name)).map((name) => `${name} is not listed`),
    ...bare.map(({ name }) => `${name} has no licence or no digest`),
  ]);
}

async function checkBrowserBundle(specifier) {
  const result = await bundle(`export * from ${JSON.stringify(specifier)};`, { format: "esm" });
  const raw = result.outputFiles?.[0]?.contents ?? new Uint8Array();
  const gzip = gzipSync(raw, { level: 9 }).length;
  const budget = budgets[specifier].gzip;
  report(
    `${specifier}: ${kilobytes(raw.length)} minified, ${kilobytes(gzip)} gzip of ${kilobytes(budget)} allowed`,
    [
      ...result.errors.map((error) => error.text),
      ...(gzip > budget ? [`${gzip} bytes are over the budget of ${budget} in test/size-budget.json`] : []),
    ],
  );
}

/** The console's page, as browsers load it. */
function checkPage() {
  const page = join(root, "packages/onym/dist/console");
  const files = readdirSync(page).filter((name) => /\.(html|js|css)$/.test(name));
  const gzip = files.reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(page, name)), { level: 9 }).length,
    0,
  );
  const budget = budgets.console.gzip;
  report(`console: ${kilobytes(gzip)} gzip of ${kilobytes(budget)} allowed`, [
    ...(files.length < 3 ? ["the page is not whole"] : []),
    ...(gzip > budget ? [`${gzip} bytes are over the budget of ${budget} in test/size-budget.json`] : []),
  ]);
}

/** A context with the language and nothing else: no process, no require, no modules; `TextEncoder` as everywhere. */
async function checkWithoutNode() {
  const result = await bundle(`export { buildSnapshot } from "@onym/core";`, {
    format: "iife",
    globalName: "onym",
  });
  const script = `${result.outputFiles?.[0]?.text}
    const snapshot = onym.buildSnapshot([
      { server: "salesforce", tools: ["get_leads", "create_lead"] },
      { server: "salesforce-v2", integration: "salesforce", version: 2, tools: ["create_lead"] },
    ]);
    snapshot.namesFor("openai").tools.map(({ name }) => name).sort().join(" ")
      + " " + snapshot.resolve("salesforce%401~get_leads%401").tool.canonical;`;
  const expected = "sf_create_lead sf_create_lead_2 sf_get_leads salesforce@1/get_leads@1";
  let answer;
  try {
    answer = runInContext(script, createContext({ TextEncoder }), { timeout: 10_000 });
  } catch (error) {
    answer = String(error);
  }
  report(
    "@onym/core: runs without Node",
    answer === expected ? [] : [`expected ${expected}`, `answered ${answer}`],
  );
}

function bundle(contents, options) {
  return build({
    stdin: { contents, resolveDir: folder },
    nodePaths: [join(root, "node_modules")],
    platform: "browser",
    target: "es2023",
    bundle: true,
    minify: true,
    write: false,
    logLevel: "silent",
    ...options,
  }).catch((failure) => ({ errors: failure.errors ?? [{ text: String(failure) }], outputFiles: [] }));
}

function report(title, complaints) {
  console.log(`${complaints.length === 0 ? "ok  " : "FAIL"} ${title}`);
  for (const complaint of complaints) console.log(`     ${complaint.trimEnd().replaceAll("\n", "\n     ")}`);
  if (complaints.length > 0) failures++;
}

function run(command, args) {
  return execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function tryRun(command, args) {
  try {
    return { ok: true, output: execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: "pipe" }) };
  } catch (error) {
    return { ok: false, output: `${error.stdout ?? ""}${error.stderr ?? ""}` || String(error) };
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
