// What is denied was never there, through a running gateway: by no spelling, and not in what is told of the rest
// (POL-1, GW-6).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { runCli } from "./harness-cli.js";
import { callRaw, callRawLegacy, type Params, PROFILES, rawsReceived } from "./harness-policy.js";
import { askLegacy, askModern, entriesIn } from "./harness-raw.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

describe("a denied tool, by every spelling (POL-1, GW-6)", () => {
  const TOOLS = ["wipe", "read", "wipe_all"];
  const servers = (label: string, tools: readonly string[]) => ({
    mcpServers: {
      mail: { ...stage.entry({ label, tools, instructions: "Mail." }), alias: "m" },
      other: stage.entry({ label: `${label}-other`, tools: ["look"] }),
    },
  });
  const rest = (label: string) => ({
    ...servers(label, TOOLS),
    renames: [
      { from: "mail@1/erase@1", to: "mail@1/wipe@1", policy: "warn" },
      { from: "old_wipe", to: "mail@1/wipe@1", policy: "accept" },
      { from: "mail@1/gone@1", to: "mail@1/wipe@1", policy: "reject" },
    ],
  });
  const policy = { default: "allow", rules: [{ effect: "deny", tool: "mail@1/wipe" }] };
  let open: RunningOnym;
  let onym: RunningOnym;
  let without: RunningOnym;
  beforeAll(async () => {
    open = await stage.start({ config: rest("told") });
    onym = await stage.start({ config: { ...rest("kept"), policy } });
    without = await stage.start({ config: servers("without", ["read", "wipe_all"]) });
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
  it("has spellings that lead to it where it is not denied", async () => {
    let led = 0;
    for (const params of spellings("wipe", "erase")) {
      const { result } = await callRaw(open, "openai", params);
      if (result !== undefined && result["isError"] !== true) led += 1;
    }
    expect(led).toBeGreaterThanOrEqual(22);
  });

  it.each(PROFILES)("is answered byte for byte as where it never was: %s (RES-3)", async (profile) => {
    let suggested = 0;
    const near = ["m_wip", "m_wipe_2", "mail@1/wip@1", "wipes"].map((name) => ({ name }));
    const gone = [{ name: "mail@1/gone@1" }, { name: "nothing" }];
    for (const [at, params] of [...spellings("wipe", "erase"), ...near, ...gone].entries()) {
      const ask = at % 2 === 0 ? callRaw : callRawLegacy;
      const answer = await ask(onym, profile, params);
      const told = await ask(without, profile, params);
      expect(answer.error?.code, JSON.stringify(params)).toBe(-32602);
      expect(answer.text).toBe(told.text);
      expect(answer.status).toBe(told.status);
      const suggestions = answer.error?.data?.["suggestions"];
      suggested += Array.isArray(suggestions) ? suggestions.length : 0;
    }
    // What it may see is suggested as ever.
    expect(suggested).toBeGreaterThan(20);
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
      const { text, error } = await callRaw(onym, "openai", { name: near });
      expect(error).toBeDefined();
      expect(text.replaceAll(near, "")).not.toMatch(/wipe(?!_all)/);
    }
    expect(await rawsReceived(stage, "kept")).toEqual([]);
    // Its neighbour whose name starts with it is another tool.
    const { result } = await callRaw(onym, "openai", { name: "m_wipe_all" });
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
        expect((await callRaw(each, "openai", params)).error?.code, JSON.stringify(params)).toBe(-32602);
    for (const label of ["former-deny", "former-allow"]) expect(await rawsReceived(stage, label)).toEqual([]);
  });

  it("is no more there where unknown names are passed on", async () => {
    const config = { ...rest("passed"), policy, onUnknown: { passthrough: "mail" } };
    const passing = await stage.start({ config });
    const answer = await callRaw(passing, "openai", { name: "wipe" });
    expect(answer.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Unknown tool: wipe/),
    });
    for (const params of spellings("wipe", "erase")) await callRaw(passing, "openai", params);
    expect(await rawsReceived(stage, "passed")).not.toContain("wipe");
  });

  it("is passed on to no other server that takes every name: it is known, though hidden (RES-3, POL-9)", async () => {
    const config = { ...rest("taking"), policy, onUnknown: { passthrough: "other" } };
    const passing = await stage.start({ config });
    for (const params of spellings("wipe", "erase")) {
      const { result } = await callRaw(open, "openai", params);
      if (result !== undefined && result["isError"] !== true) await callRaw(passing, "openai", params);
    }
    await callRaw(passing, "openai", { name: "unknown" });
    expect(await rawsReceived(stage, "taking")).toEqual([]);
    expect(await rawsReceived(stage, "taking-other")).toEqual(["unknown"]);
  });

  it("is passed on to no other server under any of its names, as filtered tools are not (RES-3, GW-13)", async () => {
    const { mcpServers, ...others } = rest("kept-back");
    const config = {
      ...others,
      mcpServers: { ...mcpServers, other: { ...mcpServers.other, toolFilters: ["look", "un*", "!unsafe"] } },
      policy,
      onUnknown: { passthrough: "other" },
    };
    const passing = await stage.start({ config });
    for (const params of spellings("wipe", "erase")) await callRaw(passing, "openai", params);
    for (const name of ["unsafe", "filtered", "unknown"]) {
      const { error } = await callRaw(passing, "openai", { name });
      if (name !== "unknown") expect(error?.message).toBe(`Unknown tool: ${name}`);
    }
    expect(await rawsReceived(stage, "kept-back")).toEqual([]);
    expect(await rawsReceived(stage, "kept-back-other")).toEqual(["unknown"]);
  });
});

