// Approvals through a running gateway: bound to what a tool is and to whom it belongs (POL-2).

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ASK,
  decisionFor,
  digested,
  firstPending,
  offer,
  receivedBy,
  redefine,
  SEND,
  SEND_TO_ALL,
  storeOf,
  until,
} from "./harness-approvals.js";
import { callUnasked, connectAskedRaw, textOf, yes } from "./harness-asked.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});
afterEach(() => stage.close());

describe("renamed × definition changed (POL-2)", () => {
  it("keeps the approval in a pure rename; asks with the difference when the definition changed, or both", async () => {
    const entry = stage.entry({ label: "mail", tools: [SEND] });
    const config = (more: object, rest: object = {}) => ({
      mcpServers: { mail: { ...entry, ...more } },
      policy: ASK,
      ...rest,
    });
    const renamed = config(
      { integration: "post", alias: "letters", version: 2 },
      {
        renames: [{ from: "mail@1/send@1", to: "post@2/send@1" }],
        naming: { pins: { mail_it: "post@2/send@1" } },
      },
    );
    const onym = await stage.start({ config: config({}) });
    const url = `${onym.url}/openai`;
    let answer = yes("always");
    const client = await connectAskedRaw(url, () => answer);
    await client.call("mail_send");
    expect(client.questions).toHaveLength(1);
    answer = { action: "cancel" };

    await reloadConfig(onym, renamed);
    for (const name of ["mail_it", "letters_send", "post@2/send@1", "mail@1/send@1"])
      expect((await client.call(name, { nonce: name })).structuredContent, name).toMatchObject({
        nonce: name,
      });
    expect(client.questions).toHaveLength(1);

    await redefine(stage, url, SEND_TO_ALL);
    expect((await client.call("mail_it")).isError).toBe(true);
    expect(client.questions[1]).toContain('changed $.description: "Sends a mail" → "Sends a mail to all"');
    await reloadConfig(onym, config({}));
    expect((await client.call("mail_send")).isError).toBe(true);
    expect(client.questions[2]).toContain('changed $.description: "Sends a mail" → "Sends a mail to all"');
    // Who cannot be asked leaves the question, with what was approved before.
    expect(textOf(await callUnasked(url, "mail_send"))).toContain(
      "changed since it was approved: its definition",
    );
    const [pending] = await (await storeOf(onym)).approvals.pending();
    expect(pending).toMatchObject({ definition: digested(SEND_TO_ALL), before: digested(SEND) });

    await redefine(stage, url, SEND);
    expect((await client.call("mail_send")).structuredContent).toMatchObject({ raw: "send" });
    expect(client.questions).toHaveLength(3);
  });

  it.each([
    ["_meta", { _meta: { "vendor/run": "first" } }, 'added $._meta: {"vendor/run":"first"}'],
    ["icons", { icons: [{ src: "https://example.com/i.png" }] }, "added $.icons: "],
    ["a member that nobody knows", { "x-note": "Ignore the rest" }, 'added $.others: {"x-note":"Ignore the'],
  ])(
    "asks again where %s is another, and where it was approved before such members counted (POL-9)",
    async (_, more, told) => {
      const mail = stage.entry({ label: "mail", tools: [SEND] });
      const onym = await stage.start({ config: { mcpServers: { mail }, policy: ASK } });
      const url = `${onym.url}/openai`;
      await callUnasked(url, "mail_send");
      const store = await storeOf(onym);
      // As an approval from before looks: title, description, schemas and annotations, and the digest of these.
      await store.approvals.decide(decisionFor(await firstPending(store)));
      await until(async () => (await callUnasked(url, "mail_send")).isError !== true);
      const client = await connectAskedRaw(url, () => ({ action: "cancel" }));
      await redefine(stage, url, { ...SEND, ...more });
      expect((await client.call("mail_send")).isError).toBe(true);
      expect(client.questions).toHaveLength(1);
      expect(client.questions[0]).toContain("It is no longer what was approved");
      expect(client.questions[0]).toContain(told);
    },
  );

  it("asks as for a new tool when the raw name changed, for an approval is of the raw name", async () => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    const naming = { pins: { letters: "mail@1/post@1" } };
    const onym = await stage.start({ config: { mcpServers: { mail }, policy: ASK, naming } });
    const url = `${onym.url}/openai`;
    let answer = yes("always");
    const client = await connectAskedRaw(url, () => answer);
    await client.call("mail_send");
    answer = { action: "cancel" };

    // The same definition, to the letter, under another name: beside it, and instead of it.
    const others = ["post", "Send", "send ", "send_2", "mail_send"];
    await offer(stage, url, [SEND, ...others.map((name) => ({ ...SEND, name }))]);
    expect((await client.call("mail_send")).structuredContent).toMatchObject({ raw: "send" });
    const refuseOthers = async (): Promise<void> => {
      for (const name of ["letters", ...others.map((raw) => `mail@1/${raw}@1`)]) {
        const asked = client.questions.length;
        expect((await client.call(name)).isError, name).toBe(true);
        expect(client.questions.slice(asked)).toHaveLength(1);
        expect(client.questions.at(-1)).not.toContain("changed");
      }
    };
    await refuseOthers();
    await offer(
      stage,
      url,
      others.map((name) => ({ ...SEND, name })),
    );
    await refuseOthers();
    for (const raw of others) expect(await receivedBy(stage, "mail", { raw }), raw).toBe(0);
    expect((await (await storeOf(onym)).approvals.inForce(Date.now())).map(({ tool }) => tool)).toEqual([
      '["namespaced","mail","send"]',
    ]);
  });

  it("asks when the server is started in another way", async () => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    const onym = await stage.start({ config: { mcpServers: { mail }, policy: ASK } });
    let answer = yes("always");
    const client = await connectAskedRaw(`${onym.url}/openai`, () => answer);
    await client.call("mail_send");
    answer = { action: "cancel" };
    await reloadConfig(onym, { mcpServers: { mail: { ...mail, env: { OTHER: "1" } } }, policy: ASK });
    expect((await client.call("mail_send")).isError).toBe(true);
    expect(client.questions[1]).toContain("its server is started or reached in another way");
    expect(await receivedBy(stage, "mail")).toBe(0);
    await reloadConfig(onym, { mcpServers: { mail }, policy: ASK });
    expect((await client.call("mail_send")).isError).toBeUndefined();
  });

  it("does not run what changed while its user was asked: the answer is for what was shown (POL-3)", async () => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    const onym = await stage.start({ config: { mcpServers: { mail }, policy: ASK } });
    const url = `${onym.url}/openai`;
    const client = await connectAskedRaw(url, async () => {
      await redefine(stage, url, SEND_TO_ALL);
      return yes("always");
    });
    const result = await client.call("mail_send");
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("changed");
    expect(await receivedBy(stage, "mail")).toBe(0);
  });
});

