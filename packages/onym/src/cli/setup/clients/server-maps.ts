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
export function findEntries(value: unknown, project?: string): readonly FoundEntry[] | undefined {
  const maps = PATHS.map((path) => path.reduce<unknown>(fieldOf, value));
  const mcp = fieldOf(value, "mcp");
  // OpenCode and Crush have the servers directly under `mcp`.
  if (fieldOf(mcp, "servers") === undefined && Object.values(objectOf(mcp) ?? {}).some(isEntry))
    maps.push(mcp);
  if (project !== undefined) maps.push(fieldOf(fieldOf(fieldOf(value, "projects"), project), "mcpServers"));
  const found = maps.map(objectOf).filter((map) => map !== undefined);
  const boxes = objectOf(fieldOf(value, "toolboxes"));
  if (found.length === 0 && boxes === undefined) return undefined;
  const settle = settingsOf(value, project);
  return [
    ...found.flatMap((map) => Object.entries(map).map(([id, raw]) => ({ id, ...settle(id, raw) }))),
    ...Object.entries(boxes ?? {}).flatMap(([id, box]) => entriesOfToolbox(id, box)),
  ];
}

/** What a file says of a server outside of its entry: that it is off, and which of its tools are. */
function settingsOf(
  value: unknown,
  project: string | undefined,
): (id: string, raw: unknown) => Pick<FoundEntry, "raw" | "mentions"> {
  const own = project === undefined ? undefined : fieldOf(fieldOf(value, "projects"), project);
  // Claude Code for a project (not checked), Gemini CLI for all (`mcp.excluded` and `mcp.allowed` in its documentation).
  const off = [fieldOf(own, "disabledMcpServers"), fieldOf(fieldOf(value, "mcp"), "excluded")].flatMap(
    namesIn,
  );
  const only = fieldOf(fieldOf(value, "mcp"), "allowed");
  // OpenCode: `tools` with the names that it shows, or patterns of them (not checked).
  const switched = Object.entries(objectOf(fieldOf(value, "tools")) ?? {}).filter(
    ([, isOn]) => isOn === false,
  );
  return (id, raw) => {
    const entry = objectOf(raw);
    if (entry === undefined) return { raw };
    const met = metTools(entry, id);
    const isOff = off.includes(id) || (Array.isArray(only) && !only.includes(id));
    const prefix = `${id.replace(/[^A-Za-z0-9_-]/g, "_")}_`;
    const hidden = [
      ...switched.flatMap(([name]) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])),
      ...met.flatMap(({ name, isOn }) => (isOn ? [] : [name])),
    ];
    return {
      raw: {
        ...entry,
        ...(isOff ? { disabled: true } : {}),
        ...(hidden.length === 0 ? {} : { disabledTools: [...namesIn(entry["disabledTools"]), ...hidden] }),
      },
      mentions: met.map(({ name }) => name),
    };
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

function namesIn(value: unknown): readonly string[] {
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
