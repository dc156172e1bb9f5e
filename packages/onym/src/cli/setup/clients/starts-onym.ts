// Whether an entry starts Onym itself: a gateway in front of itself would never come to an end.

import type { CarriedEntry } from "./server-entry-of.js";

const RUNNERS = new Set(["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "deno"]);
const RUNNER_WORDS = new Set(["exec", "dlx", "x", "run", "--"]);

/** A folder that happens to be called onym does not count. */
export function startsOnym(id: string, { command, args = [], url }: CarriedEntry): boolean {
  if (command === undefined) return id === "onym" && url !== undefined && isHere(url);
  const words = /^cmd(?:\.exe)?$/i.test(baseOf(command)) ? args.slice(1) : [command, ...args];
  const [program = "", ...rest] = words;
  if (isOnym(baseOf(program))) return true;
  const first = rest.find((word) => !word.startsWith("-") && !RUNNER_WORDS.has(word)) ?? "";
  if (RUNNERS.has(baseOf(program))) {
    if (isOnym(first)) return true;
    if (baseOf(first) === "mcp-remote" || first.startsWith("mcp-remote@"))
      return id === "onym" && rest.some(isHere);
    return false;
  }
  return baseOf(program) === "node" && /(?:^|[\\/])onym[\\/](?:dist[\\/]bin|bin[\\/]onym)\.js$/.test(first);
}

function isOnym(word: string): boolean {
  return /^onym(?:@[^/]*)?$/.test(word);
}

function baseOf(path: string): string {
  return (path.split(/[\\/]/).pop() ?? "").replace(/\.(?:cmd|exe|bat|ps1|js|mjs)$/i, "");
}

function isHere(url: string): boolean {
  return URL.canParse(url) && ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
}
