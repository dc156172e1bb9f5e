import { expect, it } from "vitest";
import { configFile } from "./config-schema.js";
import { DEFAULT_LIMITS, limitsOf } from "./limits.js";

it("fills in what a config does not say, and nothing else", () => {
  expect(limitsOf()).toEqual(DEFAULT_LIMITS);
  expect(limitsOf({ callMs: 7, pending: undefined })).toEqual({ ...DEFAULT_LIMITS, callMs: 7 });
});

it("has a default for every limit that a config may hold", () => {
  const { limits } = configFile.shape;
  expect(Object.keys(limits.def.innerType.shape)).toEqual(Object.keys(DEFAULT_LIMITS));
});
