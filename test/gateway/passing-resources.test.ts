// Resources, templates, subscriptions, prompts and completions of servers whose addresses and names clash (GW-5).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Directed } from "../servers/control.js";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV1, connectV2 } from "./harness-clients.js";
import { askLegacy, askModern, entriesIn, listenModern } from "./harness-raw.js";

type Json = Readonly<Record<string, unknown>>;

let stage: Stage;
let onym: RunningOnym;
let url = "";
const servers = new Map<string, Directed>();

beforeAll(async () => {
  stage = await createStage();
  const script = (label: string, era: "legacy" | "modern") => ({
    label,
    eras: [era],
    tools: ["look_up"],
    resources: [
      { uri: "file:///shared", name: "shared" },
      { uri: `${label}://only`, name: "only", mimeType: "text/plain" },
    ],
    templates: [
      { uriTemplate: "note:///{id}", name: "notes" },
      { uriTemplate: `${label}://page/{id}`, name: "pages" },
    ],
    prompts: [{ name: "greet", description: `Greets, then calls look_up`, arguments: [{ name: "who" }] }],
  });
  onym = await stage.start({
    config: {
      mcpServers: {
        old: stage.entry(script("old", "legacy")),
        new: stage.entry(script("new", "modern")),
      },
    },
  });
  ({ url } = onym);
  for (const label of ["old", "new"]) servers.set(label, await stage.control.server(label));
});

afterAll(() => stage.close());

