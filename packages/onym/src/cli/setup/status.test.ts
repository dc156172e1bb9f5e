import { describe, expect, it } from "vitest";
import { formatClients } from "./status.js";

const client = (name: string, idleMs?: number) => ({
  client: name,
  principal: "local",
  profile: name,
  ...(idleMs === undefined ? {} : { idleMs }),
});

describe("the clients of a gateway", () => {
  it.each([
    ["0 clients connected", []],
    ["2 clients connected: codex (codex), cursor (cursor)", [client("codex"), client("cursor", 60_000)]],
    [
      "1 client connected: codex (codex); 1 idle: cursor (cursor) for 18 min",
      [client("cursor", 18 * 60_000), client("codex", 0)],
    ],
    ["0 clients connected; 1 idle: zed (zed) for 3 h", [client("zed", 3 * 3_600_000)]],
  ])("%s", (text, clients) => {
    expect(formatClients(clients)).toBe(text);
  });
});
