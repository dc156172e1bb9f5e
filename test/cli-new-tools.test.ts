// New tools at the command line: the built program, on a real SQLite file that a gateway has written.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { definitionDigest } from "@onym/core/approvals";
import { toolKeyOf } from "@onym/core/identity";
import { describe, expect, it } from "vitest";
import { openStore } from "../packages/onym/src/store/open-store.js";
import { newFolder, runOnym } from "./cli/run-onym.js";

const server = { command: "never-started", tools: ["send", "purge"] };
const CONFIG = {
  mcpServers: { mail: server, post: server, fixture: { tools: ["look"] } },
  policy: { newTools: "ask" },
};

/** A folder with a config, and with what a gateway noted of these listings. */
async function folderWith(
  config: object,
  listings: readonly {
    readonly server: string;
    readonly toolbox?: string;
    readonly tools: readonly string[];
  }[] = [],
): Promise<string> {
  const folder = newFolder();
  writeFileSync(join(folder, "onym.json"), JSON.stringify(config));
  if (listings.length === 0) return folder;
  const store = await openStore({ location: "onym.db", folder });
  let at = Date.UTC(2026, 0, 1);
  for (const { server, toolbox, tools } of listings) {
    at += 1000;
    const listing = { launch: "l", isWhole: true, formerOwners: [] };
    await store.known.note({ ...listing, owner: { server, toolbox }, tools, at });
  }
  await store.close();
  return folder;
}

const onym = (folder: string, ...args: readonly string[]) => runOnym(folder, args);

const SEEN = [
  { server: "mail", tools: ["send"] },
  { server: "post", tools: ["send"] },
  { server: "mail", tools: ["send", "purge", "wipe\u202e"] },
  { server: "post", tools: ["send", "purge"] },
  { server: "gone", tools: [] },
  { server: "gone", tools: ["x"] },
];

describe("onym policy test and explain (POL-1) (RES-5)", () => {
  it("tell that a tool is new, and how to admit it", async () => {
    const folder = await folderWith(CONFIG, SEEN);
    const how = "onym policy admit mail@1/purge@1";
    const tested = onym(folder, "policy", "test", "mail_purge");
    expect(tested.code).toBe(1);
    expect(tested.out).toContain('mail@1/purge@1 for "local": ask, by newTools.');
    expect(tested.err.replace(/\s+/g, " ")).toContain(how);
    const explained = onym(folder, "explain", "mail_purge");
    expect(explained.err.replace(/\s+/g, " ")).toContain(
      `the tool is new: it was not there when its server, as configured now, was first seen. ${how}`,
    );
    const report = JSON.parse(onym(folder, "policy", "test", "mail_purge", "--json").out);
    expect(report).toMatchObject({ effect: "ask", rule: "newTools", newness: "new" });
    expect(JSON.parse(onym(folder, "explain", "mail_purge", "--json").out)).toMatchObject({ newness: "new" });
    expect(onym(folder, "policy", "test", "mail_send").code).toBe(0);
    // The operator's own word is never new.
    expect(JSON.parse(onym(folder, "policy", "test", "fixture_look", "--json").out).newness).toBe("known");
  });

  it("tell that nothing was kept of a server yet, and say nothing where nothing is held back", async () => {
    const folder = await folderWith(CONFIG);
    const { code, err } = onym(folder, "policy", "test", "mail_purge");
    expect(code).toBe(0);
    expect(err.replace(/\s+/g, " ")).toContain("no gateway has kept a list of this server yet");
    const open = await folderWith({ ...CONFIG, policy: {} }, SEEN);
    expect(onym(open, "policy", "test", "mail_purge").err).not.toContain("new");
    expect(onym(open, "approvals").out).not.toContain("New tools");
  });
});