describe("a raw name that a hidden tool has as a spelling (POL-1, GW-6)", () => {
  const GUESSES = ["git.status", "git/status", "mcp__git__status", "mcp_git_status", "git@v1/status"];
  const FREE = [
    ...GUESSES,
    "Git@1/STATUS@1",
    "git@1/status",
    "git@latest/status",
    "status",
    "git.no",
    "git_no",
  ];
  /** Public, former and canonical; encoded, or with the prefix of a client. */
  const GIVEN = [
    "git_status",
    "git_state",
    "git@1/status@1",
    "git@1~status@1",
    "mcp__onym__git_status",
    "git%5Fstatus",
  ];
  const own = (label: string) => stage.entry({ label, tools: [...FREE, ...GIVEN] });
  const renames = [{ from: "git_state", to: "git@1/status@1" }];
  const policy = { default: "allow", rules: [{ effect: "deny", server: "git" }] };
  const answerOf = async (onym: RunningOnym, params: Params) => {
    const [modern, legacy] = [
      await callRaw(onym, "openai", params),
      await callRawLegacy(onym, "openai", params),
    ];
    const raws = [modern, legacy].map(({ result, error }) =>
      error === undefined ? Object(result?.["structuredContent"])["raw"] : error.message.split(".")[0],
    );
    expect(raws[1]).toEqual(raws[0]);
    return raws[0];
  };

  it("is understood as if that tool had never been there; a name that was given to it is not", async () => {
    const git = stage.entry({ label: "guessed", tools: ["status"] });
    const servers = { git, ev: own("guessing") };
    const hidden = await stage.start({ config: { mcpServers: servers, renames, policy } });
    for (const name of FREE) expect(await answerOf(hidden, { name })).toBe(name);
    // Callers may have been shown it before: it never goes to another server.
    for (const name of GIVEN) expect(await answerOf(hidden, { name })).toBe(`Unknown tool: ${name}`);
    // Who says whose name it is, is understood.
    for (const name of [...FREE, ...GIVEN])
      expect(await answerOf(hidden, { name, _meta: { source_server: "ev" } })).toBe(name);
    expect(await rawsReceived(stage, "guessed")).toEqual([]);
  });

  it("holds for prompts, too", async () => {
    const given = ["git_sum", "git@1/sum@1"];
    const ev = [...given, "git.sum", "git/sum", "git.no"].map((name) => ({ name }));
    const script = { tools: ["look"], capabilities: { prompts: {} } };
    const servers = {
      git: stage.entry({ ...script, label: "guessed-prompts", prompts: [{ name: "sum" }] }),
      ev: stage.entry({ ...script, label: "guessing-prompts", prompts: ev }),
    };
    const hidden = await stage.start({ config: { mcpServers: servers, policy } });
    for (const { name } of ev) {
      const { error } = await askModern({ url: hidden.url, method: "prompts/get", params: { name } });
      expect(error?.message.split(".")[0], name).toBe(
        given.includes(name) ? `Unknown prompt: ${name}` : undefined,
      );
    }
  });

  it("is that tool's for who sees it, and nobody's where the call says that it is another's (RES-1)", async () => {
    const servers = { git: stage.entry({ label: "open-git", tools: ["status"] }), ev: own("open-ev") };
    const open = await stage.start({ config: { mcpServers: servers } });
    for (const name of ["git_status", ...GUESSES]) {
      expect(await answerOf(open, { name })).toBe("status");
      const stated = await callRaw(open, "openai", { name, _meta: { source_server: "ev" } });
      expect(stated.error, name).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/^Ambiguous tool: /),
        data: { candidates: expect.arrayContaining(["git_status"]) },
      });
    }
    expect(new Set(await rawsReceived(stage, "open-ev"))).toEqual(new Set());
  });
});

