// What the source documents say of listing and calling through a gateway, statement by statement, and the schemas of
// strangers (SAFE-3).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV1 } from "./harness-clients.js";
import { askLegacy, askModern, entriesIn } from "./harness-raw.js";

/** Run against its subject, this pattern takes longer than any test would wait. */
const HOSTILE = { type: "string", pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" };
const SUBJECT = "a".repeat(60);

let stage: Stage;
let onym: RunningOnym;
let boxes: RunningOnym;

beforeAll(async () => {
  stage = await createStage();
  onym = await stage.start({
    config: {
      mcpServers: {
        salesforce: stage.entry({
          label: "salesforce",
          tools: [
            "get_leads",
            {
              name: "slow_pattern",
              inputSchema: { type: "object", properties: { nonce: HOSTILE } },
              outputSchema: { type: "object", properties: { nonce: HOSTILE } },
            },
          ],
        }),
      },
      onUnknown: { passthrough: "salesforce" },
    },
  });
  const filesystem = stage.entry({ label: "filesystem", tools: ["read_file"] });
  boxes = await stage.start({ config: { toolboxes: { dev: { mcpServers: { filesystem } } } } });
});

afterAll(() => stage.close());

const list = async (path: string, more: Partial<Parameters<typeof askModern>[0]> = {}, from = onym) =>
  entriesIn(
    await askModern({ url: `${from.url}${path}`, method: "tools/list", ...more }),
    "tools",
  ) as readonly (Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly _meta?: Readonly<Record<string, unknown>>;
  })[];

describe("a listed tool", () => {
  it("carries its canonical name as `name`, and `openai_name` beside it (S000-17, GW-2)", async () => {
    const leads = (await list("/canonical")).find(({ _meta }) => _meta?.["original_name"] === "get_leads");
    expect(leads).toMatchObject({ name: "salesforce@1/get_leads@1", openai_name: "sf_get_leads" });
    expect(leads?._meta).toMatchObject({
      "onym/canonicalName": "salesforce@1/get_leads@1",
      "onym/openaiName": "sf_get_leads",
    });
  });

  it("carries the flat name for a client that is detected, and `canonical_name` beside it (S000-24, GW-2)", async () => {
    const leads = (await list("", { clientName: "claude-code" })).find(({ name }) => name === "sf_get_leads");
    expect(leads).toMatchObject({ canonical_name: "salesforce@1/get_leads@1" });
    expect(leads?._meta?.["onym/canonicalName"]).toBe("salesforce@1/get_leads@1");
  });

  it("has its flat name under the header x-openai-mode, whatever the address says (S000-25, GW-3)", async () => {
    const names = (await list("/canonical", { headers: { "x-openai-mode": "true" } })).map(
      ({ name }) => name,
    );
    expect(names).toContain("sf_get_leads");
    expect(names).not.toContain("salesforce@1/get_leads@1");
  });

  it("carries server and toolbox, and both with the raw name in `_meta` (S001-26, S001-27, BOX-5)", async () => {
    const read = (await list("/openai", {}, boxes)).find(({ name }) => name === "dev__filesystem__read_file");
    const told = { source_server: "filesystem", toolbox_name: "dev" };
    expect(read).toMatchObject({ ...told, _meta: { ...told, original_name: "read_file" } });
  });
});

describe("a name that breaks the rules", () => {
  const TOOLS = ["get user", "getUser", "x".repeat(200)];
  const serve = (label: string, strict: boolean) =>
    stage.start({
      config: { mcpServers: { users: stage.entry({ label, tools: TOOLS }) }, strict },
    });
  const rawNames = async (from: RunningOnym) =>
    (await list("/openai", {}, from)).map(({ _meta }) => _meta?.["original_name"]);
  const callRaw = (from: RunningOnym, raw: string) =>
    askModern({
      url: `${from.url}/openai`,
      method: "tools/call",
      params: { name: `users@1/${raw}@1`, arguments: {} },
    });

  it("is found when its tool is registered, then and later, and told; the tool works (S002-14, RULE-3)", async () => {
    const lenient = await serve("lenient", false);
    expect(await rawNames(lenient)).toEqual(["get user", "getUser", "x".repeat(200)]);
    expect((await callRaw(lenient, "get user")).result).toMatchObject({
      structuredContent: { raw: "get user" },
    });
    await lenient.said(/warn.*"get user".*space/);
    await lenient.said(/warn.*"x{20,}.*128/);
    const server = await stage.control.server("lenient");
    await server.direct({ do: "set", tools: [...TOOLS, "a,b"] });
    await lenient.said(/warn.*"a,b".*comma/);
    expect(lenient.stderr()).not.toMatch(/warn.*"getUser"/);
  });

  it("is refused where the rules are enforced, alone, then and later (S002-14, RULE-3)", async () => {
    const strict = await serve("strict", true);
    expect(await rawNames(strict)).toEqual(["getUser"]);
    for (const raw of ["get user", "x".repeat(200)])
      expect((await callRaw(strict, raw)).error).toMatchObject({ code: -32602 });
    expect((await callRaw(strict, "getUser")).result).toMatchObject({
      structuredContent: { raw: "getUser" },
    });
    const server = await stage.control.server("strict");
    await server.direct({ do: "set", tools: [...TOOLS, "a,b", "fine"] });
    await strict.said(/"a,b".*comma/);
    expect(await rawNames(strict)).toEqual(["fine", "getUser"]);
    expect((await callRaw(strict, "a,b")).error).toMatchObject({ code: -32602 });
    const { received } = (await server.direct({ do: "received" })) as { received: { method: string }[] };
    expect(received.filter(({ method }) => method === "tools/call")).toHaveLength(1);
  });
});

it("passes a name that matches nothing on as it is, where that is configured (S000-28, RES-3)", async () => {
  const { error, result } = await askLegacy({
    url: `${onym.url}/openai`,
    method: "tools/call",
    params: { name: "nobody_knows_this", arguments: { nonce: "n1" } },
  });
  // The downstream got the name untouched, and says itself that it has no such tool.
  expect(JSON.stringify(error ?? result)).toContain("nobody_knows_this");
});

it("runs no pattern of a downstream's schema, whatever is called or answered (SAFE-3)", async () => {
  const client = await connectV1({ url: onym.url, profile: "openai" });
  const call = client.callTool({ name: "sf_slow_pattern", arguments: { nonce: SUBJECT } });
  const others = Array.from({ length: 20 }, (_, n) =>
    askModern({
      url: `${onym.url}/openai`,
      method: "tools/call",
      params: { name: "sf_get_leads", arguments: { nonce: n } },
    }),
  );
  for (const { error } of await Promise.all(others)) expect(error).toBeUndefined();
  await call.catch(() => {});
  await client.close();
});
