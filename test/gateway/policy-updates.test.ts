// Updates of resources that policy asks about: they end with the approval they began with (POL-9).

import { afterAll, beforeAll, expect, it } from "vitest";
import type { StoredApproval } from "../../packages/onym/src/store/store.js";
import type { RunningOnym } from "./harness.js";
import { storeOf } from "./harness-approvals.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV2 } from "./harness-clients.js";
import { listenModern } from "./harness-raw.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

const SECRET = "docs:///secret";
const CHILD = "docs:///secret/child";
const PUBLIC = "docs:///public";
const UPDATED = "notifications/resources/updated";

async function start(label: string): Promise<RunningOnym> {
  const resources = [SECRET, CHILD, PUBLIC].map((uri) => ({ name: uri, uri }));
  const docs = stage.entry({ label, tools: ["look"], resources });
  const rules = [{ effect: "ask", resource: `${SECRET}*` }];
  return stage.start({ config: { mcpServers: { docs }, policy: { rules } } });
}

/** A session that follows both, and whose user answers the first approval request so and declines all others. */
async function follow({ url }: RunningOnym, decision: "once" | "always") {
  const client = await connectV2({ url, capabilities: { elicitation: { form: {} } } });
  let asked = 0;
  client.setRequestHandler("elicitation/create", () => {
    asked += 1;
    return asked === 1 ? { action: "accept", content: { decision } } : { action: "decline" };
  });
  const heard: object[] = [];
  client.setNotificationHandler(UPDATED, ({ params }) => void heard.push(params));
  for (const uri of [SECRET, PUBLIC]) await client.subscribeResource({ uri });
  return { client, heard };
}

/** The server says that these changed, and last the public one; resolves with what was heard of it all. */
async function hear(label: string, heard: object[], uris: readonly string[]): Promise<readonly object[]> {
  heard.length = 0;
  const server = await stage.control.server(label);
  for (const uri of [...uris, PUBLIC])
    await server.direct({ do: "tell", method: UPDATED, params: { uri, contents: "PAYLOAD" } });
  await expect.poll(() => heard).toContainEqual({ uri: PUBLIC });
  return heard;
}

/** Waits until the gateway knows that reading it is not allowed. */
async function refused(client: Awaited<ReturnType<typeof follow>>["client"]): Promise<void> {
  await expect
    .poll(() =>
      client.readResource({ uri: SECRET }).then(
        () => "read",
        () => "refused",
      ),
    )
    .toBe("refused");
}

const rejectionOf = (tool: string) => {
  const decided = { decidedAt: Date.now(), decidedBy: "an operator", expiresAt: undefined };
  const about = { principal: "local", tool: tool as StoredApproval["tool"], launch: "", definition: {} };
  return { verdict: "rejected", ...about, digest: "" as StoredApproval["digest"], ...decided } as const;
};
const KEY = JSON.stringify(["resource", "", "docs", SECRET]);

/** Which resources the gateway subscribed to at the server that now runs. */
async function subscribed(label: string): Promise<readonly unknown[]> {
  const server = await stage.control.server(label);
  await server.direct({ do: "awaitReceived", method: "resources/subscribe" });
  const { received } = await server.direct({ do: "received" });
  const messages = received as readonly { readonly method?: string; readonly params?: { uri?: string } }[];
  return messages.flatMap(({ method, params }) => (method === "resources/subscribe" ? [params?.uri] : []));
}

it("end when the approval is revoked", async () => {
  const onym = await start("revoked");
  const { client, heard } = await follow(onym, "always");
  expect(await hear("revoked", heard, [SECRET])).toEqual([{ uri: SECRET }, { uri: PUBLIC }]);
  const store = await storeOf(onym);
  const [approval] = await store.approvals.standing();
  expect(await store.approvals.revoke(approval?.id ?? 0, Date.now())).toBe(true);
  await refused(client);
  expect(await hear("revoked", heard, [SECRET])).toEqual([{ uri: PUBLIC }]);
  await client.close();
});

it.each(["once", "always"] as const)(
  "end when the resource is rejected after an approval for %s, and stay so when that is revoked",
  async (decision) => {
    const label = `rejected-${decision}`;
    const onym = await start(label);
    const { client, heard } = await follow(onym, decision);
    expect(await hear(label, heard, [SECRET])).toEqual([{ uri: SECRET }, { uri: PUBLIC }]);
    const store = await storeOf(onym);
    const { id } = await store.approvals.decide(rejectionOf(KEY));
    await expect
      .poll(() => client.readResource({ uri: SECRET }).catch(({ message }: Error) => message))
      .toMatch(/rejected|denied|not allowed/i);
    expect(await hear(label, heard, [SECRET])).toEqual([{ uri: PUBLIC }]);

    const server = await stage.control.server(label);
    await server.direct({ do: "exit" });
    await expect.poll(() => stage.starts(label), { timeout: 20_000 }).toBe(2);
    await expect.poll(() => subscribed(label)).toEqual([PUBLIC]);

    expect(await store.approvals.revoke(id, Date.now())).toBe(true);
    await refused(client);
    expect(await hear(label, heard, [SECRET])).toEqual([{ uri: PUBLIC }]);
    await client.close();
  },
);

it("are of the approved resource alone, not of what lies in it and needs an approval of its own", async () => {
  const onym = await start("child");
  const { client, heard } = await follow(onym, "once");
  expect(await hear("child", heard, [CHILD, SECRET])).toEqual([{ uri: SECRET }, { uri: PUBLIC }]);
  await client.close();
});

it("go on after a restart of the server if the subscription was approved once", async () => {
  const onym = await start("again");
  const { client, heard } = await follow(onym, "once");
  const server = await stage.control.server("again");
  await server.direct({ do: "exit" });
  await expect.poll(() => stage.starts("again"), { timeout: 20_000 }).toBe(2);
  await expect.poll(() => subscribed("again")).toEqual([SECRET, PUBLIC]);
  expect(await hear("again", heard, [SECRET])).toEqual([{ uri: SECRET }, { uri: PUBLIC }]);
  await client.close();
});

it("tell nobody of a page that is hidden by now, though it lies in a folder that is followed", async () => {
  const label = "hidden-page";
  const [folder, page, last] = ["docs:///folder", "docs:///folder/page", "docs:///folder/last"];
  const resources = [folder, page, last].map((uri) => ({ name: uri, uri }));
  const mcpServers = { docs: stage.entry({ label, tools: ["look"], resources }) };
  const onym = await stage.start({ config: { mcpServers, policy: {} } });
  const client = await connectV2({ url: onym.url });
  const heard: string[] = [];
  client.setNotificationHandler(UPDATED, ({ params }) => void heard.push(params.uri));
  await client.subscribeResource({ uri: folder });
  const listening = await listenModern(onym.url, { resourceSubscriptions: [folder] });
  const server = await stage.control.server(label);
  const touch = async () => {
    for (const uri of [page, last]) await server.direct({ do: "tell", method: UPDATED, params: { uri } });
  };
  const listened = () =>
    listening.heard.flatMap(({ method, params }) =>
      method === UPDATED ? [(params as { readonly uri: string }).uri] : [],
    );
  await touch();
  await expect
    .poll(() => [heard, listened()])
    .toEqual([
      [page, last],
      [page, last],
    ]);
  await reloadConfig(onym, { mcpServers, policy: { rules: [{ effect: "deny", resource: page }] } });
  await touch();
  await expect.poll(() => [heard.slice(2), listened().slice(2)]).toEqual([[last], [last]]);
  listening.close();
  await client.close();
});
