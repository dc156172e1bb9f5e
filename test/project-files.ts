// The project's own files, for tests that look at the project itself.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const projectRoot = fileURLToPath(new URL("../", import.meta.url));

/** What installing and building the documentation leaves in its folder. */
const GENERATED = /\/node_modules\/|^docs\/(api|\.vitepress\/(cache|dist))\//;

/** Every file below the folder whose name ends so: paths from the root, with `/`, in order. */
export function listFiles(folder: string, ending: string): readonly string[] {
  if (!existsSync(projectRoot + folder)) return [];
  return readdirSync(projectRoot + folder, { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(ending) && !GENERATED.test(path))
    .sort();
}

/** The folders of the packages: `packages/core` and so on. */
export function listPackages(): readonly string[] {
  return listFolders("packages").filter((folder) => existsSync(`${projectRoot}${folder}/package.json`));
}

export function readProjectFile(path: string): string {
  return readFileSync(projectRoot + path, "utf8");
}

function listFolders(parent: string): readonly string[] {
  return readdirSync(projectRoot + parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${parent}/${entry.name}`)
    .sort();
}
