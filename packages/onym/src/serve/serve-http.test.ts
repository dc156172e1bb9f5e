import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Config } from "../config/config.js";
import { DEFAULT_LIMITS } from "../config/limits.js";
import { OPEN_FRAMES } from "../downstream/protocol/pace.js";
import { MAX_PIPELINED } from "../gateway/http/guard-connections.js";
import { BATCH_MESSAGES } from "../gateway/http/requests/read-batch.js";
import { SERVER_SETTINGS } from "../gateway/http/server-settings.js";
import { ALL_REQUESTS, CALLER_REQUESTS } from "../gateway/sessions/edge-callers.js";
import { DEFAULT_EDGE_LIMITS } from "../gateway/sessions/edge-limits.js";
import { MAX_VALUES } from "../mcp/fast-path/parse-large.js";
import { MAX_SCANNED } from "../mcp/fast-path/scan.js";
import { MAX_DEPTH } from "../mcp/json.js";
import { edgeLimitsOf } from "./serve-http.js";

it("holds clients to the limits of the config, whose defaults are those of the edge (SAFE-5)", () => {
  expect(edgeLimitsOf({ limits: DEFAULT_LIMITS } as Config)).toEqual(DEFAULT_EDGE_LIMITS);
  const limits = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((key) => [key, 7]));
  const { pending, replayBytes, ...given } = edgeLimitsOf({ limits } as unknown as Config);
  expect(new Set(Object.values(given))).toEqual(new Set([7]));
  expect([pending, replayBytes]).toEqual([DEFAULT_EDGE_LIMITS.pending, DEFAULT_EDGE_LIMITS.replayBytes]);
});

it("has the limits that are not to be set in docs/limits.md (SAFE-4)", () => {
  const docs = readFileSync(new URL("../../../../docs/limits.md", import.meta.url), "utf8");
  const [told = ""] = /^Not to be set: (?:.+\n)+/m.exec(docs) ?? [];
  const inForce: readonly [number, string][] = [
    [CALLER_REQUESTS, "requests of the largest size that are under way for one caller"],
    [ALL_REQUESTS, "for all, counted in bytes"],
    [OPEN_FRAMES, "messages of the largest size that a server over HTTP"],
    [MAX_PIPELINED, "pipelined requests"],
    [SERVER_SETTINGS.maxHeaderSize / 1024, "KiB of headers"],
    [DEFAULT_EDGE_LIMITS.pending, "requests in flight in one session"],
    [BATCH_MESSAGES, "messages in a batch"],
    [MAX_DEPTH, "levels of nesting"],
    [MAX_VALUES, "JSON values"],
    [MAX_SCANNED, "; a result with more comes to an error"],
  ];
  for (const [max, of] of inForce)
    expect(told.replaceAll("\n", " ")).toContain(`${max.toLocaleString("en")} ${of}`.replace(" ;", ";"));
});
