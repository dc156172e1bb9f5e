import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Config } from "../config/config.js";
import { DEFAULT_LIMITS } from "../config/limits.js";
import { OPEN_FRAMES } from "../downstream/protocol/pace.js";
import { MAX_PIPELINED } from "../gateway/http/guard-connections.js";
import { BATCH_MESSAGES } from "../gateway/http/requests/read-client-batch.js";
import { SERVER_SETTINGS } from "../gateway/http/server-settings.js";
import { ALL_REQUESTS, CALLER_REQUESTS } from "../gateway/sessions/edge-callers.js";
import { DEFAULT_EDGE_LIMITS } from "../gateway/sessions/edge-limits.js";
import { MAX_CLIENT_VALUES, MAX_VALUES } from "../mcp/fast-path/parse-large.js";
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

it("has what is not to be set in docs/limits.md (SAFE-4)", () => {
  const docs = readFileSync(new URL("../../../../docs/limits.md", import.meta.url), "utf8");
  const inForce: readonly [what: string, max: number, unit: string][] = [
    ["bytes of the requests of one caller", CALLER_REQUESTS, "times `requestBytes`"],
    ["bytes of the requests of all callers", ALL_REQUESTS, "times `requestBytes`"],
    ["bytes of messages that a server over HTTP leaves incomplete", OPEN_FRAMES, "times `frameBytes`"],
    ["pipelined requests on one connection", MAX_PIPELINED, "requests"],
    ["headers of one request", SERVER_SETTINGS.maxHeaderSize, "bytes"],
    ["requests in flight in one session", DEFAULT_EDGE_LIMITS.pending, "requests"],
    ["sent events that a session keeps", DEFAULT_EDGE_LIMITS.replayBytes, "bytes"],
    ["messages in a batch of a client", BATCH_MESSAGES, "messages"],
    ["levels of nesting", MAX_DEPTH, "levels"],
    ["JSON values in one message of a client", MAX_CLIENT_VALUES, "values"],
    ["JSON values in one message of a server", MAX_VALUES, "values"],
    ["JSON values in the arguments or the result of a call", MAX_SCANNED, "values"],
  ];
  for (const [what, max, unit] of inForce) {
    const row = docs.split("\n").find((line) => line.startsWith(`| ${what}`)) ?? `no row: ${what}`;
    expect(row.split("|")[2]?.trim()).toBe(`${max.toLocaleString("en")} ${unit}`);
  }
});
