// How the system finds a file by its path: through which folders and links. Who may write to one of those folders can
// put another file in its place (SAFE-7).

import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";

export interface PathTrace {
  /** Where the path leads, as far as it exists; without links. */
  readonly target: string;
  /** Every folder that a name of the path, or of a link on the way, is looked up in. */
  readonly folders: ReadonlySet<string>;
  /** Where the file stands: the name itself, what it links to, and the first name that is missing. */
  readonly places: readonly PlaceInFolder[];
}

interface PlaceInFolder {
  readonly folder: string;
  readonly name: string;
}

/** As Linux has it. */
const MAX_LINKS = 40;

/** @param path Absolute. What is missing is no mistake. */
export function tracePath(path: string): PathTrace {
  const folders = new Set<string>();
  const places: PlaceInFolder[] = [];
  const left = partsOf(path).reverse();
  let at: string = sep;
  let links = 0;
  let isMissing = false;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    folders.add(at);
    const next = join(at, name);
    const found: Found = isMissing ? "nothing" : lookAt(next, left.length > 0);
    if (!isMissing && (left.length === 0 || found === "nothing")) places.push({ folder: at, name });
    isMissing ||= found === "nothing";
    if (typeof found === "object" && ++links <= MAX_LINKS) {
      if (isAbsolute(found.link)) at = sep;
      left.push(...partsOf(found.link).reverse());
    } else at = next;
  }
  return { target: at, folders, places };
}

/** The first of the files that could be replaced by somebody who may write to the folder and what is below it. */
export function findReplaceable(files: readonly string[], folder: string): string | undefined {
  const { target } = tracePath(folder);
  return files.find((file) => tracePath(file).folders.has(target));
}

/** The first of the folders that the path leads to, or into. */
export function findAround(folders: readonly string[], path: string): string | undefined {
  const { target } = tracePath(path);
  return folders.find((folder) => {
    const { target: around } = tracePath(folder);
    return target === around || target.startsWith(`${around}${sep}`);
  });
}

function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== "" && part !== ".");
}

type Found = { readonly link: string } | "nothing" | "other";

/** @param isInside More of the path follows, which leads nowhere from what is no folder. */
function lookAt(path: string, isInside: boolean): Found {
  try {
    const found = lstatSync(path);
    if (found.isSymbolicLink()) return { link: readlinkSync(path) };
    return isInside && !found.isDirectory() ? "nothing" : "other";
  } catch {
    return "nothing";
  }
}
