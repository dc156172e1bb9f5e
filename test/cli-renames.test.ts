// Renames at the command line: the built program, on a real SQLite file.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toolKeyOf } from "@onym/core/identity";
import { describe, expect, it } from "vitest";
import { CONFIG, configured, inStore, json, onym } from "./cli/decisions.js";

describe("onym renames (LOCK-2, LOCK-3)", () => {
  it("shows declared names with their window and who still calls them", async () => {
    const folder = configured({
      ...CONFIG,
      renames: [
        { from: "mail_post", to: "mail@1/send@1", until: "2999-12-31" },
        { from: "mail_ship", to: "mail@1/send@1", until: "2020-12-31", policy: "accept" },
        { from: "mail_fly", to: "mail@1/gone@1", policy: "reject" },
      ],
    });
    await inStore(folder, async (store) => {
      const use = { caller: "ann", name: "mail_post", tool: toolKeyOf({ server: "mail", raw: "send" }) };
      await store.usage.count({ ...use, at: Date.UTC(2026, 0, 1) });
      await store.usage.count({ ...use, at: Date.UTC(2026, 0, 2) });
    });
    expect(json(folder, "renames")).toMatchObject({
      declared: [
        { from: "mail_post", until: "2999-12-31", policy: "warn", state: "in force", leads: true },
        { from: "mail_ship", state: "ended", policy: "accept" },
        { from: "mail_fly", state: "refused", leads: false },
      ],
      used: [
        {
          name: "mail_post",
          caller: "ann",
          count: 2,
          canonical: "mail@1/send@1",
          lastAt: "2026-01-02T00:00:00.000Z",
        },
      ],
      proposals: [],
    });
    const { out } = onym(folder, "renames");
    expect(out).toMatch(/mail_post +→ mail@1\/send@1 +until 2999-12-31 +warn +in force/);
    expect(out).toMatch(/mail_post +by "ann" +2 calls +last 2026-01-02 00:00:00/);
  });

  it("shows windows in major versions, with what the server announces (LOCK-2)", () => {
    const { tools } = CONFIG.mcpServers.mail;
    const renames = [
      { from: "mail_post", to: "mail@3/send@1", since: "2.1.0" },
      { from: "mail_ship", to: "mail@3/send@1", since: "1.0.0", majors: 2 },
      { from: "chat_post", to: "chat@1/send@1", since: "1.0.0" },
    ];
    const mcpServers = { ...CONFIG.mcpServers, mail: { tools, version: 3 } };
    const folder = configured({ mcpServers, renames });
    expect(json(folder, "renames").declared).toMatchObject([
      { from: "mail_post", since: "2.1.0", serverVersion: "3", state: "in force", isUncounted: false },
      { from: "mail_ship", majors: 2, serverVersion: "3", state: "ended" },
      { from: "chat_post", state: "in force", isUncounted: true },
    ]);
    const { out } = onym(folder, "renames");
    expect(out).toMatch(
      /mail_post +→ mail@3\/send@1 +refused from version 4\.0\.0 of its server on, now 3 +warn +in force/,
    );
    expect(out).toContain("refused from version 2.0.0 of its server on, but that says no version");
    expect(json(folder, "resolve", "mail_post")).toMatchObject({
      outcome: "resolved",
      canonical: "mail@3/send@1",
    });
    const ended = JSON.parse(onym(folder, "resolve", "mail_ship", "--json").out);
    expect(ended).toMatchObject({ outcome: "retired", successor: "mail@3/send@1" });
    for (const command of ["names", "lint"])
      expect(onym(folder, command, "--json").out).toContain("rename-uncounted");
    expect(onym(folder, "explain", "mail_ship").out).toContain("call");
  });

  it("proposes a likely rename, whose block can be pasted and then works", () => {
    const folder = configured();
    expect(onym(folder, "lock").code).toBe(0);
    const renamed = (renames?: object) => ({
      ...CONFIG,
      mcpServers: {
        ...CONFIG.mcpServers,
        mail: { tools: [{ ...CONFIG.mcpServers.mail.tools[0], name: "post" }] },
      },
      ...(renames === undefined ? {} : { renames }),
    });
    writeFileSync(join(folder, "onym.json"), JSON.stringify(renamed()));
    const { code, out } = onym(folder, "renames");
    expect(code).toBe(0);
    expect(out).toMatch(/mail@1\/send@1 +→ mail@1\/post@1 +the same definition/);
    expect(onym(folder, "resolve", "mail_send").code).toBe(1);
    const { renames } = JSON.parse(`{${out.slice(out.indexOf('"renames": ['))}}`);
    writeFileSync(join(folder, "onym.json"), JSON.stringify(renamed(renames)));
    for (const text of ["mail_send", "mail@1/send@1"])
      expect(onym(folder, "resolve", text)).toMatchObject({
        code: 0,
        out: expect.stringContaining("mail@1/post@1"),
      });
    expect(json(folder, "renames").proposals).toEqual([]);
  });
});
