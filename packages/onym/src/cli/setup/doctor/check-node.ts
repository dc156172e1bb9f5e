// Whether this Node can run Onym.

import type { Check } from "./check.js";

/** As `engines` in the package says. */
const MIN_VERSION = [20, 19] as const;

/** @example checkNode("20.19.0").status; // "ok" */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough = major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
  const about = { group: "Onym", name: "node" } as const;
  if (isEnough) return { ...about, status: "ok", message: version };
  return {
    ...about,
    status: "error",
    message: `${version} is too old: Onym needs ${MIN_VERSION.join(".")} or later.`,
    fix: "Install a newer Node from https://nodejs.org.",
  };
}
