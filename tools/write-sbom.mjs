// Writes sbom.cdx.json (CycloneDX) into the package whose folder is the current one: what it brings along when it is installed,
// with versions, digests and licences, as the lock of the workspace has them. npm runs it before it packs or publishes.
// What the product needs for its build is bundled into it, and so is part of it.
//
// `npm sbom` in a workspace leaves out dependencies that the workspace itself needs for its tests too. So it is asked about a
// folder that holds nothing but this package's manifest and its part of the lock.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const { packages } = readJson(fileURLToPath(new URL("../package-lock.json", import.meta.url)));
const workspace = `packages/${basename(process.cwd())}`;
const manifest = readJson("package.json");

const folder = mkdtempSync(join(tmpdir(), "onym-sbom-"));
try {
  const { name, version, license } = manifest;
  const dependencies = { ...manifest.dependencies, ...manifest.devDependencies };
  const root = { name, version, license, dependencies };
  writeJson(join(folder, "package.json"), root);
  writeJson(join(folder, "package-lock.json"), {
    ...{ name, version, lockfileVersion: 3, requires: true },
    packages: { "": root, ...Object.fromEntries(collectDependencies(workspace, dependencies)) },
  });
  writeJson("sbom.cdx.json", describe(folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The same lock gives the same bytes: no time, no random number, and the package's own name for that of the folder. */
function describe(place) {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const sbom = JSON.parse(
    execFileSync("npm", args, { cwd: place, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }),
  );
  const { serialNumber: _number, metadata, ...rest } = sbom;
  const { timestamp: _time, ...lasting } = metadata;
  return { ...rest, metadata: { ...lasting, component: { ...metadata.component, name: manifest.name } } };
}

/**
 * Entries of the lock that are reached from a place in it, by where they are in an installation of the package alone: at the
 * top, or below who needs them where another version is there.
 */
function collectDependencies(place, dependencies, { found = new Map(), below = "" } = {}) {
  for (const name of Object.keys(dependencies ?? {})) {
    const target = findEntry(place, name);
    const { link, resolved, dev: _dev, ...entry } = packages[target];
    const described = link ? packages[resolved] : entry;
    const top = `node_modules/${name}`;
    const known = found.get(top);
    if (known?.version === described.version) continue;
    const path = known === undefined ? top : `${below}/${top}`;
    found.set(path, described);
    const needed = { ...described.dependencies, ...described.optionalDependencies };
    collectDependencies(link ? resolved : target, needed, { found, below: path });
  }
  return found;
}

/** As Node looks for a package: in the folder itself, then in each one above. */
function findEntry(place, name) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === "") throw new Error(`${name}, which ${place} needs, is not in package-lock.json`);
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
