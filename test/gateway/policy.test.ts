// Where other systems fail open, through a running gateway: rules are about what a tool is, whatever it is called, and what
// is denied was never there (POL-1, GW-6).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { callUnasked } from "./harness-asked.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV2 } from "./harness-clients.js";
import { hearListChanges } from "./harness-heard.js";
import { askLegacy, askModern, entriesIn, listenModern, type RawAnswer } from "./harness-raw.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

const PROFILES = ["openai", "cursor", "claude-code", "universal", "canonical", "mcp", "vscode", "gemini"];

type Params = Readonly<Record<string, unknown>>;

describe("rules that other systems stretch (POL-1)", () => {
  const LOOK_ALIKES = ["foo.bar", "foo_bar", "foo-bar", "foo__bar", "a", "a__b", "a_b", "a.b", "A"];
  const servers = (label: string) => ({
    s: stage.entry({ label, tools: LOOK_ALIKES }),
    a: stage.entry({ label: `${label}-a`, tools: ["b__c", "c"] }),
    a__b: { ...stage.entry({ label: `${label}-a__b`, tools: ["c", "b__c"] }), integration: "a-b" },
  });
  /** Every name that any profile has for any tool, and what it is the name of. */
  const named = new Map<string, Map<string, string>>();
  beforeAll(async () => {
    const open = await stage.start({ config: { mcpServers: servers("open") } });
    for (const profile of PROFILES) named.set(profile, await namesAt(open, profile));
  });

  it.each([
    ["an allow, where everything else is denied", "deny", "allow"],
    ["a denial, where everything else is allowed", "allow", "deny"],
  ])(
    "%s: for `a` it does not reach `a__b`, nor for `foo.bar` what is sanitised to its name",
    async (_, otherwise, effect) => {
      const rules = [
        { effect, tool: ["s@1/foo.bar", "s@1/a"] },
        { effect, server: "a" },
      ];
      const label = `stretched-${effect}`;
      const config = { mcpServers: servers(label), policy: { default: otherwise, rules } };
      const onym = await stage.start({ config });
      const isRuled = (canonical: string) =>
        canonical === "s@1/foo.bar@1" || canonical === "s@1/a@1" || canonical.startsWith("a@1/");
      const mayRun = (canonical: string) => isRuled(canonical) === (effect === "allow");
      for (const [profile, names] of named) {
        const url = `${onym.url}/${profile}`;
        const expected = [...names].filter(([, canonical]) => mayRun(canonical));
        expect([...(await namesAt(onym, profile))].sort()).toEqual(expected.sort());
        for (const [name, canonical] of names) {
          for (const spelling of [name, canonical, encodeURIComponent(canonical), ...prefixed(name)]) {
            const nonce = `${profile} ${spelling}`;
            const params = { name: spelling, arguments: { nonce } };
            const { result, error } = await askModern({ url, method: "tools/call", params });
            const echo = result?.["structuredContent"] as { server: string; raw: string } | undefined;
            if (mayRun(canonical)) expect(echo, nonce).toMatchObject({ nonce, raw: rawOf(canonical) });
            else expect(error?.message, nonce).toBe(`Unknown tool: ${spelling}`);
          }
        }
      }
      // Nothing else reached the servers, whatever was answered.
      for (const [server, prefix] of [
        ["", "s@1/"],
        ["-a", "a@1/"],
        ["-a__b", "a-b@1/"],
      ] as const) {
        const received = await rawsReceived(`${label}${server}`);
        expect(received.filter((raw) => !mayRun(`${prefix}${raw}@1`))).toEqual([]);
      }
    },
  );
});

