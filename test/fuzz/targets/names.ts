// Canonical names, transport forms and toolbox names: any text gets an answer, and what is taken apart can be put together.

import assert from "node:assert/strict";
import {
  decodeTransport,
  formatCanonicalName,
  formatToolboxName,
  parseToolboxName,
  parseToolName,
  validateToolboxName,
} from "@onym/core";
import type { FuzzTarget } from "../fuzz-target.js";

export const names: FuzzTarget = {
  name: "names",
  tokens: [
    ...[
      "@",
      "@1",
      "@v2",
      "@latest",
      "@01",
      "@0",
      "/",
      ":",
      "~",
      "%2F",
      "%40",
      "%25",
      "%00",
      "%C0%80",
      "%",
      "__",
    ],
    ...["_", ".", "-", "__proto__", "é", "\u202e", "\ud83d\ude00", "999999999999999"],
  ],
  read: (input) => {
    const text = input.toString();
    parseToolName(text);
    decodeTransport(text);
    parseToolboxName(text);
    validateToolboxName(text);
  },
  check: (input) => {
    const text = input.toString();
    checkCanonical(text);
    checkTransport(text);
    checkToolbox(text);
  },
};

/** The grammar in one pattern (CANON-1 to CANON-3, CANON-7). */
const CANONICAL =
  /^(?:(?<toolbox>[^:/]*):)?(?<integration>[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)(?:@(?<version>[^/]*))?\/(?<rest>.*)$/s;
const TOOLBOX = /^(?!.*__)(?!_)[A-Za-z0-9_-]*[A-Za-z0-9-]$/;

function checkCanonical(text: string): void {
  const parsed = parseToolName(text);
  const { toolbox, integration, version, rest = "" } = CANONICAL.exec(text)?.groups ?? {};
  const at = rest.lastIndexOf("@");
  const tool = at < 0 ? rest : rest.slice(0, at);
  const versions = [version, at < 0 ? undefined : rest.slice(at + 1)].map(versionOf);
  const isGood =
    integration !== undefined &&
    (toolbox === undefined || TOOLBOX.test(toolbox)) &&
    !versions.includes(undefined);
  assert.equal(parsed.ok, isGood);
  if (!parsed.ok) {
    const { position, message, fix } = parsed.problem;
    assert.ok(position !== undefined && position >= 0 && position <= text.length);
    assert.ok(message !== "" && fix !== "");
    return;
  }
  const { value } = parsed;
  assert.deepEqual(
    [value.toolbox, value.integration, value.tool, value.integrationVersion, value.toolVersion],
    [toolbox, integration, tool, ...versions],
  );
  const { integrationVersion, toolVersion } = value;
  if (integrationVersion === "latest" || toolVersion === "latest") return;
  const again = parseToolName(formatCanonicalName({ ...value, integrationVersion, toolVersion }));
  assert.deepEqual(again, parsed);
}

function versionOf(text: string | undefined): number | "latest" | undefined {
  if (text === undefined) return 1;
  if (text === "latest") return text;
  return /^v?[1-9][0-9]{0,14}$/.test(text) ? Number(text.replace("v", "")) : undefined;
}

function checkTransport(text: string): void {
  const tilde = text.indexOf("~");
  const hasSlash = /\/|%2f/i.test(text.slice(0, Math.max(0, tilde)));
  const slashed = hasSlash ? text : text.replace("~", "/");
  let known: string | undefined;
  try {
    known = decodeURIComponent(slashed);
  } catch {
    known = undefined;
  }
  if (text.includes("%") && known?.includes("\0") === true) known = undefined;
  const decoded = decodeTransport(text);
  assert.equal(decoded.ok ? decoded.value : undefined, known);
}

function checkToolbox(text: string): void {
  const [toolbox = "", server = "", ...rest] = text.split("__");
  const tool = rest.join("__");
  const parsed = parseToolboxName(text);
  assert.equal(parsed !== null, toolbox !== "" && server !== "" && tool !== "");
  if (parsed !== null) {
    assert.deepEqual(parsed, { toolbox, server, originalTool: tool });
    assert.equal(formatToolboxName(parsed), text);
  }
  const verdict = validateToolboxName(text);
  assert.equal(verdict.valid, parsed !== null && [toolbox, server].every((id) => /^[\w-]+$/.test(id)));
}
