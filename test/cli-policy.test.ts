// What policy says, at the command line: the built program.

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { CONFIG, configured, inStore, json, OUTCOME, onym, question, record } from "./cli/decisions.js";
import { runOnym } from "./cli/run-onym.js";

describe("onym policy test (POL-1)", () => {
  it("resolves any spelling and says which rule decides", () => {
    const folder = configured();
    const asked = onym(folder, "policy", "test", "mail_send");
    expect(asked).toMatchObject({ code: 1, err: "" });
    expect(asked.out).toContain('mail@1/send@1 for "local": ask, by rules[0].');
    const denied = onym(folder, "policy", "test", "mail.send", "--as", "ci-7");
    expect(denied.code).toBe(1);
    expect(denied.out).toContain('mail@1/send@1 for "ci-7": deny, by rules[1].');
    expect(denied.out).toContain("outweighed: deny beats ask");
    expect(onym(folder, "policy", "test", "send", "--server", "chat", "--profile", "openai").code).toBe(0);
    expect(json(folder, "policy", "test", "chat_send")).toMatchObject({
      canonical: "chat@1/send@1",
      caller: "local",
      effect: "allow",
      rule: "default",
      matches: [{ rule: "default", decides: true }],
    });
  });

  it("decides nothing about a name that leads nowhere, or to two tools", () => {
    const folder = configured();
    expect(onym(folder, "policy", "test", "send")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("--server"),
    });
    const ran = onym(folder, "policy", "test", "mail_sned", "--json");
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.out)).toMatchObject({ outcome: "unknown" });
  });
});

it("what waits, what was decided and what was called fit a screen of 80 columns", async () => {
  const folder = configured();
  await inStore(folder, async (store) => {
    await store.approvals.await(question({ principal: "continuous-integration" }));
    await store.approvals.await(question({ raw: "list", principal: "ci-with-a-long-name" }));
    const decided = {
      verdict: "approved",
      decidedAt: 1,
      decidedBy: "somebody",
      expiresAt: undefined,
    } as const;
    const { askedAt: _, before: __, canonical: ___, ...about } = question({ server: "chat" });
    await store.approvals.decide({ ...about, ...decided });
    await store.audit.append([record(), record(OUTCOME)]);
  });
  for (const args of [["approvals"], ["audit"], ["policy", "test", "mail_send"], ["explain", "mail_send"]]) {
    const { out } = runOnym(folder, args, { env: { COLUMNS: "80" } });
    expect(out).not.toBe("");
    expect(out.split("\n").filter((line) => Array.from(line).length > 80)).toEqual([]);
  }
});

describe("onym explain, of a tool that the policy speaks about (RES-5) (POL-1)", () => {
  const token = (name: string, over: object = {}) => ({
    name,
    hash: `sha256:${createHash("sha256").update(name).digest("hex")}`,
    ...over,
  });

  it("says to whom it is denied or asked about, by which rule, and how to change that", () => {
    const folder = configured({ ...CONFIG, auth: { tokens: [token("ann"), token("ci-7")] } });
    expect(onym(folder, "trust", "--yes").code).toBe(0);
    const { code, out } = onym(folder, "explain", "mail_send");
    expect(code).toBe(0);
    expect(out).toContain('\n  ask for "local", "ann", by rules[0]: ask where tool is "mail@1/send@1"\n');
    expect(out).toMatch(/deny for "ci-7", by rules\[1\]: deny where .* \("people only"\)\n/);
    expect(out).toContain('To change that, change rules[1] under "policy" in onym.json.');
    expect(out).toContain("onym policy test mail@1/send@1 --as CALLER");
    expect(onym(folder, "explain", "chat_send").out).toContain(
      'allow for "local", "ann", "ci-7", by default',
    );
    const closed = configured({ ...CONFIG, policy: { default: "deny" } });
    expect(onym(closed, "explain", "mail_send").out).toMatch(
      /deny for "local", by default: .*\n.*not listed.*add a rule about it under "policy" in onym\.json/,
    );
  });

  it("says nothing of a policy that lets everybody do everything", () => {
    const { policy: _, ...open } = CONFIG;
    expect(onym(configured(open), "explain", "mail_send").out).not.toContain("Policy");
  });

  it("says what policy test says, also of callers whose token confines them to toolboxes", () => {
    const { mcpServers, policy } = CONFIG;
    const folder = configured({
      toolboxes: { work: { mcpServers }, play: { mcpServers: { chat: { tools: ["send"] } } } },
      policy: { ...policy, rules: [...policy.rules, { effect: "deny", toolbox: "play", caller: "ann" }] },
      auth: { tokens: [token("ann"), token("bob", { toolboxes: ["play"] }), token("ci-7")] },
    });
    expect(onym(folder, "trust", "--yes").code).toBe(0);
    const told: string[] = [];
    for (const name of ["work__mail__send", "work__mail__list", "work__chat__send", "play__chat__send"])
      for (const { caller, effect, rule, why } of json(folder, "explain", name).policy) {
        told.push(`${name} ${caller} ${effect} ${rule}`);
        const ran = onym(folder, "policy", "test", name, "--as", caller, "--json");
        expect(JSON.parse(ran.out)).toMatchObject({ caller, effect, rule, why });
      }
    expect(told).toHaveLength(16);
    expect(told).toContain("work__chat__send bob deny toolboxes");
    expect(told).toContain("play__chat__send bob allow default");
    expect(told).toContain("play__chat__send ann deny rules[2]");
    expect(onym(folder, "explain", "work__chat__send").out).toContain(
      "onym policy test work:chat@1/send@1 --as CALLER",
    );
  });
});
