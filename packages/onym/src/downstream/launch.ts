// How a downstream is reached. The fingerprint is what an approval is bound to beside the server id (POL-2).

import { createHash } from "node:crypto";

export type Launch =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** Beside the safe part of Onym's own environment. */
      readonly env: ReadonlyMap<string, string>;
      readonly cwd: string;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: ReadonlyMap<string, string> }
  | { readonly kind: "sse"; readonly url: string; readonly headers: ReadonlyMap<string, string> }
  /** Tools that stand in the config; there is nothing to call. */
  | { readonly kind: "static" };

/**
 * Says whether two launches reach the same thing: what is started or called, and with which settings.
 * Secrets enter only through the hash.
 */
export function launchFingerprint(launch: Launch): string {
  const known = fingerprints.get(launch);
  if (known !== undefined) return known;
  const made = createHash("sha256")
    .update(JSON.stringify(launchParts(launch)))
    .digest("hex");
  fingerprints.set(launch, made);
  return made;
}

/** Every call is bound to one; a launch never changes. */
const fingerprints = new WeakMap<Launch, string>();

function launchParts(launch: Launch): readonly unknown[] {
  switch (launch.kind) {
    case "stdio":
      return ["stdio", launch.command, launch.args, sorted(launch.env), launch.cwd];
    case "http":
    case "sse":
      return [launch.kind, launch.url, sorted(launch.headers)];
    case "static":
      return ["static"];
  }
}

function sorted(map: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
