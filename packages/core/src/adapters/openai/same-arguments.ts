// Whether the text of a call's arguments still matches the conversation.

import { canonicalJson } from "../../identity/canonical-json.js";
import type { JsonObject } from "../call-outcome.js";
import { readArguments } from "../read-arguments.js";

/** Text that is not JSON was read as no arguments, so it matches those: the model sees what it wrote. */
export function sameArguments(text: string, value: JsonObject): boolean {
  const read = readArguments(text);
  return canonicalJson(read.ok ? read.value : {}) === canonicalJson(value);
}
