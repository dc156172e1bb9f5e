// Reads what a request says about its client. All of it is foreign data: values of the wrong type are ignored, and
// only the start of a long text is read.

/** What a gateway knows about the client of a request. Every field may be missing or malformed. */
export interface DetectionHints {
  readonly clientInfo?:
    | { readonly name?: unknown; readonly version?: unknown; readonly title?: unknown }
    | undefined;
  readonly userAgent?: unknown;
  /** Names in any case; values may be lists. */
  readonly headers?: Readonly<Record<string, unknown>> | Iterable<readonly [string, unknown]> | undefined;
}

/** The hints as text. */
export interface ReadHints {
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly userAgent: string | undefined;
  readonly headers: ReadonlyMap<string, string>;
  readonly via: "mcp-remote" | undefined;
}

const MAX_TEXT_LENGTH = 1024;
const READ_HEADERS: ReadonlySet<string> = new Set([
  "user-agent",
  "x-anthropic-client",
  "x-openai-session",
  "x-openai-subject",
  "x-title",
]);
const BRIDGE = "(via mcp-remote";

export function readHints(hints: DetectionHints): ReadHints {
  const headers = readHeaders(hints?.headers);
  const clientInfo: unknown = hints?.clientInfo;
  const info: { readonly name?: unknown; readonly title?: unknown } = isObject(clientInfo) ? clientInfo : {};
  const { name, via } = stripBridge(readText(info.name));
  return {
    name,
    title: readText(info.title),
    userAgent: readText(hints?.userAgent) ?? headers.get("user-agent"),
    headers,
    via,
  };
}

/** `cursor-vscode (via mcp-remote 0.1.37)` is Cursor behind a bridge. */
function stripBridge(text: string | undefined): { name: string | undefined; via: "mcp-remote" | undefined } {
  let name = text;
  let via: "mcp-remote" | undefined;
  while (name?.endsWith(")")) {
    const at = name.toLowerCase().lastIndexOf(BRIDGE);
    if (at < 0 || name.indexOf(")", at) !== name.length - 1) break;
    via = "mcp-remote";
    name = readText(name.slice(0, at));
  }
  return { name, via };
}

function readHeaders(headers: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (!isObject(headers)) return found;
  const entries: Iterable<unknown> = isIterable(headers) ? headers : Object.entries(headers);
  for (const entry of entries) {
    if (!Array.isArray(entry) || typeof entry[0] !== "string") continue;
    const key = entry[0].toLowerCase();
    const value = READ_HEADERS.has(key) ? readText(entry[1]) : undefined;
    if (value !== undefined && !found.has(key)) found.set(key, value);
  }
  return found;
}

/** The text, or the first text of a list; `undefined` if it is empty. */
function readText(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value.find((item) => typeof item === "string") : value;
  if (typeof first !== "string") return undefined;
  const text = first.slice(0, MAX_TEXT_LENGTH).trim();
  return text === "" ? undefined : text;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value && typeof value[Symbol.iterator] === "function";
}
