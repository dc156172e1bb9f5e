// Explains names in toolboxes that the caller did not open, and texts that only look like toolbox names
// (BOX-8). It uses only the text and the settings, so that it reveals nothing of hidden tools (GW-6).

import {
  escapeText,
  parseToolboxName,
  type Resolution,
  type StructuredName,
  validateToolboxName,
} from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewayContext } from "../gateway-context.js";
import { modeFor, namesFor } from "./meta-tools.js";

export interface RefusalReason {
  /** One sentence or two. */
  readonly text: string;
  /** The same facts as fields. */
  readonly data: JsonObject;
}

type Boxes = Pick<GatewayContext, "settings" | "toolboxes">;

/**
 * In the mode that lists tools once their toolbox is open, a caller cannot call tools of toolboxes that only
 * others opened (GW-10).
 */
export function hideClosed(resolution: Resolution, caller: Caller, boxes: Boxes): Resolution {
  if (resolution.outcome !== "resolved") return resolution;
  const { toolbox } = resolution.tool;
  if (toolbox === undefined || caller.session?.toolboxes.has(toolbox) === true) return resolution;
  if (modeFor(caller, boxes.settings()) !== "dynamic") return resolution;
  const { steps, warnings } = resolution;
  return { outcome: "unknown", steps, warnings, suggestions: [] };
}

/** Why a name did not resolve, if it looks like a toolbox name. */
export function explainToolboxName(
  name: string | StructuredName,
  caller: Caller,
  snapshot: Pick<GatewaySnapshot, "tools">,
  boxes: Boxes,
): RefusalReason | undefined {
  const ids = boxes.settings().toolboxes.map(({ id }) => id);
  if (ids.length === 0) return undefined;
  const toolbox = toolboxIn(name, ids);
  if (toolbox !== undefined && isClosedTo(caller, toolbox, boxes)) {
    const openWith = namesFor(caller, snapshot, boxes.settings()).get("open_toolbox") ?? "open_toolbox";
    return {
      text: `The toolbox ${toolbox} is closed: open it with ${escapeText(openWith)}, then call again.`,
      data: { closedToolbox: toolbox, openWith },
    };
  }
  if (typeof name !== "string" || !name.includes("__")) return undefined;
  const checked = validateToolboxName(name);
  return checked.valid ? undefined : { text: `${checked.error}.`, data: { problem: checked.error } };
}

/** The toolbox part of a name. Profiles may have changed its case and its separators. */
export function toolboxIn(name: string | StructuredName, ids: readonly string[]): string | undefined {
  const part =
    typeof name === "string"
      ? (parseToolboxName(name)?.toolbox ?? name.slice(0, Math.max(0, name.indexOf(":"))))
      : (name.toolbox ?? "");
  if (part === "") return undefined;
  if (ids.includes(part)) return part;
  const [only, another] = ids.filter((id) => wordsOf(id) === wordsOf(part));
  return another === undefined ? only : undefined;
}

function wordsOf(id: string): string {
  return id.replace(/[^A-Za-z0-9]/g, "").toLowerCase();
}

export function isClosedTo(caller: Caller, toolbox: string, { settings, toolboxes }: Boxes): boolean {
  switch (modeFor(caller, settings())) {
    case "static":
      return false;
    case "dynamic":
      return caller.session?.toolboxes.has(toolbox) !== true;
    case "proxy":
      return !toolboxes.isOpen(toolbox);
  }
}
