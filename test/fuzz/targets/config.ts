// The config: JSON is read as JSON.parse reads it, and whatever is wrong is an error with its place, never a crash (CFG-2).

import assert from "node:assert/strict";
import { OnymError } from "@onym/core";
import { parseEnvFile } from "../../../packages/onym/src/config/files/parse-env-file.js";
import { expandVariables } from "../../../packages/onym/src/config/json/expand-variables.js";
import {
  type JsonDocument,
  parseJsonDocument,
} from "../../../packages/onym/src/config/json/json-document.js";
import { readConfig } from "../../../packages/onym/src/config/read-config.js";
import type { FuzzTarget } from "../fuzz-target.js";

const ENV = { TOKEN: "t", EMPTY: "" };
const INPUT = {
  file: "onym.json",
  folder: "/nowhere",
  isClientFile: false,
  env: ENV,
  readText: () => ({ reason: "not here", isMissing: true }) as const,
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: these are the forms that a user writes
const VARIABLES = ["${TOKEN}", "${", "${NO:-x}", "$${"];

export const config: FuzzTarget = {
  name: "config",
  tokens: [
    ...VARIABLES,
    ...['"', ":", ",", "{", "}", "[", "]", "//", "/*", "*/", "null", "1e9", "-1", "\\u0000"],
    ...['"mcpServers":{', '"command":"x"', '"url":"http://x/mcp"', '"policy":{"rules":[]}'],
    ...['"__proto__":{}', '"limits":{"callMs":1}', '"tools":["a"]', '"toolboxes":{}', "\ufeff", "A=1\n", "'"],
  ],
  read: (input) => {
    const text = input.toString();
    readSafely(text);
    parseEnvFile(text);
    expandVariables(text, ENV);
  },
  check: (input) => {
    const text = input.toString();
    checkDocument(text);
    const error = readSafely(text);
    if (error !== undefined) {
      assert.equal(error.code, "config-invalid");
      assert.doesNotMatch(error.message, /\p{Bidi_Control}|[\0-\x09\x0b-\x1f\x7f]/u);
    }
    const env = parseEnvFile(text);
    if ("badLine" in env) assert.ok(env.badLine >= 1 && env.badLine <= text.split(/\r\n?|\n/).length);
    if (!text.includes("${")) assert.equal(expandVariables(text, ENV).text, text);
    else expandVariables(text, ENV);
  },
};

/** The error that it is refused with; anything else that is thrown is a fault. */
function readSafely(text: string): OnymError | undefined {
  try {
    readConfig(text, INPUT);
    return undefined;
  } catch (error) {
    if (error instanceof OnymError) return error;
    throw error;
  }
}

function checkDocument(text: string): void {
  const parsed = parseJsonDocument(text, "onym.json", "fill it");
  let known: { readonly value: unknown } | undefined;
  try {
    known = { value: JSON.parse(text) };
  } catch {
    known = undefined;
  }
  if (!parsed.ok) {
    const { place, message } = parsed.problem;
    assert.ok(known === undefined || message.includes("nested"), `refused valid JSON: ${message}`);
    assert.ok(place.line >= 1 && place.column >= 1);
    return;
  }
  // A tree has every key of a duplicate, and sets __proto__: those are told by the reader itself.
  if (known === undefined || /"__proto__"|\\/.test(text)) return;
  const value = valueOfNode(parsed.document.root);
  assert.equal(JSON.stringify(value), JSON.stringify(known.value));
}

/** What a tree stands for. It is at most 256 levels deep. */
function valueOfNode({ type, value, children = [] }: JsonDocument["root"]): unknown {
  if (type === "array") return children.map(valueOfNode);
  if (type !== "object") return value;
  return Object.fromEntries(
    children.map(({ children: [key, each] = [] }) => [key?.value, each && valueOfNode(each)]),
  );
}