describe("onym policy admit (POL-1)", () => {
  it("admits what is named in any spelling, and nothing else", async () => {
    const folder = await folderWith(CONFIG, SEEN);
    const names = () =>
      (JSON.parse(onym(folder, "approvals", "--json").out).new as readonly { canonical: string }[]).map(
        ({ canonical }) => canonical,
      );
    expect(names()).toEqual(["mail@1/purge@1", "mail@1/wipe\u202e@1", "post@1/purge@1"]);
    expect(onym(folder, "approvals").out).toContain("wipe\\u{202E}");
    expect(onym(folder, "policy", "admit", "purge", "--yes")).toMatchObject({
      code: 1,
      err: 'Several new tools are called "purge": mail@1/purge@1, post@1/purge@1.\n',
    });
    expect(onym(folder, "policy", "admit", "mail_purge", "send", "--yes")).toMatchObject({
      code: 1,
      err: 'No new tool is called "send"; onym approvals shows what is new.\n',
    });
    expect(names()).toHaveLength(3);
    expect(onym(folder, "policy", "admit", "purge", "--server", "post", "--yes").code).toBe(0);
    expect(names()).toEqual(["mail@1/purge@1", "mail@1/wipe\u202e@1"]);
    const { code, out } = onym(folder, "policy", "admit", "--server", "mail", "--yes");
    expect({ code, out }).toEqual({
      code: 0,
      out: "  mail@1/purge@1\n  mail@1/wipe\\u{202E}@1\n✓ admitted 2 tools, for everybody.\n",
    });
    expect(names()).toEqual([]);
    expect(onym(folder, "policy", "admit", "--server", "mail", "--yes")).toMatchObject({
      code: 1,
      err: "Nothing is new.\n",
    });
    expect(onym(folder, "policy", "test", "mail_purge").code).toBe(0);
    expect(onym(folder, "audit", "verify").code).toBe(0);
  });

  it("settles the questions that were asked only because the tool was new, and no others (POL-1) (POL-3)", async () => {
    const rules = [
      { effect: "ask", tool: "post@1/purge@1" },
      { effect: "deny", server: "mail", caller: "ci" },
    ];
    const folder = await folderWith(
      { ...CONFIG, policy: { newTools: "ask", default: "allow", rules } },
      SEEN,
    );
    const store = await openStore({ location: "onym.db", folder });
    const definition = { description: "Empties a mailbox" };
    const digest = definitionDigest(definition);
    for (const [server, raw, principal] of [
      ["mail", "purge", "ann"],
      ["mail", "purge", "ci"],
      ["post", "purge", "ann"],
      ["mail", "wipe\u202e", "ann"],
    ] as const)
      await store.approvals.await({
        principal,
        tool: toolKeyOf({ server, raw }),
        canonical: `${server}@1/${raw}@1`,
        launch: "l",
        digest,
        definition,
        askedAt: Date.UTC(2026, 0, 3),
        before: undefined,
      });
    await store.close();
    const waiting = () =>
      (JSON.parse(onym(folder, "approvals", "--json").out).pending as readonly Record<string, unknown>[]).map(
        ({ id, effect, rule }) => ({ id, effect, rule }),
      );
    expect(waiting()).toEqual([
      { id: 1, effect: "ask", rule: "newTools" },
      { id: 2, effect: "deny", rule: "rules[1]" },
      { id: 3, effect: "ask", rule: "rules[0]" },
      { id: 4, effect: "ask", rule: "newTools" },
    ]);
    expect(onym(folder, "approvals").out).toMatch(
      /2 +ci +mail@1\/purge@1 +no longer asked: deny by rules\[1\]/,
    );
    expect(onym(folder, "policy", "admit", "mail_purge", "post_purge", "--yes").out).toContain(
      "✓ admitted 2 tools, for everybody. 2 questions about them are settled by that.\n",
    );
    expect(waiting().map(({ id }) => id)).toEqual([3, 4]);
    const wiped = onym(folder, "policy", "admit", "--server", "mail", "--yes", "--json");
    expect(JSON.parse(wiped.out)).toMatchObject({ admitted: [{ server: "mail" }], settled: [4] });
    expect(onym(folder, "approvals").out).toContain("post@1/purge@1");

    // Somebody has changed the policy since it was asked.
    writeFileSync(join(folder, "onym.json"), JSON.stringify(CONFIG));
    const changed = onym(folder, "approvals").out;
    expect(changed).toMatch(/3 +ann +post@1\/purge@1 +no longer asked: allow by default/);
    expect(changed).not.toContain("onym approve 3");
  });

  it.each([
    [["policy", "admit"], 2, "Nothing is named"],
    [["policy", "admit", "purge", "--json"], 2, "With --json, Onym cannot ask. Use --yes."],
    [["policy", "admit", "mail_purge"], 2, "Not a terminal, so Onym cannot ask. Use --yes"],
    [["policy", "admit", "--server", "mial", "--yes"], 2, 'Did you mean "mail"?'],
  ])("refuses %j", async (args, code, told) => {
    const folder = await folderWith(CONFIG, SEEN);
    const ran = onym(folder, ...args);
    expect(ran.code).toBe(code);
    expect(ran.err.replace(/\s+/g, " ")).toContain(told);
    expect(JSON.parse(onym(folder, "approvals", "--json").out).new).toHaveLength(3);
  });

  it("says so where nothing is held back, or no gateway has run", async () => {
    const open = await folderWith({ ...CONFIG, policy: {} }, SEEN);
    expect(onym(open, "policy", "admit", "purge", "--yes")).toMatchObject({
      code: 1,
      err: 'Nothing is held back: "policy.newTools" is "allow".\n',
    });
    const fresh = await folderWith(CONFIG);
    expect(onym(fresh, "policy", "admit", "purge", "--yes")).toMatchObject({
      code: 1,
      err: expect.stringContaining("does not exist"),
    });
  });
});
