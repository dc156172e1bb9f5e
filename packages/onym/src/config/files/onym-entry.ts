// Whether a server entry is Onym itself, as a client that is connected registers it, and which config it is started with.

interface StartedEntry {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly url?: string | undefined;
}

const RUNNERS = new Set(["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "deno"]);
const RUNNER_WORDS = new Set(["exec", "dlx", "x", "run", "--"]);

/** A folder that happens to be called onym does not count. */
export function startsOnym(id: string, { command, args = [], url }: StartedEntry): boolean {
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

/** Where an entry connects to an Onym of this machine over HTTP; `undefined` for another, and for one that starts Onym. */
export function onymAddressOf(id: string, entry: StartedEntry): string | undefined {
  if (!startsOnym(id, entry)) return undefined;
  return entry.command === undefined ? entry.url : entry.args?.find(isHere);
}

/** The config that a command line of Onym names. */
export function configArgument(args: readonly string[]): string | undefined {
  const at = args.findIndex((word) => /^(?:-c|--config)$/.test(word));
  if (at >= 0) return args[at + 1];
  return args.flatMap((word) => /^(?:--config=|-c=?)(.+)$/.exec(word)?.[1] ?? [])[0];
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
