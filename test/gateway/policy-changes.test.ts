// A policy that changes under a running gateway (CFG-4, GW-7).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callUnasked } from "./harness-asked.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV2 } from "./harness-clients.js";
import { hearListChanges } from "./harness-heard.js";
import { callRaw } from "./harness-policy.js";
import { listenModern } from "./harness-raw.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

describe("a policy that is changed (CFG-4, GW-7)", () => {
  it("is in force at once, tells that the list changed, and gives a name back as it was", async () => {
    const mail = stage.entry({ label: "changed", tools: ["wipe", "read"] });
    const config = (policy: object) => ({ mcpServers: { mail }, policy });
    const everything = { default: "allow", rules: [] };
    const onym = await stage.start({ config: config(everything) });
    const url = `${onym.url}/openai`;
    const client = await connectV2({ url: onym.url, profile: "openai" });
    const heard = hearListChanges(client);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    const modern = await listenModern(url, { toolsListChanged: true });
    expect(await names()).toEqual(["mail_read", "mail_wipe"]);

    await reloadConfig(onym, config({ ...everything, rules: [{ effect: "deny", tool: "mail@1/wipe" }] }));
    const { error } = await callRaw(onym, "openai", { name: "mail_wipe" });
    expect(error?.message).toBe("Unknown tool: mail_wipe. Did you mean mail_read?");
    await Promise.all([heard.reach(1), modern.reach("notifications/tools/list_changed", 1)]);
    expect(await names()).toEqual(["mail_read"]);

    await reloadConfig(onym, config(everything));
    expect((await callUnasked(url, "mail_wipe")).structuredContent).toMatchObject({ raw: "wipe" });
    await Promise.all([heard.reach(2), modern.reach("notifications/tools/list_changed", 2)]);
    expect(await names()).toEqual(["mail_read", "mail_wipe"]);
    expect(stage.starts("changed")).toBe(1);
    modern.close();
    await client.close();
  });

  it("counts also where nothing was decided before, and nothing is kept", async () => {
    const mail = stage.entry({ label: "unkept", tools: ["wipe"] });
    const onym = await stage.start({ config: { mcpServers: { mail }, store: "none" } });
    expect((await callUnasked(onym.url, "mail@1/wipe@1")).structuredContent).toMatchObject({ raw: "wipe" });
    await reloadConfig(onym, { mcpServers: { mail }, store: "none", policy: { default: "deny" } });
    expect((await callRaw(onym, "openai", { name: "mail_wipe" })).error?.code).toBe(-32602);
  });

  it.each([
    ["its server", { effect: "deny", server: "mail" }],
    ["its tool", { effect: "deny", tool: "mail@1/ask" }],
  ])("lets no server ask the caller of a call under way when %s is denied meanwhile", async (what, rule) => {
    const label = `asks in ${what}`;
    const behaviours = [{ tool: "ask", ask: ["elicitation/create", "elicitation/create"] as const }];
    const mail = stage.entry({ label, tools: ["ask", "other"], eras: ["legacy"], behaviours });
    const config = (rules: readonly object[]) => ({ mcpServers: { mail }, policy: { rules } });
    const onym = await stage.start({ config: config([]) });
    let asked = 0;
    const client = await connectV2({
      url: onym.url,
      capabilities: { elicitation: { form: {} } },
      prepareV2: (made) =>
        made.setRequestHandler("elicitation/create", async () => {
          asked += 1;
          await reloadConfig(onym, config([rule]));
          return { action: "accept", content: { name: "Ann" } };
        }),
    });
    // Neither does the answer that came after the reload pass, nor a second question.
    await expect(client.callTool({ name: "mail@1/ask@1" })).rejects.toThrow(
      "The call was ended while its client was asked",
    );
    const server = await stage.control.server(label);
    await server.direct({ do: "awaitReceived", method: "notifications/cancelled" });
    const { received } = await server.direct({ do: "received" });
    expect(JSON.stringify(received)).not.toContain("Ann");
    expect(asked).toBe(1);
    await client.close();
  });

  it("records the outcome of a call that was under way", async () => {
    const behaviours = [{ tool: "slow", hold: true }];
    const mail = stage.entry({ label: "slow", tools: ["slow"], behaviours });
    const onym = await stage.start({ config: { mcpServers: { mail } } });
    const slow = callUnasked(onym.url, "mail_slow");
    const server = await stage.control.server("slow");
    await server.direct({ do: "awaitHeld", count: 1 });
    await reloadConfig(onym, { mcpServers: { mail }, policy: { default: "ask" } });
    await server.direct({ do: "release" });
    expect((await slow).structuredContent).toMatchObject({ raw: "slow" });
    expect(onym.stderr()).not.toContain("cannot be recorded");
  });
});