it("is denied by the canonical name that its server would list it with, where it is passed on unlisted (CANON-6, RES-3)", async () => {
  const entry = stage.entry({ label: "hub", tools: ["github@1/list@1", "gitlab@1/list@1"] });
  const onym = await stage.start({
    config: {
      mcpServers: { hub: { ...entry, names: "canonical", speaksFor: ["github", "hub"] } },
      onUnknown: { passthrough: "hub" },
      policy: { default: "allow", rules: [{ effect: "deny", tool: "github@1/delete" }] },
    },
  });
  // Denied at any version; no canonical name; of an integration that the server may not speak for, listed or not.
  for (const name of [
    ...["github@1/delete@1", "github@1/delete@2"],
    ...["github@1/delete", "github_delete", "delete", "box:github@1/list@1"],
    ...["gitlab@1/list@1", "gitlab@1/delete@1"],
  ])
    expect((await callRaw(onym, "openai", { name })).error, name).toMatchObject({ code: -32602 });
  expect(await rawsReceived(stage, "hub")).toEqual([]);
  for (const name of ["github@1/find@1", "hub@1/find@2"]) await callRaw(onym, "openai", { name });
  expect(await rawsReceived(stage, "hub")).toEqual(["github@1/find@1", "hub@1/find@2"]);
});

