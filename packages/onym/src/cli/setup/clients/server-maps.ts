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
  return [
    ...found.flatMap((map) => Object.entries(map).map(([id, raw]) => ({ id, raw }))),
    ...Object.entries(boxes ?? {}).flatMap(([id, box]) => entriesOfToolbox(id, box)),
  ];
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
