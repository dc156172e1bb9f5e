// Whether this Node can run Onym.

import type { Check } from "./check.js";

/** As `engines` in the package says. */
const LEAST = [20, 19] as const;

/** @example checkNode("20.19.0").status; // "ok" */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  const about = { group: "Onym", name: "node" } as const;
  if (isEnough) return { ...about, status: "ok", message: version };
  return {
    ...about,
    status: "error",
    message: `${version} is too old: Onym needs ${LEAST.join(".")} or later.`,
    fix: "Install a newer Node from https://nodejs.org.",
  };
}
