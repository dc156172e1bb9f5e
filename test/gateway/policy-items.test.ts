// The policy holds for everything of a server, through a running gateway: prompts, resources, templates, completions,
// subscriptions, instructions; and what was read or fetched is on record (POL-9).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { decisionFor, firstPending, storeOf } from "./harness-approvals.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { runCli } from "./harness-cli.js";
import { connectV2 } from "./harness-clients.js";
import { askLegacy, askModern, entriesIn, listenModern, type RawAnswer } from "./harness-raw.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

const ERAS = [
  ["2025-11-25", askLegacy],
  ["2026-07-28", askModern],
] as const;

function serversOf(label: string) {
  const script = (of: string) => ({
    label: `${label}-${of}`,
    tools: [`${of}_look`],
    prompts: [
      { name: `${of}_sum`, description: "Sums up", arguments: [{ name: "x" }] },
      { name: `${of}_old` },
    ],
    resources: [
      { name: of, uri: `${of}:///public/a` },
      { name: `${of} two`, uri: `${of}:///secret/b` },
    ],
    templates: [{ name: `${of} any`, uriTemplate: `${of}:///{+path}` }],
    instructions: `Words of ${of}.`,
  });
  return { mcpServers: { docs: stage.entry(script("docs")), open: stage.entry(script("open")) } };
}

const start = (label: string, policy: object): Promise<RunningOnym> =>
  stage.start({ config: { ...serversOf(label), policy } });

/** What the server of a label was asked for. */
async function methodsOf(label: string): Promise<readonly string[]> {
  const server = await stage.control.server(label);
  const { received } = await server.direct({ do: "received" });
  const asked = received as readonly { readonly method?: string }[];
  return asked.flatMap(({ method }) =>
    method !== undefined && /^(prompts\/get|resources\/(read|subscribe)|completion)/.test(method)
      ? [method]
      : [],
  );
}

const LISTS = [
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
] as const;

/** Everything by which something of a server is read or fetched, and the same for what is not there. */
const requestsFor = (of: string): readonly (readonly [string, Record<string, unknown>])[] => [
  ["prompts/get", { name: `${of}_${of}_sum` }],
  ["prompts/get", { name: `${of}@1/${of}_sum@1` }],
  ["resources/read", { uri: `${of}:///public/a` }],
  ["resources/read", { uri: `${of}:///by/template` }],
  ["resources/read", { uri: `onym://${of}/${of}:///public/a` }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: `${of}_${of}_sum` }, argument: { name: "x", value: "v" } },
  ],
  [
    "completion/complete",
    { ref: { type: "ref/resource", uri: `${of}:///{+path}` }, argument: { name: "path", value: "v" } },
  ],
];

/** Without what repeats the request. */
function shapeOf({ error, result }: RawAnswer, of: string): string {
  return JSON.stringify(error ?? result).replaceAll(of, "NAME");
}

