// Who may connect to Onym over HTTP, and what they get: tokens, OAuth, confinement, sessions (GW-3, POL-1).

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServedIssuer, serveIssuer } from "../edge/serve-issuer.js";
import { ONYM_BIN, onymEnvironment, type RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV1, connectV2, connectV2Stdio } from "./harness-clients.js";
import { askModern } from "./harness-raw.js";
import { type RecordingProxy, startRecordingProxy } from "./recording-proxy.js";

interface Made {
  readonly token: string;
  readonly config: { readonly name: string; readonly hash: string };
}

let stage: Stage;
let issuer: ServedIssuer;
let proxy: RecordingProxy;
let onym: RunningOnym;
const closing: (() => Promise<void>)[] = [];

function runToken(...args: readonly string[]) {
  return spawnSync(process.execPath, [ONYM_BIN, "token", ...args], {
    encoding: "utf8",
    env: onymEnvironment("/", {}),
  });
}

const made = (name: string): Made => JSON.parse(runToken(name, "--json").stdout) as Made;
const all = made("all");
const dev = made("dev-only");
const gone = made("gone");
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

beforeAll(async () => {
  stage = await createStage();
  issuer = await serveIssuer();
  const web = await stage.control.startHttp({ label: "web", tools: ["fetch_page"] });
  proxy = await startRecordingProxy(web.url);
  closing.push(issuer.close, proxy.close, web.close);
  const script = (label: string, tools: readonly string[]) =>
    stage.entry({
      label,
      tools,
      eras: ["legacy"],
      behaviours: [{ tool: "ask_me", ask: ["elicitation/create"] }],
    });
  onym = await stage.start({
    args: ["--verbose"],
    config: {
      // No store, so that no guard is there but for the confinement.
      store: "none",
      mcpServers: { web: { url: proxy.url, type: "http" } },
      toolboxes: {
        dev: { mcpServers: { fs: script("dev", ["read_file", "ask_me"]) } },
        ops: { mcpServers: { db: script("ops", ["drop_table"]) } },
      },
      auth: {
        tokens: [
          { ...all.config, profile: "openai" },
          { ...dev.config, toolboxes: ["dev"] },
          { ...gone.config, expires: "2020-01-01" },
        ],
        oauth: {
          issuer: issuer.issuer,
          scopes: ["mcp"],
          map: [{ claims: { team: "dev" }, toolboxes: ["dev"] }, { scope: "everything" }],
        },
      },
    },
  });
  await onym.said(/\d+ tools? of \d+ servers?/);
});

afterAll(async () => {
  await stage.close();
  for (const close of closing) await close();
});

const namesOf = ({ tools }: { readonly tools: readonly { readonly name: string }[] }) =>
  tools
    .map(({ name }) => name)
    .filter((name) => !/(find_tools|list_toolboxes)$/.test(name))
    .sort();

describe("onym token", () => {
  it("prints a new token once, and the line for the config that does not hold it", () => {
    const { stdout, status } = runToken("ci");
    const [token = ""] = stdout.split("\n");
    expect([status, token]).toEqual([0, expect.stringMatching(/^onym_[\w-]{43}$/)]);
    expect(stdout).toMatch(/\{"name":"ci","hash":"sha256:[0-9a-f]{64}"\}/);
    expect(made("ci").token).not.toBe(made("ci").token);
    expect(runToken("local").status).toBe(2);
  });
});