describe.each([["legacy", askLegacy] as const, ["modern", askModern] as const])("a %s client", (_, ask) => {
  it("lists resources of all servers, with those that clash kept apart, and reads each (GW-5)", async () => {
    const listed = await ask({ url, method: "resources/list" });
    const uris = entriesIn(listed, "resources").map(({ uri }) => String(uri));
    expect([...uris].sort()).toEqual([
      "new://only",
      "old://only",
      "onym://new/file:///shared",
      "onym://old/file:///shared",
    ]);
    for (const uri of uris) {
      const owner = uri.includes("old") ? "old" : "new";
      const raw = uri.replace(/^onym:\/\/\w+\//, "");
      const read = await ask({ url, method: "resources/read", params: { uri } });
      expect(read.result?.["contents"]).toEqual([{ uri, text: `${owner}: ${raw}` }]);
    }
  });

  it("is told of both candidates for a bare address, and of one that is nobody's (GW-6)", async () => {
    const both = await ask({ url, method: "resources/read", params: { uri: "file:///shared" } });
    expect(both.error).toMatchObject({
      code: -32602,
      data: { candidates: ["onym://new/file:///shared", "onym://old/file:///shared"] },
    });
    const nobody = await ask({ url, method: "resources/read", params: { uri: "nobody://x" } });
    expect(nobody.error?.code).toBe(ask === askModern ? -32602 : -32002);
  });

  it("lists templates and reads what they make (GW-5)", async () => {
    const listed = await ask({ url, method: "resources/templates/list" });
    const templates = entriesIn(listed, "resourceTemplates").map(({ uriTemplate }) => uriTemplate);
    expect([...templates].sort()).toEqual([
      "new://page/{id}",
      "old://page/{id}",
      "onym://new/note:///{id}",
      "onym://old/note:///{id}",
    ]);
    for (const [uri, text] of [
      ["old://page/7", "old: old://page/7"],
      ["onym://new/note:///7", "new: note:///7"],
      ["onym://old/note:///7", "old: note:///7"],
    ] as const) {
      const read = await ask({ url, method: "resources/read", params: { uri } });
      expect(read.result?.["contents"]).toEqual([{ uri, text }]);
    }
  });

  it("lists prompts that clash under two names, and gets each from its server (GW-5)", async () => {
    const prompts = entriesIn(await ask({ url: `${url}/openai`, method: "prompts/list" }), "prompts");
    expect(prompts.map(({ name }) => name)).toEqual(["new_greet", "old_greet"]);
    for (const { name, description, _meta } of prompts) {
      const owner = String(_meta["source_server"]);
      expect(description).toBe(`Greets, then calls ${owner}_look_up`);
      const got = await ask({ url: `${url}/openai`, method: "prompts/get", params: { name } });
      expect(JSON.stringify(got.result?.["messages"])).toContain(
        JSON.stringify(JSON.stringify({ server: owner, raw: "greet" })),
      );
    }
    const bare = await ask({ url: `${url}/openai`, method: "prompts/get", params: { name: "greet" } });
    expect(bare.error).toMatchObject({ code: -32602, data: { candidates: ["new_greet", "old_greet"] } });
    const unknown = await ask({ url: `${url}/openai`, method: "prompts/get", params: { name: "new_gret" } });
    expect(unknown.error).toMatchObject({ code: -32602, message: "Unknown prompt: new_gret" });
  });

  it("completes arguments of the right prompt and template (GW-5)", async () => {
    const complete = async (ref: Json) => {
      const params = { ref, argument: { name: "who", value: "A" } };
      const { result, error } = await ask({ url: `${url}/openai`, method: "completion/complete", params });
      return (result?.["completion"] as Json | undefined)?.["values"] ?? error;
    };
    expect(await complete({ type: "ref/prompt", name: "old_greet" })).toEqual(["old: A"]);
    expect(await complete({ type: "ref/prompt", name: "new_greet" })).toEqual(["new: A"]);
    expect(await complete({ type: "ref/resource", uri: "onym://old/note:///{id}" })).toEqual(["old: A"]);
    expect(await complete({ type: "ref/resource", uri: "new://page/{id}" })).toEqual(["new: A"]);
    expect(await complete({ type: "ref/resource", uri: "no://{x}" })).toMatchObject({ code: -32602 });
  });
});

describe("subscriptions (GW-5)", () => {
  it.each(["old", "new"])("a legacy client follows a resource of the %s server", async (owner) => {
    const client = await connectV2({ url });
    const heard: string[] = [];
    let wake = () => {};
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      heard.push(params.uri);
      wake();
    });
    const uri = `onym://${owner}/file:///shared`;
    await (await directed(owner)).direct({ do: "forget" });
    await client.subscribeResource({ uri });
    await untilFollowed(owner, "file:///shared");
    await touch(owner, `${owner}://only`);
    await touch(owner === "old" ? "new" : "old", "file:///shared");
    const told = new Promise<void>((resolve) => {
      wake = resolve;
    });
    await touch(owner, "file:///shared");
    await told;
    expect(heard).toEqual([uri]);
    await client.unsubscribeResource({ uri });
    await client.close();
  });

  it.each(["old", "new"])(
    "a modern client follows a resource of the %s server, which is told so",
    async (owner) => {
      const uri = `onym://${owner}/file:///shared`;
      const server = await directed(owner);
      await server.direct({ do: "forget" });
      const listening = await listenModern(url, { resourceSubscriptions: [uri] });
      await untilFollowed(owner, "file:///shared");
      await touch(owner, "file:///shared");
      await listening.reach("notifications/resources/updated", 1);
      expect(listening.heard.at(-1)).toMatchObject({ params: { uri, _meta: expect.anything() } });
      listening.close();
      if (owner === "old") await server.direct({ do: "awaitReceived", method: "resources/unsubscribe" });
    },
  );

  it.each(["old", "new"])(
    "a %s server that was started anew is told again what is followed",
    async (owner) => {
      const client = await connectV2({ url });
      const told = new Promise<string>((resolve) => {
        client.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri));
      });
      await client.subscribeResource({ uri: `${owner}://only` });
      const before = await directed(owner);
      await before.direct({ do: "exit", code: 1 });
      await before.gone;
      servers.set(owner, await stage.control.server(owner));
      await untilFollowed(owner, `${owner}://only`);
      await touch(owner, `${owner}://only`);
      expect(await told).toBe(`${owner}://only`);
      await client.unsubscribeResource({ uri: `${owner}://only` });
      await client.close();
    },
  );

  it("the last follower's leaving ends the subscription downstream", async () => {
    const server = await directed("old");
    await server.direct({ do: "forget" });
    const [one, two] = [await connectV1({ url }), await connectV1({ url })];
    for (const client of [one, two]) await client.subscribeResource({ uri: "old://only" });
    await one.unsubscribeResource({ uri: "old://only" });
    const { received } = await server.direct({ do: "received" });
    expect((received as readonly Json[]).map(({ method }) => method)).not.toContain("resources/unsubscribe");
    await (two.transport as { terminateSession?: () => Promise<void> }).terminateSession?.();
    await server.direct({ do: "awaitReceived", method: "resources/unsubscribe" });
    await Promise.all([one.close(), two.close()]);
  });
});

async function directed(label: string): Promise<Directed> {
  const server = servers.get(label);
  if (server === undefined) throw new Error(`no server ${label}`);
  return server;
}

/** Waits until the server has been told that somebody follows the resource: the old way, or by a new listening. */
async function untilFollowed(label: string, uri: string): Promise<void> {
  const method = label === "old" ? "resources/subscribe" : "subscriptions/listen";
  const server = await directed(label);
  for (let count = 1; ; count += 1) {
    const { received } = await server.direct({ do: "awaitReceived", method, count });
    if (JSON.stringify(received).includes(JSON.stringify(uri))) return;
  }
}

/** The resource changed. */
async function touch(label: string, uri: string): Promise<void> {
  await (await directed(label)).direct({ do: "touch", uri });
}