describe("a denied tool, by every spelling (POL-1, GW-6)", () => {
  const TOOLS = ["wipe", "read", "wipe_all"];
  const rest = (label: string) => ({
    mcpServers: {
      mail: { ...stage.entry({ label, tools: TOOLS, instructions: "Mail." }), alias: "m" },
      other: stage.entry({ label: `${label}-other`, tools: ["look"] }),
    },
    renames: [
      { from: "mail@1/erase@1", to: "mail@1/wipe@1", policy: "warn" },
      { from: "old_wipe", to: "mail@1/wipe@1", policy: "accept" },
      { from: "mail@1/gone@1", to: "mail@1/wipe@1", policy: "reject" },
    ],
  });
  const policy = { default: "allow", rules: [{ effect: "deny", tool: "mail@1/wipe" }] };
  let open: RunningOnym;
  let onym: RunningOnym;
  beforeAll(async () => {
    open = await stage.start({ config: rest("told") });
    onym = await stage.start({ config: { ...rest("kept"), policy } });
  });

  /** Calls that mean the tool, as texts, as parts, and from a context. */
  const spellings = (raw: string, former: string): readonly Params[] => [
    ...[`m_${raw}`, `mail_${raw}`, `mail.${raw}`, `mail/${raw}`, `mail__${raw}`, raw].map((name) => ({
      name,
    })),
    ...[`mail@1/${raw}@1`, `mail@1/${raw}`, `mail/${raw}@1`, `mail@v1/${raw}@latest`].map((name) => ({
      name,
    })),
    ...[`mail@1~${raw}@1`, `mail%401%2F${raw}%401`, `mail%401~${raw}%401`].map((name) => ({ name })),
    ...[`MAIL@1/${raw.toUpperCase()}@1`, `Mail@1/${raw}@1`, `M_${raw.toUpperCase()}`].map((name) => ({
      name,
    })),
    ...[`mcp__onym__m_${raw}`, `mcp__onym__mail_${raw}`, `mcp_onym_m_${raw}`].map((name) => ({ name })),
    ...[`mcp__mail__${raw}`, `mcp_mail_${raw}`, `mcp_mail__${raw}`].map((name) => ({ name })),
    { name: { server: "mail", name: raw } },
    { name: raw, _meta: { source_server: "mail" } },
    { name: `mail@1/${former}@1` },
    { name: `mail%401%2F${former}%401` },
    { name: `m_${former}` },
    { name: `old_${raw}` },
  ];
  const NEVER = "wype";
  const never = (text: string) =>
    text.replaceAll(NEVER, "wipe").replaceAll(NEVER.toUpperCase(), "WIPE").replaceAll("ersae", "erase");

  it("has spellings that lead to it where it is not denied", async () => {
    let led = 0;
    for (const params of spellings("wipe", "erase")) {
      const { result } = await call(open, "openai", params);
      if (result !== undefined && result["isError"] !== true) led += 1;
    }
    expect(led).toBeGreaterThanOrEqual(22);
  });

  it.each(PROFILES)("is answered byte for byte as one that never was: %s", async (profile) => {
    const denied = spellings("wipe", "erase");
    const unknown = spellings(NEVER, "ersae");
    for (const [at, params] of denied.entries()) {
      const ask = at % 2 === 0 ? call : callLegacy;
      const answer = await ask(onym, profile, params);
      const told = await ask(onym, profile, unknown[at] ?? {});
      expect(answer.error?.code, JSON.stringify(params)).toBe(-32602);
      expect(answer.text).toBe(never(told.text));
      expect(answer.status).toBe(told.status);
    }
    // A former name that is refused anyway does not name its successor either.
    const gone = await call(onym, profile, { name: "mail@1/gone@1" });
    expect(gone.text).toBe(
      (await call(onym, profile, { name: "mail@1/g0ne@1" })).text.replace("g0ne", "gone"),
    );
  });

  it("is not listed, not suggested, and not told of in any other way", async () => {
    for (const profile of PROFILES) {
      const url = `${onym.url}/${profile}`;
      const list = await askModern({ url, method: "tools/list" });
      expect(entriesIn(list, "tools").map(({ _meta }) => _meta["original_name"])).toEqual([
        "read",
        "wipe_all",
        "look",
      ]);
      expect(list.text).not.toMatch(/wipe(?!_all)/);
      const discovered = await askModern({ url, method: "server/discover" });
      const greeting = await askLegacy({ url, method: "initialize" });
      expect(discovered.text + greeting.text).not.toMatch(/wipe(?!_all)/);
    }
    for (const near of ["m_wip", "m_wipe_", "mail@1/wip@1", "wipe2", "m_wipe_2"]) {
      const { text, error } = await call(onym, "openai", { name: near });
      expect(error).toBeDefined();
      expect(text.replaceAll(near, "")).not.toMatch(/wipe(?!_all)/);
    }
    expect(await rawsReceived("kept")).toEqual([]);
    // Its neighbour whose name starts with it is another tool.
    const { result } = await call(onym, "openai", { name: "m_wipe_all" });
    expect(result?.["structuredContent"]).toMatchObject({ raw: "wipe_all" });
  });

  it("stays denied under its new name when the rule knows the former one; an allow does not follow", async () => {
    const rules = (effect: string) => [{ effect, tool: "mail@1/erase" }];
    const denied = await stage.start({
      config: { ...rest("former-deny"), policy: { default: "allow", rules: rules("deny") } },
    });
    const allowed = await stage.start({
      config: { ...rest("former-allow"), policy: { default: "deny", rules: rules("allow") } },
    });
    for (const params of spellings("wipe", "erase"))
      for (const each of [denied, allowed])
        expect((await call(each, "openai", params)).error?.code, JSON.stringify(params)).toBe(-32602);
    for (const label of ["former-deny", "former-allow"]) expect(await rawsReceived(label)).toEqual([]);
  });

  it("is no more there where unknown names are passed on", async () => {
    const config = { ...rest("passed"), policy, onUnknown: { passthrough: "mail" } };
    const passing = await stage.start({ config });
    const answer = await call(passing, "openai", { name: "wipe" });
    expect(answer.error).toMatchObject({ code: -32602, message: "Unknown tool: wipe" });
    for (const params of spellings("wipe", "erase")) await call(passing, "openai", params);
    expect(await rawsReceived("passed")).not.toContain("wipe");
  });
});