describe.each([
  ["denied", { rules: [{ effect: "deny", server: "docs" }] }],
  ["not named under a default of deny", { default: "deny", rules: [{ effect: "allow", server: "open" }] }],
])("a server that is %s (POL-9)", (why, policy) => {
  const label = why.length.toString();
  let onym: RunningOnym;
  beforeAll(async () => {
    onym = await start(label, policy);
  });

  it.each(ERAS)("shows nothing in lists or instructions: %s", async (_, ask) => {
    for (const [method, member] of LISTS) {
      const answer = await ask({ url: onym.url, method });
      expect(entriesIn(answer, member).length, method).toBeGreaterThan(0);
      expect(answer.text, method).not.toContain("docs");
    }
    const hello = ask === askLegacy ? "initialize" : "server/discover";
    const { result } = await ask({ url: onym.url, method: hello });
    expect(result?.["instructions"]).toContain("Words of open");
    expect(JSON.stringify(result)).not.toContain("docs");
  });

  it.each(ERAS)("is reached by nothing, and answered as what is not there: %s", async (_, ask) => {
    for (const [at, [method, params]] of requestsFor("docs").entries()) {
      const answer = await ask({ url: onym.url, method, params });
      const [, absent = {}] = requestsFor("nope")[at] ?? [];
      const unknown = await ask({ url: onym.url, method, params: absent });
      expect(answer.error, JSON.stringify(params)).toBeDefined();
      expect(shapeOf(answer, "docs")).toBe(shapeOf(unknown, "nope"));
    }
    if (ask === askLegacy)
      expect(
        (await ask({ url: onym.url, method: "resources/subscribe", params: { uri: "docs:///public/a" } }))
          .error?.message,
      ).toBe("Resource not found: docs:///public/a");
    expect(await methodsOf(`${label}-docs`)).toEqual([]);
    for (const [method, params] of requestsFor("open"))
      expect((await ask({ url: onym.url, method, params })).error, JSON.stringify(params)).toBeUndefined();
  });

  it("is not followed by who listens, and not told of", async () => {
    const listening = await listenModern(onym.url, {
      resourceSubscriptions: ["docs:///public/a", "open:///public/a"],
    });
    const docs = await stage.control.server(`${label}-docs`);
    const open = await stage.control.server(`${label}-open`);
    await docs.direct({ do: "touch", uri: "docs:///public/a" });
    await open.direct({ do: "touch", uri: "open:///public/a" });
    await listening.reach("notifications/resources/updated", 1);
    listening.close();
    expect(
      JSON.stringify(listening.heard.filter(({ method }) => method === "notifications/resources/updated")),
    ).not.toContain("docs");
    expect(await methodsOf(`${label}-docs`)).toEqual([]);
  });

  it("leaves on record what was denied, by which rule, and what was read (POL-4) (POL-7)", async () => {
    const { audit } = await storeOf(onym);
    const outcomes = async () =>
      (await audit.read({ limit: 1_000 })).filter(
        ({ kind, canonical }) => kind === "outcome" && canonical?.startsWith("subscription") === true,
      );
    // Outcomes are written after the answer.
    await expect.poll(outcomes).not.toEqual([]);
    const records = await audit.read({ limit: 1_000 });
    const denied = records.filter(({ decision }) => decision === "deny");
    const rule = why === "denied" ? "rules[0]" : "default";
    for (const canonical of [
      "prompt docs@1/docs_sum@1",
      "resource docs@1/docs:///public/a",
      "resource docs@1/docs:///{+path}",
    ])
      expect(denied).toContainEqual(expect.objectContaining({ canonical, rule, outcome: "policy" }));
    for (const canonical of [
      "prompt open@1/open_sum@1",
      "resource open@1/open:///public/a",
      "subscription to resource open@1/open:///public/a",
      "completion for prompt open@1/open_sum@1",
    ]) {
      expect(records).toContainEqual(
        expect.objectContaining({ kind: "intent", canonical, decision: "allow" }),
      );
      expect(records).toContainEqual(
        expect.objectContaining({ kind: "outcome", canonical, outcome: "result" }),
      );
    }
    expect(records).toContainEqual(expect.objectContaining({ sent: "nope:///public/a", outcome: "unknown" }));
    expect((await runCli(onym, "audit", "verify")).code).toBe(0);
  });
});

describe("conditions on resources and prompts (POL-9)", () => {
  it.each(ERAS)("hide what they deny and leave the rest: %s", async (_, ask) => {
    const label = ask === askLegacy ? "some-legacy" : "some-modern";
    const onym = await start(label, {
      rules: [
        { effect: "deny", resource: "docs:///secret/*" },
        { effect: "deny", prompt: "docs@1/docs_old" },
      ],
    });
    const urls = await ask({ url: onym.url, method: "resources/list" });
    expect(entriesIn(urls, "resources").map(({ uri }) => uri)).toEqual([
      "docs:///public/a",
      "open:///public/a",
      "open:///secret/b",
    ]);
    const prompts = await ask({ url: onym.url, method: "prompts/list" });
    expect(entriesIn(prompts, "prompts").map(({ name }) => name)).toEqual([
      "docs_docs_sum",
      "open_open_old",
      "open_open_sum",
    ]);
    const read = (uri: string) => ask({ url: onym.url, method: "resources/read", params: { uri } });
    for (const uri of [
      "docs:///secret/b",
      "docs:///secret/other",
      "docs:///public/../secret/b",
      "docs:///%73ecret/b",
    ])
      expect((await read(uri)).error?.message, uri).toContain("Resource not found");
    expect((await read("docs:///public/a")).result).toBeDefined();
    expect((await read("open:///secret/b")).result).toBeDefined();
    const old = await ask({ url: onym.url, method: "prompts/get", params: { name: "docs_docs_old" } });
    expect(old.error?.message).toBe("Unknown prompt: docs_docs_old");
    // Its server is seen in part, so that it may speak.
    const hello = await ask({ url: onym.url, method: ask === askLegacy ? "initialize" : "server/discover" });
    expect(hello.result?.["instructions"]).toContain("Words of docs");
  });

  it("let pass what they name under a default of deny, and no instructions of others", async () => {
    const onym = await start("named", {
      default: "deny",
      rules: [
        { effect: "allow", resource: "docs:///public/*" },
        { effect: "allow", tool: "nothing@1/here" },
      ],
    });
    const ask = (method: string, params?: Record<string, unknown>) =>
      askModern({ url: onym.url, method, ...(params === undefined ? {} : { params }) });
    expect(entriesIn(await ask("resources/list"), "resources").map(({ uri }) => uri)).toEqual([
      "docs:///public/a",
    ]);
    expect(entriesIn(await ask("resources/templates/list"), "resourceTemplates")).toEqual([]);
    expect(entriesIn(await ask("prompts/list"), "prompts")).toEqual([]);
    expect((await ask("resources/read", { uri: "docs:///public/other" })).result).toBeDefined();
    expect((await ask("resources/read", { uri: "docs:///else" })).error).toBeDefined();
    expect((await ask("resources/read", { uri: "docs:///public/../secret/b" })).error).toBeDefined();
    const { result } = await ask("server/discover");
    expect(result?.["instructions"]).not.toContain("Words of open");
    expect(onym.stderr()).toContain("policy.rules[1] is about no tool there is");
  });
});

