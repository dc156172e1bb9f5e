import { expect, it } from "vitest";
import type { GatewayStatus } from "./protocol.js";
import { isStatus } from "./status-shape.js";

const WHOLE: Required<GatewayStatus> = {
  pid: 1,
  version: "1.0.0",
  config: "/onym.json",
  transport: "http",
  url: "http://127.0.0.1:1/mcp",
  startedAt: 1,
  mode: "static",
  servers: [
    {
      server: "a",
      toolbox: "dev",
      state: "ready",
      since: 1,
      restarts: 0,
      isListed: true,
      toolCount: 1,
      reason: "r",
      hint: "h",
      needsSignIn: true,
      serverVersion: "1",
      listProblems: [{ code: "left-out", method: "tools/list", message: "m" }],
    },
  ],
  toolboxes: [{ id: "dev", isOpen: true }],
  problems: [{ code: "c", severity: "warning", message: "m" }],
  problemCount: 1,
  activity: {
    calls: { total: 1, errors: 0, refused: 0 },
    inFlight: 0,
    clients: [{ client: "c", principal: "local", profile: "openai" }],
    approvalsWaiting: 0,
    recordsWaiting: 0,
    store: { engine: "sqlite", trouble: "t" },
    lock: { names: 1, kept: 0 },
  },
  console: "http://127.0.0.1:1/",
};

/** Every place in a value, as a path. */
function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  const inner =
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, each]) => pathsOf(each, [...path, name]))
      : [];
  return [path, ...inner];
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = replaced(copy[name], rest, by);
  return copy;
}

it("takes a whole status, and one of an older gateway", () => {
  expect(isStatus(WHOLE)).toBe(true);
  const { activity, url, console, ...older } = WHOLE;
  expect(isStatus(older)).toBe(true);
});

it.each(pathsOf(WHOLE).map((path) => [path.join("."), path] as const))(
  "takes nothing else for one: something odd at %s",
  (_, path) => {
    // A symbol is of no type that a member has, and what JSON has besides is of one at most.
    for (const odd of [null, Symbol("odd")])
      expect(isStatus(replaced(WHOLE, path, odd)), String(odd)).toBe(false);
  },
);