describe("a denied tool, on record (POL-7)", () => {
  it("is there with tool, rule and caller, however it was called, though its caller hears only unknown", async () => {
    const onym = await stage.start({
      config: {
        toolboxes: {
          box: {
            description: "A box",
            mcpServers: { fs: stage.entry({ label: "record", tools: ["wipe", "read"] }) },
          },
        },
        policy: {
          default: "allow",
          rules: [
            { effect: "allow", tool: "*@*/read" },
            { effect: "deny", tool: "*@*/wipe" },
          ],
        },
      },
    });
    for (const name of ["box__fs__wipe", "fs@1/wipe@1", "nothing_there"]) {
      const { error } = await callRaw(onym, "openai", { name });
      expect(error?.message).toMatch(/^Unknown tool: /);
      expect(error?.data).not.toHaveProperty("rule");
    }
    const { out } = await runCli(onym, "audit", "tail", "--json");
    const records: readonly Record<string, unknown>[] = JSON.parse(out).records;
    const denied = records.filter(({ sent }) => sent === "box__fs__wipe" || sent === "fs@1/wipe@1");
    expect(denied).toHaveLength(2);
    for (const record of denied)
      expect(record).toMatchObject({
        kind: "refusal",
        caller: "local",
        tool: expect.stringContaining('"wipe"'),
        canonical: expect.stringMatching(/fs@1\/wipe@1$/),
        rule: "rules[1]",
        decision: "deny",
        outcome: "policy",
        definition: expect.stringMatching(/./),
      });
    expect(records.find(({ sent }) => sent === "nothing_there")).toMatchObject({
      decision: "refused",
      outcome: "unknown",
    });
    expect((await runCli(onym, "audit", "tail")).out).toMatch(
      /box__fs__wipe → \S*fs@1\/wipe@1 +deny, rules\[1\] +policy/,
    );
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
      const { text } = await callRaw(onym, "claude-code", { name, arguments: args });
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
    expect((await callRaw(onym, "claude-code", { name: "box__fs__wipe" })).error?.code).toBe(-32602);
    expect(await rawsReceived(stage, "box-fs")).toEqual(["read"]);
  });
});

describe("a text that mentions a denied tool (POL-1, GW-9)", () => {
  const text = 'Call wipe_all after read_all; not "wipe_all".';
  const config = (tools: readonly string[], label: string) => ({
    mcpServers: {},
    toolboxes: {
      box: {
        mcpServers: {
          mail: stage.entry({
            label,
            tools: tools.map((name) => ({ name, description: text, inputSchema: { type: "object" } })),
            prompts: [{ name: "wipe_all", description: text, arguments: [{ name: "a", description: text }] }],
            instructions: text,
          }),
        },
      },
    },
  });
  const rules = [{ effect: "deny", tool: "*@*/wipe_all@*" }];
  const TEXTS = [
    ["tools/list", {}],
    ["prompts/list", {}],
    ["prompts/get", { name: "box__mail__wipe_all" }],
    ["initialize", {}],
    ["tools/call", { name: "find_tools", arguments: { query: "call after" } }],
  ] as const;

  it("is what it would be without that tool, and has the names of all others", async () => {
    const open = await stage.start({ config: config(["read_all", "wipe_all"], "mentioned") });
    const kept = await stage.start({
      config: { ...config(["read_all", "wipe_all"], "mentioned"), policy: { rules } },
    });
    const without = await stage.start({ config: config(["read_all"], "mentioned") });
    for (const [method, params] of TEXTS) {
      const [whole, hidden, gone] = await Promise.all(
        [open, kept, without].map(async ({ url }) => (await askLegacy({ url, method, params })).text),
      );
      expect(hidden, method).toBe(gone);
      if (method === "prompts/get") continue;
      expect(whole, method).toContain("box__mail__wipe_all");
      expect(hidden, method).toContain("Call wipe_all after box__mail__read_all");
    }
  });
});

describe("a denied server (POL-9)", () => {
  it("is not told of over HTTP beside MCP either", async () => {
    const mcpServers = {
      secret: stage.entry({ label: "denied", tools: ["look"] }),
      hidden: { command: "/there/is/no/such/program" },
      broken: { command: "/there/is/no/such/program" },
      other: stage.entry({ label: "denied-other", tools: ["look"] }),
    };
    const rules = ["secret", "hidden"].map((server) => ({ effect: "deny", server }));
    const onym = await stage.start({ config: { mcpServers, policy: { rules } } });
    // Ready is who has heard from all of them.
    for (const seen of [/down +broken/, /down +hidden/, /ready +other/, /ready +secret/])
      await onym.said(seen);
    const answer = await fetch(new URL("/", onym.url));
    const { servers } = (await answer.json()) as { readonly servers: readonly { server: string }[] };
    expect(servers.map(({ server }) => server)).toEqual(["broken", "other"]);
    expect(await (await fetch(new URL("/readyz", onym.url))).json()).toEqual({ status: "ok" });
  });
});
