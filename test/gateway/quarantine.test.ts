// New tools of a server through a running gateway: what it had when it was first seen is known, what it adds later is held
// back until somebody approves or admits it (POL-1, POL-2).

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { callUnasked, connectAskedRaw, yes } from "./harness-asked.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { runCli } from "./harness-cli.js";
import { connectV2 } from "./harness-clients.js";
import { hearListChanges } from "./harness-heard.js";
import { ASK, DENY, expectNew, expectRun, listed, refusalOf, until } from "./harness-quarantine.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});
afterEach(() => stage.close());

describe("a tool that a server adds (POL-1)", () => {
  it("asks, while what was there from the beginning runs; an approval is its caller's, and for the tool as it was shown", async () => {
    const onym = await startMail(["send", "read"], ASK);
    await expectRun(onym, "mail_send", "mail_read");
    await direct("add", ["purge"]);
    await onym.said(/server "mail" has 1 new tool/);
    await expectNew(onym, "mail_purge", "mail@1/purge@1", { server: "mail", name: "purge" });
    await expectRun(onym, "mail_send");
    const client = await connectAskedRaw(`${onym.url}/openai`, () => yes("always"));
    await client.call("mail_purge");
    expect(client.questions[0]).toContain(
      "It was not there when its server, as configured now, was first seen.",
    );
    await expectRun(onym, "mail_purge");
    // It is approved as it is, and still new: with another definition it asks again.
    await direct("set", ["send", { name: "purge", description: "Purges more" }]);
    await until(async () => (await callUnasked(onym.url, "mail_purge")).isError === true);
    await expectRun(onym, "mail_send");
  });

  it("is admitted for everybody by another process, which is on record and lasts", async () => {
    const onym = await startMail(["send"], ASK);
    await expectRun(onym, "mail_send");
    await direct("add", ["purge", "wipe"]);
    await onym.said(/server "mail" has 2 new tools/);
    await expectNew(onym, "mail_purge", "mail_wipe");

    const shown = await runCli(onym, "approvals");
    expect(shown.out).toMatch(/New tools\n.*mail@1\/purge@1.*\n.*mail@1\/wipe@1/);
    expect(shown.out).toContain("onym policy admit mail@1/purge@1");
    const unnamed = await runCli(onym, "policy", "admit");
    expect(unnamed).toMatchObject({ code: 2, err: expect.stringContaining("Nothing is named") });
    expect(await runCli(onym, "policy", "admit", "mail_send", "--yes")).toMatchObject({
      code: 1,
      err: expect.stringContaining('No new tool is called "mail_send"'),
    });
    const admitted = await runCli(onym, "policy", "admit", "mail_purge", "--yes");
    expect(admitted).toMatchObject({ code: 0, out: expect.stringContaining("admitted 1 tool") });
    await until(async () => (await callUnasked(onym.url, "mail_purge")).isError !== true);
    await expectNew(onym, "mail_wipe");
    // Until it was heard of, many calls were refused.
    const audit = await runCli(onym, "audit", "tail", "--json", "-n", "100000");
    expect(audit.out).toContain('"decision": "admitted"');

    // Gone, and back: known. So after a restart.
    await direct("set", ["send"]);
    await until(async () => (await listed(onym)).length === 1);
    await direct("set", ["send", "purge", "wipe"]);
    await until(async () => (await listed(onym)).length === 3);
    await expectRun(onym, "mail_purge");
    await expectNew(onym, "mail_wipe");
    await onym.stop();
    const again = await startMail(["send"], ASK);
    await direct("set", ["send", "purge", "wipe", "late"]);
    await again.said(/server "mail" has 1 new tool/);
    await expectRun(again, "mail_send", "mail_purge");
    await expectNew(again, "mail_wipe", "mail_late");
  });

  it("is not there at all where new tools are denied, and is told of when it is admitted (GW-6) (GW-7)", async () => {
    const onym = await startMail(["send"], DENY);
    const client = await connectV2({ url: onym.url, profile: "openai" });
    const heard = hearListChanges(client);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    // The first list ever is whole.
    expect(await names()).toEqual(["mail_send"]);
    const spellings = [
      "mail_purge",
      "mail@1/purge@1",
      "mail.purge",
      "purge",
      "mcp__onym__mail_purge",
      "mail_purg",
    ];
    const refusals = () => Promise.all(spellings.map((name) => refusalOf(onym, name)));
    const never = await refusals();
    await direct("add", ["purge"]);
    await onym.said(/server "mail" has 1 new tool/);
    expect(await names()).toEqual(["mail_send"]);
    expect(await refusals()).toEqual(never);
    // Nor when it is gone again.
    await direct("set", ["send", "other"]);
    await onym.said(/has 1 new tool.*\n(?:.*\n)*?.*has 1 new tool/);
    expect(await refusals()).toEqual(never);
    await direct("add", ["purge"]);
    expect(heard.count()).toBe(0);
    expect((await runCli(onym, "policy", "admit", "purge", "--yes")).code).toBe(0);
    await heard.reach(1);
    expect(await names()).toEqual(["mail_purge", "mail_send"]);
    await expectRun(onym, "mail_purge");
    await client.close();
  });

  it("is not what a toolbox lists when it is opened for the first time", async () => {
    const fs = stage.entry({ label: "fs", tools: ["read"] });
    const toolboxes = { box: { description: "A box", mcpServers: { fs } } };
    const onym = await stage.start({ config: { toolboxes, mode: "dynamic", policy: DENY } });
    const client = await connectV2({ url: onym.url, profile: "openai", era: "legacy" });
    const opened = await client.callTool({ name: "open_toolbox", arguments: { toolbox: "box" } });
    expect(JSON.stringify(opened)).toContain("box__fs__read");
    await (await stage.control.server("fs")).direct({ do: "add", tools: ["wipe"] });
    await onym.said(/server "fs" has 1 new tool/);
    const again = await client.callTool({ name: "open_toolbox", arguments: { toolbox: "box" } });
    expect(JSON.stringify(again)).toContain("box__fs__read");
    expect(JSON.stringify(again)).not.toContain("wipe");
    await client.close();
  });

  it("is no more reached where unknown names are passed on", async () => {
    const onym = await startMail(["send"], DENY, { onUnknown: { passthrough: "mail" } });
    await expectRun(onym, "mail_send");
    await direct("add", ["purge"]);
    await onym.said(/server "mail" has 1 new tool/);
    for (const name of ["purge", "mail_purge"]) await refusalOf(onym, name);
    const server = await stage.control.server("mail");
    const { received } = await server.direct({ do: "received" });
    expect(JSON.stringify(received)).not.toContain("purge");
  });
});

