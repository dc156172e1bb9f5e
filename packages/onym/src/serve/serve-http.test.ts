import { expect, it } from "vitest";
import type { Config } from "../config/config.js";
import { DEFAULT_LIMITS } from "../config/limits.js";
import { DEFAULT_EDGE_LIMITS } from "../gateway/sessions/edge-limits.js";
import { edgeLimitsOf } from "./serve-http.js";

it("holds clients to the limits of the config, whose defaults are those of the edge (SAFE-5)", () => {
  expect(edgeLimitsOf({ limits: DEFAULT_LIMITS } as Config)).toEqual(DEFAULT_EDGE_LIMITS);
  const limits = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((key) => [key, 7]));
  const { pending, replayBytes, ...given } = edgeLimitsOf({ limits } as unknown as Config);
  expect(new Set(Object.values(given))).toEqual(new Set([7]));
  expect([pending, replayBytes]).toEqual([DEFAULT_EDGE_LIMITS.pending, DEFAULT_EDGE_LIMITS.replayBytes]);
});
