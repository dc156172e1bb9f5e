// The gateway's own tools as clients see them: which exist in which mode, and their descriptions (GW-10,
// GW-11).

import type { NamingTable } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import type { JsonObject } from "../../mcp/json.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewaySettings, ToolboxMode } from "../settings.js";
import { formsOf, META_TOOLS, type MetaTool, type MetaToolNames, metaToolNames } from "./meta-tool-names.js";

export interface MetaToolChoice {
  readonly mode: ToolboxMode;
  /** Ids of the toolboxes; operators choose them. */
  readonly toolboxes: readonly string[];
  /** Their names in the caller's profile. */
  readonly names: MetaToolNames;
  /** Use the argument names of mcp-workbench (BOX-9). */
  readonly isWorkbench?: boolean;
}

/**
 * The meta tools of a mode, in a fixed order. If everything is listed there is nothing to open, and without
 * toolboxes nothing to choose from: a plain config shows only its servers' tools.
 */
export function metaToolsFor({
  mode,
  toolboxes,
}: Pick<MetaToolChoice, "mode" | "toolboxes">): readonly MetaTool[] {
  if (toolboxes.length === 0) return mode === "proxy" ? ["find_tools", "use_tool"] : [];
  if (mode === "static") return ["list_toolboxes", "find_tools"];
  return mode === "proxy" ? META_TOOLS : META_TOOLS.filter((tool) => tool !== "use_tool");
}

/** Entries for `tools/list`. Their descriptions use the names this caller sees. */
export function buildMetaTools(choice: MetaToolChoice): readonly JsonObject[] {
  return metaToolsFor(choice).map((tool) => ({
    name: choice.names.get(tool) ?? tool,
    ...DEFINITIONS[tool](choice),
  }));
}

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const SWITCHES = { ...READS, readOnlyHint: false };
/** The called tool may do anything. */
const ACTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

const DEFINITIONS: Readonly<Record<MetaTool, (choice: MetaToolChoice) => JsonObject>> = {
  list_toolboxes: () => ({
    title: "List toolboxes",
    description:
      "Lists the toolboxes: what each is for, how many servers and tools it holds, and whether it is open.",
    inputSchema: { type: "object", properties: {} },
    annotations: { title: "List toolboxes", ...READS },
  }),
  open_toolbox: (choice) => ({
    title: "Open a toolbox",
    description:
      choice.mode === "proxy"
        ? `Opens a toolbox and lists its tools. Call them with ${nameIn(choice, "use_tool")}. Opening an open toolbox does no harm.`
        : "Opens a toolbox: its tools join your list of tools. Opening an open toolbox does no harm.",
    inputSchema: toolboxArguments(choice),
    annotations: { title: "Open a toolbox", ...SWITCHES },
  }),
  close_toolbox: (choice) => ({
    title: "Close a toolbox",
    description: "Closes a toolbox that is no longer needed. Other toolboxes stay as they are.",
    inputSchema: toolboxArguments(choice),
    annotations: { title: "Close a toolbox", ...SWITCHES },
  }),
  find_tools: (choice) => ({
    title: "Find tools",
    description: `Finds tools by words in their names and descriptions, best first.${findHint(choice)}`,
    inputSchema: {
      type: "object",
      properties: {
        query: {
          type: "string",
          description: 'Words that say what the tool should do, such as "read file".',
        },
        ...(choice.toolboxes.length === 0
          ? {}
          : { toolbox: toolboxSchema(choice, "Only tools of this toolbox.") }),
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 100,
          default: 10,
          description: "How many tools at most.",
        },
      },
      required: ["query"],
    },
    annotations: { title: "Find tools", ...READS },
  }),
  use_tool: (choice) => ({
    title: "Use a tool",
    description: `Calls a tool. Its name and the arguments it takes are told by ${nameIn(choice, "find_tools")}.`,
    inputSchema:
      choice.isWorkbench === true
        ? workbenchUseArguments(choice)
        : {
            type: "object",
            properties: {
              tool: {
                type: "string",
                description: "The tool's name as listed, or its own name on the server given.",
              },
              server: { type: "string", description: "The server, where the tool's own name is given." },
              ...(choice.toolboxes.length === 0
                ? {}
                : { toolbox: toolboxSchema(choice, "The server's toolbox.") }),
              arguments: { type: "object", description: "The arguments of the tool." },
            },
            required: ["tool"],
          },
    annotations: { title: "Use a tool", ...ACTS },
  }),
};

