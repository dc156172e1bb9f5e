// Which build this is, for --version: the commit it was made from and that commit's day, as tools/bundle.mjs wrote them.

import { readFileSync } from "node:fs";
import { PACKAGE_FOLDER } from "./package-folder.js";

/** `0.1.0 (7b87ece, 2026-11-17)`; the version alone where the build did not know its commit. */
export function versionWithBuild(version: string): string {
  const { commit, date } = readBuild();
  return typeof commit === "string" && typeof date === "string" ? `${version} (${commit}, ${date})` : version;
}

function readBuild(): { readonly commit?: unknown; readonly date?: unknown } {
  try {
    return Object(JSON.parse(readFileSync(new URL("dist/build.json", PACKAGE_FOLDER), "utf8")));
  } catch {
    return {};
  }
}