describe("a server that is reached in another way (POL-2)", () => {
  it("is new as a whole until it is admitted, and known again when it is as it was", async () => {
    const mail = stage.entry({ label: "mail", tools: ["send", "read"] });
    const config = (entry: object) => ({ mcpServers: { mail: entry }, policy: ASK });
    const onym = await stage.start({ config: config(mail) });
    await expectRun(onym, "mail_send");
    const other = { ...mail, env: { OTHER: "1" } };
    await reloadConfig(onym, config(other));
    await onym.said(/server "mail" has 2 new tools/);
    await expectNew(onym, "mail_send", "mail_read");
    await reloadConfig(onym, config(mail));
    await expectRun(onym, "mail_send");
    // Of two ways, the one that is in the config is shown.
    expect((await runCli(onym, "approvals")).out).not.toContain("New tools");
    await reloadConfig(onym, config(other));
    const { out } = await runCli(onym, "policy", "admit", "--server", "mail", "--yes", "--json");
    expect(JSON.parse(out).admitted).toHaveLength(2);
    await until(async () => (await callUnasked(onym.url, "mail_send")).isError !== true);
    // Another server under an id of its own has a beginning of its own; nothing of this one reaches it.
    const second = stage.entry({ label: "second", tools: ["send"] });
    await reloadConfig(onym, { mcpServers: { mail: other, second }, policy: ASK });
    await expectRun(onym, "second_send");
    await reloadConfig(onym, { mcpServers: { mail: second }, policy: ASK });
    await expectNew(onym, "mail_send");
  });
});

describe("a server that was renamed (LOCK-5) (POL-1)", () => {
  it("has no beginning of its own: what is new stays new", async () => {
    const onym = await startMail(["send"], ASK);
    await expectRun(onym, "mail_send");
    await direct("add", ["purge"]);
    await onym.said(/server "mail" has 1 new tool/);
    const post = { ...mail, formerly: ["mail"] };
    await reloadConfig(onym, { mcpServers: { post }, policy: ASK });
    // Reached in the same way, it is known by what it had.
    await expectRun(onym, "post_send");
    await direct("add", ["purge"]);
    await onym.said(/server "post" has 1 new tool/);
    await expectNew(onym, "post_purge");
    const other = stage.entry({ label: "other", tools: ["send", "purge"] });
    await reloadConfig(onym, { mcpServers: { letters: { ...other, formerly: ["post"] } }, policy: ASK });
    await onym.said(/server "letters" has 2 new tools/);
    await expectNew(onym, "letters_purge", "letters_send");
  });
});

/** A gateway with one server, always in the same folder, so that it is reached in the same way. */
function startMail(tools: readonly unknown[], policy: object, more: object = {}): Promise<RunningOnym> {
  mail ??= stage.entry({ label: "mail", tools });
  return stage.start({ dir: stage.folder, config: { mcpServers: { mail }, policy, ...more } });
}
let mail: object | undefined;
afterEach(() => {
  mail = undefined;
});

async function direct(what: "add" | "set", tools: readonly unknown[]): Promise<void> {
  await (await stage.control.server("mail")).direct({ do: what, tools });
}