describe("what is asked about (POL-3) (POL-9)", () => {
  const policy = { rules: [{ effect: "ask", server: "docs" }] };

  it.each(ERAS)("is read and fetched once somebody approves it: %s", async (_, ask) => {
    const label = ask === askLegacy ? "ask-legacy" : "ask-modern";
    const onym = await start(label, policy);
    const store = await storeOf(onym);
    const read = () => ask({ url: onym.url, method: "resources/read", params: { uri: "docs:///public/a" } });
    // The whole answer, so that a failure shows what came instead.
    expect(await read()).toMatchObject({
      error: {
        code: -32600,
        message: expect.stringContaining(
          "resource docs@1/docs:///public/a was not opened: it needs approval",
        ),
      },
    });
    await store.approvals.decide(decisionFor(await firstPending(store)));
    await expect.poll(async () => (await read()).error).toBeUndefined();
    // The approval is of this resource, and of nothing else.
    const other = await ask({ url: onym.url, method: "resources/read", params: { uri: "docs:///secret/b" } });
    expect(other.error?.code).toBe(-32600);
    const prompt = await ask({ url: onym.url, method: "prompts/get", params: { name: "docs_docs_sum" } });
    expect(prompt.error?.message).toContain("onym approve");
    const shown = await runCli(onym, "approvals");
    expect(shown.out).toContain("prompt docs@1/docs_sum@1");
    expect((await runCli(onym, "approve", "prompt docs@1/docs_sum@1", "--yes")).code).toBe(0);
    await expect
      .poll(
        async () =>
          (await ask({ url: onym.url, method: "prompts/get", params: { name: "docs_docs_sum" } })).error,
      )
      .toBeUndefined();
  });

  it("is given up without approval, on record, by who follows it alone", async () => {
    const label = "ask-unfollow";
    const onym = await start(label, policy);
    const client = await connectV2({
      url: onym.url,
      capabilities: { elicitation: { form: {} } },
      prepareV2: (made) =>
        made.setRequestHandler("elicitation/create", () => ({
          action: "accept",
          content: { decision: "once" },
        })),
    });
    const server = await stage.control.server(`${label}-docs`);
    const unsubscribed = async () => {
      const { received } = await server.direct({ do: "received" });
      const messages = received as readonly { readonly method?: string; readonly params?: unknown }[];
      return messages.flatMap(({ method, params }) => (method === "resources/unsubscribe" ? [params] : []));
    };
    const uri = "docs:///public/a";
    // What extends the request does not reach the server, nor what is not followed.
    const params = { uri, more: { of: "the caller" }, _meta: { any: "data" } };
    await client.unsubscribeResource(params);
    await client.unsubscribeResource({ uri: "docs:///any/other" });
    expect(await unsubscribed()).toEqual([]);

    await client.subscribeResource({ uri });
    await client.unsubscribeResource(params);
    expect(await unsubscribed()).toEqual([{ uri }]);
    const { audit } = await storeOf(onym);
    const canonical = `end of subscription to resource docs@1/${uri}`;
    await expect
      .poll(async () => (await audit.read({ limit: 1_000 })).filter((one) => one.canonical === canonical))
      .toMatchObject([
        { kind: "intent", decision: "allow", sent: uri },
        { kind: "outcome", outcome: "result" },
      ]);
    await client.close();
  });

  it("is asked of the client's user where it can be", async () => {
    const onym = await start("ask-user", policy);
    const request = {
      url: onym.url,
      method: "resources/read",
      params: { uri: "docs:///public/a" },
      capabilities: { elicitation: {} },
    };
    const asked = await askModern(request);
    expect(asked.result).toMatchObject({ resultType: "input_required" });
    expect(asked.text).toContain("resource docs@1/docs:///public/a");
    const [key = ""] = Object.keys(asked.result?.["inputRequests"] as object);
    const answer = await askModern({
      ...request,
      params: {
        ...request.params,
        requestState: asked.result?.["requestState"],
        inputResponses: { [key]: { action: "accept", content: { decision: "once" } } },
      },
    });
    expect(answer.result?.["contents"]).toEqual([{ uri: "docs:///public/a", text: expect.any(String) }]);
    // A completion does not ask.
    const completion = await askModern({
      ...request,
      method: "completion/complete",
      params: { ref: { type: "ref/prompt", name: "docs_docs_sum" }, argument: { name: "x", value: "v" } },
    });
    expect(completion.error?.message).toContain("needs approval");
  });
});

