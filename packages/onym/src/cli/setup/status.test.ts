import { describe, expect, it } from "vitest";
import { formatClients } from "./status.js";

const client = (name: string, idleMs?: number) => ({
  client: name,
  principal: "local",
  profile: name,
  ...(idleMs === undefined ? {} : { idleMs }),
});

describe("the sessions of a gateway", () => {
  it.each([
    ["no sessions open", []],
    ["2 sessions open: codex (codex), cursor (cursor)", [client("codex"), client("cursor", 5_000)]],
    [
      "3 sessions open: codex (codex), zed (zed, idle 40 s), cursor (cursor, idle 18 min)",
      [client("cursor", 18 * 60_000), client("zed", 40_000), client("codex", 0)],
    ],
    ["1 session open: zed (zed, idle 3 h)", [client("zed", 3 * 3_600_000)]],
  ])("%s", (text, clients) => {
    expect(formatClients(clients)).toBe(text);
  });
});