describe("a gateway with auth", () => {
  it("lets nobody in without a token, and stays silent about its servers", async () => {
    const refused = await fetch(onym.url, { method: "POST", body: "{}" });
    expect(refused.status).toBe(401);
    const metadata = new URL("/.well-known/oauth-protected-resource/mcp", onym.url).href;
    expect(refused.headers.get("www-authenticate")).toBe(
      `Bearer scope="mcp", resource_metadata="${metadata}"`,
    );
    expect(await refused.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32000 } });
    await expect(connectV2({ url: onym.url })).rejects.toThrow();
    const index = await fetch(new URL("/", onym.url));
    expect([index.status, await index.text()]).toEqual([401, expect.not.stringContaining("web")]);
    expect((await fetch(new URL("/healthz", onym.url))).status).toBe(200);
    const ready = await fetch(new URL("/readyz", onym.url));
    expect(await ready.json()).toEqual({ status: "ok" });
  });

  it("says where tokens come from (RFC 9728)", async () => {
    for (const path of ["", "/mcp"]) {
      const answer = await fetch(new URL(`/.well-known/oauth-protected-resource${path}`, onym.url));
      expect(await answer.json()).toMatchObject({
        resource: onym.url,
        authorization_servers: [issuer.issuer],
        scopes_supported: ["mcp"],
      });
    }
    const other = await fetch(new URL("/.well-known/oauth-protected-resource/other", onym.url));
    expect(other.status).toBe(404);
  });

  it.each(["legacy", "modern"] as const)(
    "takes a token from an SDK client, %s, with the token's profile (GW-3)",
    async (era) => {
      const client = await connectV2({ url: onym.url, era, headers: bearer(all.token) });
      const names = namesOf(await client.listTools());
      expect(names).toHaveLength(4);
      // The detected profile would have dev_fs_ask_me.
      expect(names).toContain("dev__fs__ask_me");
      expect(names.filter((name) => /drop_table|fetch_page/.test(name))).toHaveLength(2);
      await client.close();
    },
  );

  it("refuses a token that has expired", async () => {
    await expect(connectV1({ url: onym.url, headers: bearer(gone.token) })).rejects.toThrow(/expired/);
  });

  it.each(["legacy", "modern"] as const)(
    "keeps a confined caller to its toolboxes, %s (POL-1, GW-6)",
    async (era) => {
      const client = await connectV2({ url: onym.url, era, headers: bearer(dev.token) });
      expect(namesOf(await client.listTools()).join()).toMatch(/^[^,]*ask_me,[^,]*read_file$/);
      for (const name of [
        "ops__db__drop_table",
        "db@1/drop_table@1",
        "db_drop_table",
        "drop_table",
        "web_fetch_page",
      ]) {
        await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(/Unknown tool/);
      }
      const done = await client.callTool({ name: "dev__fs__read_file", arguments: {} });
      expect(done.isError ?? false).toBe(false);
      await client.close();
      const { received } = (await (await stage.control.server("ops")).direct({ do: "received" })) as {
        readonly received?: readonly unknown[];
      };
      expect(JSON.stringify(received ?? [])).not.toContain("tools/call");
    },
  );

  it("takes tokens of the authorization server, with what its map says", async () => {
    const sign = (claims: object) => issuer.sign({ aud: onym.url, scope: "mcp", ...claims });
    const confined = await connectV2({ url: onym.url, headers: bearer(await sign({ team: "dev" })) });
    expect(namesOf(await confined.listTools())).toHaveLength(2);
    await confined.close();
    const free = await connectV2({
      url: onym.url,
      era: "modern",
      headers: bearer(await sign({ scope: "mcp everything" })),
    });
    expect(namesOf(await free.listTools())).toHaveLength(4);
    await free.close();
    const status = async (claims: object) =>
      (await askModern({ url: onym.url, method: "tools/list", headers: bearer(await sign(claims)) })).status;
    expect(await status({ scope: "other" })).toBe(403);
    expect(await status({ team: "other" })).toBe(403);
    expect(await status({ aud: "https://elsewhere.example/mcp" })).toBe(401);
    expect(await status({ exp: 1_600_000_000 })).toBe(401);
  });

  it("passes no token on to a server behind it", async () => {
    for (const era of ["legacy", "modern"] as const) {
      const headers = { ...bearer(all.token), cookie: "session=1" };
      const client = await connectV2({ url: onym.url, era, headers });
      const name = namesOf(await client.listTools()).find((each) => each.includes("fetch_page")) ?? "";
      await client.callTool({ name, arguments: {} });
      await client.close();
    }
    expect(proxy.headers.length).toBeGreaterThan(2);
    expect(proxy.headers.filter(({ authorization, cookie }) => authorization ?? cookie)).toEqual([]);
    expect(JSON.stringify(proxy.headers)).not.toContain(all.token);
  });

  it("goes on with a call that asked back only for the caller it asked", async () => {
    const call = (token: string, more: Readonly<Record<string, unknown>> = {}) =>
      askModern({
        url: onym.url,
        method: "tools/call",
        params: { name: "dev__fs__ask_me", arguments: {}, ...more },
        headers: bearer(token),
        capabilities: { elicitation: { form: {} } },
      });
    const asked = await call(dev.token);
    expect(asked.result?.["resultType"]).toBe("input_required");
    const { requestState, inputRequests } = asked.result ?? {};
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests as object).map((key) => [key, { action: "accept", content: {} }]),
    );
    const stolen = await call(all.token, { requestState, inputResponses });
    expect(stolen.error?.code).toBe(-32602);
    const done = await call(dev.token, { requestState, inputResponses });
    expect(done.result?.["resultType"]).toBe("complete");
  });

  it("needs no token over stdio", async () => {
    const client = await connectV2Stdio({ dir: onym.dir });
    expect(namesOf(await client.listTools()).length).toBeGreaterThan(0);
    await client.close();
  });

  it("forgets a token when the config does (CFG-4), and has never told one", async () => {
    const file = join(onym.dir, "onym.json");
    const config = JSON.parse(readFileSync(file, "utf8"));
    config.auth.tokens = config.auth.tokens.slice(1);
    writeFileSync(file, JSON.stringify(config));
    await onym.said(/onym: config in force/);
    const ask = (token: string) => askModern({ url: onym.url, method: "tools/list", headers: bearer(token) });
    expect([(await ask(all.token)).status, (await ask(dev.token)).status]).toEqual([401, 200]);
    const told = onym.stderr();
    expect(told).toContain("a client was refused");
    for (const { token, config: line } of [all, dev, gone]) {
      expect(told).not.toContain(token);
      expect(told).not.toContain(line.hash);
    }
  });
});

