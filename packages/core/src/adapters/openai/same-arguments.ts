// Whether the text of a call's arguments still says what the conversation says.

import { canonicalJson } from "../../identity/canonical-json.js";
import type { JsonObject } from "../call-outcome.js";
import { readArguments } from "../read-arguments.js";

/** Text that is no JSON stands for no arguments: so it was read, and so the model is shown what it wrote. */
export function sameArguments(text: string, value: JsonObject): boolean {
  const read = readArguments(text);
  return canonicalJson(read.ok ? read.value : {}) === canonicalJson(value);
}
