// Where servers stand in the file of a client, whichever it is: a map from ids to entries under one of a few keys.

/** A plain object from outside, or nothing. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** Own keys only: a file may well hold `constructor`. */
export function fieldOf(value: unknown, key: string): unknown {
  const object = objectOf(value);
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

const PATHS: readonly (readonly string[])[] = [
  ["mcpServers"],
  ["servers"],
  ["mcp", "servers"],
  ["mcp_servers"],
  ["context_servers"],
  ["amp.mcpServers"],
];

export interface FoundEntry {
  readonly id: string;
  readonly raw: unknown;
  /** The toolbox it stands in, in files of mcp-workbench and Onym. */
  readonly toolbox?: Toolbox;
  /** Why it cannot be carried over, where the file says so. */
  readonly reason?: string;
  /** Raw names of tools that the file tells of beside the entry. */
  readonly mentions?: readonly string[];
  /** Raw names, and the names that the file gives those tools instead. */
  readonly shownAs?: readonly (readonly [raw: string, shown: string])[];
}

export interface Toolbox {
  readonly id: string;
  readonly description: string | undefined;
}

/**
 * Every server of a file, in its order. `project` is the folder whose servers are wanted beside those for all of
 * them: Claude Code keeps both in one file.
 */
export function findEntries(
  value: unknown,
  { project, settle }: { readonly project?: string | undefined; readonly settle: Settle },
): readonly FoundEntry[] | undefined {
  const maps = PATHS.map((path) => path.reduce<unknown>(fieldOf, value));
  const mcp = fieldOf(value, "mcp");
  // OpenCode and Crush have the servers directly under `mcp`.
  if (fieldOf(mcp, "servers") === undefined && Object.values(objectOf(mcp) ?? {}).some(isEntry))
    maps.push(mcp);
  if (project !== undefined) maps.push(fieldOf(fieldOf(fieldOf(value, "projects"), project), "mcpServers"));
  const found = maps.map(objectOf).filter((map) => map !== undefined);
  const boxes = objectOf(fieldOf(value, "toolboxes"));
  if (found.length === 0 && boxes === undefined) return undefined;
  return [
    ...found.flatMap((map) => Object.entries(map).map(([id, raw]) => ({ id, ...settle(id, raw) }))),
    ...Object.entries(boxes ?? {}).flatMap(([id, box]) => entriesOfToolbox(id, box)),
  ];
}

/** The entry of a server, with what its file says of that server in forms of its own client. */
export type Settle = (id: string, raw: unknown) => Pick<FoundEntry, "raw" | "mentions">;

/**
 * One reader for every command: forms of single clients become those of Onym's entries. `isOff` are the switches that count for
 * the servers that are read; `hidden` adds the tools that lists for all servers exclude.
 */
export function settingsOf({
  isOff,
  hidden = () => [],
}: {
  readonly isOff: (id: string) => boolean;
  readonly hidden?: (id: string) => readonly string[];
}): Settle {
  return (id, raw) => {
    const entry = objectOf(raw);
    if (entry === undefined) return { raw };
    const met = metTools(entry, id);
    const without = [...hidden(id), ...met.flatMap(({ name, isOn }) => (isOn ? [] : [name]))];
    const shown = shownTools(entry);
    return {
      raw: {
        ...entry,
        ...(isOff(id) ? { disabled: true } : {}),
        ...(shown === undefined ? {} : { toolFilters: shown }),
        ...(without.length === 0 ? {} : { disabledTools: [...namesIn(entry["disabledTools"]), ...without] }),
      },
      mentions: met.map(({ name }) => name),
    };
  };
}

/** Copilot CLI: `tools` names those that are shown, none where it is empty. Goose: `available_tools`, all where it is empty. */
function shownTools(entry: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const { tools, available_tools: available } = entry;
  const isLaunched = ["command", "cmd", "url", "uri"].some((key) => entry[key] !== undefined);
  if (Array.isArray(available) && available.length > 0) return namesIn(available);
  if (!isLaunched || !Array.isArray(tools) || tools.some((tool) => typeof tool !== "string"))
    return undefined;
  return tools.includes("*") ? undefined : namesIn(tools);
}

/**
 * Tools that a file excludes by the names that the client shows: `tools` of OpenCode, with names to `false`, and `tools.exclude`
 * of Gemini CLI and Qwen Code, which may be raw names as well.
 */
export function excludedTools(value: unknown): (id: string) => readonly string[] {
  const tools = fieldOf(value, "tools");
  const off = Object.entries(objectOf(tools) ?? {}).flatMap(([name, isOn]) => (isOn === false ? [name] : []));
  const excluded = [fieldOf(tools, "exclude"), fieldOf(value, "excludeTools")].flatMap(namesIn);
  return (id) => {
    const plain = id.replace(/[^A-Za-z0-9_-]/g, "_");
    const after = (name: string, prefix: string): readonly string[] =>
      name.startsWith(prefix) && name.length > prefix.length ? [name.slice(prefix.length)] : [];
    return [
      ...off.flatMap((name) => after(name, `${plain}_`)),
      ...excluded.flatMap((name) => {
        if (name === `mcp__${plain}`) return ["*"];
        if (/^mcp_/.test(name))
          return [...after(name, `mcp__${plain}__`), ...after(name, `mcp_${plain}_`)].slice(0, 1);
        return /[*?(]/.test(name) ? [] : [name];
      }),
    ];
  };
}

/** MCPHub: `tools` of an entry is a map of names, with or without the server before them, to `{ enabled }`. */
function metTools(
  entry: Readonly<Record<string, unknown>>,
  id: string,
): readonly { readonly name: string; readonly isOn: boolean }[] {
  return Object.entries(objectOf(entry["tools"]) ?? {}).map(([name, given]) => ({
    name: name.startsWith(`${id}-`) ? name.slice(id.length + 1) : name,
    isOn: fieldOf(given, "enabled") !== false,
  }));
}

export function namesIn(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : []).filter((item: unknown) => typeof item === "string");
}

function entriesOfToolbox(id: string, box: unknown): readonly FoundEntry[] {
  const description = fieldOf(box, "description");
  const toolbox = { id, description: typeof description === "string" ? description : undefined };
  return ["mcpServers", "servers"].flatMap((key) =>
    Object.entries(objectOf(fieldOf(box, key)) ?? {}).map(([server, raw]) => ({ id: server, raw, toolbox })),
  );
}

function isEntry(value: unknown): boolean {
  return ["type", "command", "url"].some((key) => fieldOf(value, key) !== undefined);
}