describe("a gateway that others can reach", () => {
  const mcpServers = { fixture: { tools: ["a"] } };
  const args = ["--host", "0.0.0.0"];
  const guarded = { mcpServers, auth: { tokens: [all.config] } };

  it.each(["0.0.0.0", "::", "10.1.2.3", "127.0.0.1.example.com"])(
    "does not start on %s without authentication, and says what to do (SAFE-7)",
    async (host) => {
      const refused = stage.start({ args: ["--host", host], config: { mcpServers } });
      await expect(refused).rejects.toThrow(
        /does not listen on .* without authentication.*\n.*onym token NAME/,
      );
      await expect(refused).rejects.toThrow("--allow-unauthenticated");
    },
  );

  it("starts with authentication, or with the flag and a warning (SAFE-7)", async () => {
    const open = await stage.start({ args: [...args, "--allow-unauthenticated"], config: { mcpServers } });
    expect(open.stderr()).toMatch(/WARNING: anybody who can reach "0\.0\.0\.0"/);
    expect((await stage.start({ args, config: guarded })).stderr()).not.toContain("WARNING");
    expect((await stage.start({ config: { mcpServers } })).stderr()).not.toContain("WARNING");
    const oauth = { issuer: issuer.issuer };
    await expect(stage.start({ args, config: { mcpServers, auth: { oauth } } })).rejects.toThrow(
      /auth\.oauth/,
    );
  });

  it("goes on asking for tokens when a changed config has none (SAFE-7)", async () => {
    const served = await stage.start({ args, config: guarded });
    const url = served.url.replace("0.0.0.0", "127.0.0.1");
    writeFileSync(join(served.dir, "onym.json"), JSON.stringify({ mcpServers }));
    await served.said(/the new config is not used/);
    expect((await askModern({ url, method: "tools/list" })).status).toBe(401);
    const answer = await askModern({ url, method: "tools/list", headers: bearer(all.token) });
    expect(answer.status).toBe(200);
  });
});