describe("a denied tool in a toolbox behind use_tool (GW-10, GW-11)", () => {
  it("is neither found nor used, and answered as one that never was", async () => {
    const tools = ["wipe", "read"];
    const onym = await stage.start({
      config: {
        toolboxes: {
          box: { description: "A box", mcpServers: { fs: stage.entry({ label: "box-fs", tools }) } },
        },
        mode: "proxy",
        policy: { default: "allow", rules: [{ effect: "deny", tool: "*@*/wipe", toolbox: "box" }] },
      },
    });
    const use = async (name: string, args: Params) => {
      const { text } = await call(onym, "claude-code", { name, arguments: args });
      return text;
    };
    const ways = (raw: string): readonly Params[] => [
      { name: `box__fs__${raw}` },
      { name: raw, server: "fs", toolbox: "box" },
      { name: raw, server: "fs" },
      { name: raw, toolbox: "box" },
      { name: raw },
      { name: `fs@1/${raw}@1` },
      { name: `mcp__onym__box__fs__${raw}` },
      { name: `box__fs__${raw.toUpperCase()}` },
    ];
    // Opened first, so that both are asked of the same state.
    expect(await use("use_tool", { name: "box__fs__read", arguments: {} })).toContain("box-fs");
    const never = ways("wype");
    for (const [at, way] of ways("wipe").entries()) {
      const answer = await use("use_tool", way);
      expect(answer).toContain('"isError":true');
      const told = await use("use_tool", never[at] ?? {});
      expect(answer).toBe(told.replaceAll("wype", "wipe").replaceAll("WYPE", "WIPE"));
    }
    const found = await use("find_tools", { query: "wipe Echoes read" });
    expect(found).toContain("box__fs__read");
    expect(found.replace("wipe Echoes read", "")).not.toContain("wipe");
    expect(await use("list_toolboxes", {})).not.toContain("wipe");
    expect((await call(onym, "claude-code", { name: "box__fs__wipe" })).error?.code).toBe(-32602);
    expect(await rawsReceived("box-fs")).toEqual(["read"]);
  });
});

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
    const { error } = await call(onym, "openai", { name: "mail_wipe" });
    expect(error?.message).toBe("Unknown tool: mail_wipe");
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
    expect((await call(onym, "openai", { name: "mail_wipe" })).error?.code).toBe(-32602);
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

function call(onym: RunningOnym, profile: string, params: Params): Promise<RawAnswer> {
  return askModern({
    url: `${onym.url}/${profile}`,
    method: "tools/call",
    params,
    headers: headersFor(params),
  });
}

function callLegacy(onym: RunningOnym, profile: string, params: Params): Promise<RawAnswer> {
  return askLegacy({ url: `${onym.url}/${profile}`, method: "tools/call", params });
}

/** A name in parts has no header of its own in the specification; what the gateway takes is its tool's name. */
function headersFor({ name }: Params): Record<string, string> {
  return typeof name === "string" ? {} : { "mcp-name": (name as { readonly name: string }).name };
}

async function namesAt(onym: RunningOnym, profile: string): Promise<Map<string, string>> {
  const list = await askModern({ url: `${onym.url}/${profile}`, method: "tools/list" });
  return new Map(
    entriesIn(list, "tools").map(({ name, _meta }) => [name, String(_meta["onym/canonicalName"] ?? name)]),
  );
}

function rawOf(canonical: string): string {
  return canonical.slice(canonical.indexOf("/") + 1, canonical.lastIndexOf("@"));
}

/** As clients with a prefix of their own send it back; none of them takes canonical names. */
function prefixed(name: string): readonly string[] {
  return /^[\w-]+$/.test(name) ? [`mcp__onym__${name}`] : [];
}

/** The names by which a server was called. */
async function rawsReceived(label: string): Promise<readonly string[]> {
  const server = await stage.control.server(label);
  const { received } = await server.direct({ do: "received" });
  const messages = received as readonly { readonly method?: string; readonly params: { name: string } }[];
  return messages.flatMap(({ method, params }) => (method === "tools/call" ? [params.name] : []));
}