describe("commands (POL-5) (POL-9)", () => {
  it("tell which rule decides about a resource or prompt, and which rule is about none", async () => {
    const onym = await start("told", {
      rules: [
        { effect: "deny", resource: "docs:///secret/*", caller: "ci" },
        { effect: "ask", prompt: "docs@1/docs_old" },
        { effect: "deny", prompt: "docs@1/docs_odl" },
        { effect: "deny", resource: "docs:///nothing" },
      ],
    });
    const test = (...args: readonly string[]) => runCli(onym, "policy", "test", ...args);
    const denied = await test("docs:///secret/x", "--kind", "resource", "--server", "docs", "--as", "ci");
    expect(denied).toMatchObject({ code: 1, out: expect.stringMatching(/"ci": deny, by rules\[0\]/) });
    expect((await test("docs:///secret/x", "--kind", "resource", "--server", "docs")).code).toBe(0);
    const asked = await test("docs@1/docs_old@1", "--kind", "prompt", "--json");
    expect(JSON.parse(asked.out)).toMatchObject({
      kind: "prompt",
      server: "docs",
      raw: "docs_old",
      effect: "ask",
    });
    expect(await test("docs:///a", "--kind", "resource")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--server"),
    });
    expect(onym.stderr()).toContain("policy.rules[2] is about no prompt there is");
    const { out } = await runCli(onym, "doctor", "--json");
    const idle = JSON.parse(out).checks.flatMap(
      ({ message }: { message: string }) => /^policy\.rules.*there is/.exec(message)?.[0] ?? [],
    );
    expect(idle).toEqual([
      "policy.rules[2] is about no prompt there is",
      "policy.rules[3] is about no resource there is",
    ]);
  });
});

describe("a session that follows resources when the policy begins to ask about one (POL-9, CFG-4)", () => {
  const asks = { rules: [{ effect: "ask", resource: "docs:///secret/*" }] };
  const touchBoth = async (label: string): Promise<void> => {
    const docs = await stage.control.server(`${label}-docs`);
    for (const uri of ["docs:///secret/b", "docs:///public/a"]) await docs.direct({ do: "touch", uri });
  };

  it("hears of that one no more: nobody is asked about a notification", async () => {
    const servers = serversOf("asks-now");
    const onym = await stage.start({ config: { ...servers, policy: {} } });
    const { client, updates } = await followBoth(onym);
    await touchBoth("asks-now");
    await expect.poll(updates).toEqual(["docs:///secret/b", "docs:///public/a"]);
    await reloadConfig(onym, { ...servers, policy: asks });
    await touchBoth("asks-now");
    await expect.poll(() => updates().length).toBeGreaterThan(2);
    expect(updates().slice(2)).toEqual(["docs:///public/a"]);
    await client.close();
  });

  it("still hears of one that its user approved, though only this once", async () => {
    const onym = await start("asked-then", asks);
    const { client, updates } = await followBoth(onym);
    await touchBoth("asked-then");
    await expect.poll(updates).toEqual(["docs:///secret/b", "docs:///public/a"]);
    await client.close();
  });
});

/** A client with a session whose user approves whatever is asked, this once. */
async function followBoth({ url }: RunningOnym) {
  const client = await connectV2({ url, capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { decision: "once" } }));
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    heard.push(params.uri);
  });
  for (const uri of ["docs:///secret/b", "docs:///public/a"]) await client.subscribeResource({ uri });
  return { client, updates: () => heard };
}
