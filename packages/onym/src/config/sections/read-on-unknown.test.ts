import { expect, it } from "vitest";
import { OnymError } from "../../model/onym-error.js";
import { readConfig } from "../read-config.js";

const TWO = { mcpServers: { a: { tools: [] }, docs: { tools: [] }, off: { command: "x", disabled: true } } };
const BOXES = {
  toolboxes: {
    dev: { description: "Development", mcpServers: { fs: { tools: [] } } },
    ops: { mcpServers: { fs: { tools: [] } } },
    empty: {},
  },
};

function read(value: object) {
  const readText = () => ({ reason: "no" });
  return readConfig(JSON.stringify(value), {
    file: "onym.json",
    folder: "/project",
    isClientFile: false,
    env: {},
    readText,
  });
}

function mistake(value: object): string {
  try {
    read(value);
  } catch (error) {
    if (error instanceof OnymError) return `${error.message} ${error.hint}`;
  }
  return "";
}

it("sends unknown names nowhere by default, or to the one server that is meant (RES-3)", () => {
  const one = { mcpServers: { a: { tools: [] }, off: { command: "x", disabled: true } } };
  expect(read(TWO).onUnknown).toEqual({ kind: "reject" });
  expect(read({ ...TWO, onUnknown: "reject" }).onUnknown).toEqual({ kind: "reject" });
  expect(read({ ...one, onUnknown: "passthrough" }).onUnknown).toEqual({
    kind: "passthrough",
    server: "a",
    toolbox: undefined,
  });
  expect(read({ ...TWO, onUnknown: { passthrough: "docs" } }).onUnknown).toMatchObject({ server: "docs" });
  expect(read({ ...BOXES, onUnknown: { passthrough: "fs", toolbox: "ops" } }).onUnknown).toEqual({
    kind: "passthrough",
    server: "fs",
    toolbox: "ops",
  });
});

it.each([
  [
    { ...TWO, onUnknown: "passthrough" },
    'there are 2. Name the one that gets unknown names: {"passthrough": "a"}',
  ],
  [
    { ...TWO, onUnknown: { passthrough: "doc" } },
    'There is no server "doc" that unknown names could go to. Did you mean "docs"?',
  ],
  [{ ...TWO, onUnknown: { passthrough: "off" } }, 'There is no server "off"'],
  [{ ...BOXES, onUnknown: { passthrough: "fs" } }, 'Several servers are called "fs", in "dev", "ops".'],
  [{ ...TWO, onUnknown: "rejekt" }, 'Should be "reject" or {"passthrough": "SERVER"}, is "rejekt".'],
  [
    { ...TWO, onUnknown: { passthru: "a" } },
    'onUnknown: Should be "reject" or {"passthrough": "SERVER"}, is an object.',
  ],
  [{ ...TWO, limits: { callMS: 5 } }, 'limits.callMS: There is no key "callMS" here. Did you mean "callMs"?'],
  [{ ...TWO, limits: { callMs: 1.5 } }, "limits.callMs: Should be a whole number from 0"],
  [{ ...TWO, limits: { callMs: 3_000_000_000 } }, "limits.callMs: Should be a whole number from 0"],
  [{ ...TWO, limits: { pending: 0 } }, "limits.pending: Should be a whole number from 1 up"],
  [{ ...TWO, naming: { detect: "no" } }, "naming.detect: Should be true or false"],
])("refuses %j with the way out (CFG-2)", (value, told) => {
  expect(mistake(value)).toContain(told);
});

it("knows toolboxes, also those without a server, and the switches of naming (GW-3)", () => {
  const { toolboxes, naming } = read({ ...BOXES, naming: { detect: false } });
  expect(toolboxes).toEqual([
    { id: "dev", description: "Development" },
    { id: "ops", description: undefined },
    { id: "empty", description: undefined },
  ]);
  expect(naming).toMatchObject({ detect: false, references: true });
});