/** `toolbox`, or `toolbox_name` for users of mcp-workbench. */
function toolboxArguments(choice: MetaToolChoice): JsonObject {
  const key = choice.isWorkbench === true ? "toolbox_name" : "toolbox";
  return { type: "object", properties: { [key]: toolboxSchema(choice) }, required: [key] };
}

function workbenchUseArguments(choice: MetaToolChoice): JsonObject {
  return {
    type: "object",
    properties: {
      toolbox_name: toolboxSchema(choice, "The toolbox of the tool."),
      tool_name: { type: "string", description: "The tool's name as listed, or its own name." },
      arguments: { type: "object", description: "The arguments of the tool." },
    },
    required: ["toolbox_name", "tool_name"],
  };
}

function findHint(choice: MetaToolChoice): string {
  switch (choice.mode) {
    case "static":
      return "";
    case "dynamic":
      return ` Tools of a closed toolbox can be called after ${nameIn(choice, "open_toolbox")}.`;
    case "proxy":
      return ` Call what you find with ${nameIn(choice, "use_tool")}.`;
  }
}

function nameIn({ names }: MetaToolChoice, tool: MetaTool): string {
  return names.get(tool) ?? tool;
}

function toolboxSchema({ toolboxes }: MetaToolChoice, description = "The toolbox."): JsonObject {
  return { type: "string", enum: toolboxes.toSorted(), description };
}

// Them in one caller's list.

/** Entries, separated by commas. */
export function formatMetaTools(
  caller: Caller,
  settings: GatewaySettings,
  snapshot: Pick<GatewaySnapshot, "tools">,
): string {
  const mode = modeFor(caller, settings);
  const toolboxes = settings.toolboxes.map(({ id }) => id);
  if (metaToolsFor({ mode, toolboxes }).length === 0) return "";
  const { isWorkbench } = settings;
  return buildMetaTools({ mode, toolboxes, names: namesFor(caller, snapshot, settings), isWorkbench })
    .map((tool) => JSON.stringify(tool))
    .join(",");
}

/** A client without a session has no list of its own that could grow: it calls tools through `use_tool`. */
export function modeFor({ session }: Caller, { mode }: GatewaySettings): ToolboxMode {
  return mode === "dynamic" && session === undefined ? "proxy" : mode;
}

const made = new WeakMap<NamingTable, MetaToolNames>();

/**
 * This caller's names for them; computed once per table, which is specific to the caller's alias and the
 * settings.
 */
export function namesFor(
  { profile, as }: Caller,
  { tools }: Pick<GatewaySnapshot, "tools">,
  { isWorkbench }: Pick<GatewaySettings, "isWorkbench">,
): MetaToolNames {
  const table = tools.namesFor(profile, as === undefined ? {} : { as });
  const known = made.get(table);
  if (known !== undefined) return known;
  const isTaken = (name: string): boolean => table.toolNamed(name) !== undefined;
  const names = metaToolNames(profile, { as: table.as, isTaken, isWorkbench });
  made.set(table, names);
  return names;
}

/** Names that no server's tool may take, in any spelling of a profile. */
export function ownToolNames(as: string = DEFAULT_ALIAS): readonly string[] {
  return [...new Set(META_TOOLS.flatMap((base) => [...formsOf(base, DEFAULT_ALIAS), ...formsOf(base, as)]))];
}
