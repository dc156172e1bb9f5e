import { expect, it } from "vitest";
import { checkNode } from "./check-node.js";

it.each([
  ["18.20.8", "error"],
  ["20.18.3", "error"],
  ["20.19.0", "ok"],
  ["22.1.0", "ok"],
  ["24.0.0-nightly", "ok"],
])("Node %s is %s", (version, status) => {
  expect(checkNode(version)).toMatchObject({ status });
});
