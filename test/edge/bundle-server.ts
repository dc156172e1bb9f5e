// TypeScript of this repository as one file that a child process can run.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { coreSources } from "../../tools/core-sources.mjs";

export interface Bundle {
  readonly file: string;
  readonly remove: () => Promise<void>;
}

export async function bundleServer(entry: URL): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), "onym-edge-"));
  const file = join(folder, "server.mjs");
  await build({
    entryPoints: [entry.pathname],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    alias: coreSources(),
    logLevel: "error",
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}