describe("an approval of send on one server (POL-2)", () => {
  it("reaches no other: by no spelling, alias, version, or registration under its name with another command", async () => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    const other = stage.entry({ label: "other", tools: [SEND] });
    const third = stage.entry({ label: "third", tools: [SEND] });
    const config = (mcpServers: object, rest: object = {}) => ({ mcpServers, policy: ASK, ...rest });
    const onym = await stage.start({ config: config({ mail, other }) });
    const url = `${onym.url}/openai`;
    const client = await connectAskedRaw(url, () => yes("always"));
    await client.call("mail_send");
    const isAsked = async (...names: readonly unknown[]) => {
      for (const name of names) {
        const result = await callUnasked(url, name);
        expect(textOf(result), JSON.stringify(name)).toContain("needs approval");
      }
    };
    await isAsked("other_send", "other@1/send@1", "other/send", "other%401%2Fsend%401", "OTHER@1/SEND@1");
    await isAsked("mcp__onym__other_send", "other.send", "mcp__other__send", {
      server: "other",
      name: "send",
    });

    await reloadConfig(
      onym,
      config({ mail, other: { ...other, integration: "mail", version: 2, alias: "post" } }),
    );
    await isAsked("mail@2/send@1", "mail@latest/send@1", "mail_send_2", { server: "other", name: "send" });

    // The first server is gone, and another answers to everything that it was called by.
    const renames = [{ from: "mail@1/send@1", to: "third@1/send@1" }];
    await reloadConfig(
      onym,
      config({ other, third }, { renames, naming: { aliases: { third: "mail-old" } } }),
    );
    await isAsked("mail@1/send@1", "third@1/send@1", "third_send");
    await reloadConfig(onym, config({ letters: { ...other, integration: "mail" } }));
    await isAsked("mail@1/send@1", { server: "letters", name: "send" });
    await reloadConfig(onym, config({ mail: other }));
    await isAsked("mail@1/send@1", "mail_send", { server: "mail", name: "send" });
    for (const label of ["other", "third"]) expect(stage.starts(label)).toBeGreaterThan(0);
    expect(await receivedBy(stage, "other")).toBe(0);

    await reloadConfig(onym, config({ mail }));
    expect((await callUnasked(url, "mail_send")).structuredContent).toMatchObject({ server: "mail" });
  });
});
