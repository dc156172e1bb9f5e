// The level of log messages that a legacy downstream is told to send: the most verbose that a caller asked for so far.

import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";
import { LOG_LEVELS, type LogLevel } from "../../mcp/protocol.js";

/** Tells the downstream once for each step to more; a connection without `logging` is told nothing. */
export function createLogLevel(
  capabilities: JsonObject,
  tell: (level: LogLevel) => void,
): (wanted: LogLevel | undefined) => void {
  const able = isJsonObject(ownValue(capabilities, "logging"));
  let told: number = LOG_LEVELS.length;
  return (wanted) => {
    if (wanted === undefined || !able) return;
    const index = LOG_LEVELS.indexOf(wanted);
    if (index >= told) return;
    told = index;
    tell(wanted);
  };
}
