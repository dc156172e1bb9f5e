// Commands beside running gateways: they know the tools of real servers, and say where they have them from (CFG-5).

import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OnymRun } from "../cli/run-onym.js";
import { type Control, createControl } from "../servers/control.js";
import { type RunningOnym, startOnym } from "./harness.js";
import { runCli } from "./harness-cli.js";
import { connectV2, connectV2Stdio } from "./harness-clients.js";

const folders: string[] = [];
const running = new Set<RunningOnym>();
let control: Control;

beforeAll(async () => {
  control = await createControl();
});
afterAll(async () => {
  for (const onym of running) await onym.stop();
  await control.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(config: object, file = "onym.json"): string {
  const folder = mkdtempSync(join(tmpdir(), "onym-commands-"));
  folders.push(folder);
  writeFileSync(join(folder, file), JSON.stringify(config));
  return folder;
}

async function serve(dir: string, ...args: readonly string[]): Promise<RunningOnym> {
  const onym = await startOnym({ dir, args });
  running.add(onym);
  return onym;
}

async function stop(onym: RunningOnym, signal?: NodeJS.Signals): Promise<void> {
  await onym.stop(signal);
  running.delete(onym);
}

const onym = (dir: string, ...args: readonly string[]) => runCli({ dir }, ...args);
const json = ({ out }: OnymRun) => JSON.parse(out);
const namesIn = (report: { readonly tools: readonly { readonly name: string }[] }) =>
  report.tools.map(({ name }) => name);

async function listNames(url: string): Promise<readonly string[]> {
  const client = await connectV2({ url, profile: "openai" });
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

let labels = 0;
/** A stdio server with these tools, and how to direct it. */
function scripted(folder: string, tools: readonly unknown[]) {
  labels += 1;
  const label = `commands-${labels}`;
  return { entry: control.stdioEntry({ label, tools }, folder), server: () => control.server(label) };
}

describe("beside a running gateway", () => {
  it("doctor and init --client speak of the address where it listens (CFG-5)", async () => {
    const dir = newFolder({ mcpServers: { fixture: { tools: ["get_leads"] } } });
    const gateway = await serve(dir);
    const { origin, host } = new URL(gateway.url);
    const checks = json(await onym(dir, "doctor", "--json")).checks as readonly { readonly name: string }[];
    expect(checks.filter(({ name }) => name.startsWith("127.0.0.1:"))).toMatchObject([
      { name: host, status: "ok", message: "Onym answers there" },
    ]);
    expect((await onym(dir, "init", "--client", "cursor")).out).toContain(`${origin}/mcp/cursor`);
    await stop(gateway);
    expect((await onym(dir, "init", "--client", "cursor")).out).toContain("http://127.0.0.1:6696/mcp/cursor");
  });

  it("every command knows the tools of stdio and HTTP servers, as clients get them (CFG-5)", async () => {
    const dir = newFolder({});
    const web = await control.startHttp({ label: "commands-web", tools: ["find page"] });
    const docs = scripted(dir, ["read", { name: "peek", annotations: { readOnlyHint: true } }]);
    const config = {
      mcpServers: { docs: docs.entry, web: { url: web.url }, fixture: { tools: ["get_leads"] } },
      policy: {
        trusted: ["docs"],
        rules: [{ effect: "deny", annotations: { readOnlyHint: true } }],
      },
    };
    writeFileSync(join(dir, "onym.json"), JSON.stringify(config));
    const gateway = await serve(dir);
    const listed = await listNames(gateway.url);

    const names = json(await onym(dir, "names", "--profile", "openai", "--json"));
    expect(names).toMatchObject({ from: "gateway" });
    expect(namesIn(names).filter((name) => name !== "docs_peek")).toEqual(listed);
    expect(namesIn(names)).toContain("docs_peek");

    const shown = await onym(dir, "names", "--profile", "openai");
    expect(shown.err).toContain(`note: tools are those of the gateway that runs, process ${gateway.pid}.\n`);
    expect(shown.out).toContain("web_find_page");
    expect(json(await onym(dir, "resolve", "docs_read", "--json"))).toMatchObject({
      outcome: "resolved",
      canonical: "docs@1/read@1",
      from: "gateway",
    });
    expect(json(await onym(dir, "matrix", "--json"))).toMatchObject({ from: "gateway" });
    expect(json(await onym(dir, "explain", "web_find_page", "--json"))).toMatchObject({ from: "gateway" });
    const linted = json(await onym(dir, "lint", "--json"));
    expect(linted).toMatchObject({ from: "gateway" });
    expect(linted.findings).toEqual(
      expect.arrayContaining([expect.objectContaining({ code: "spaces", tool: "web@1/find page@1" })]),
    );
    expect(json(await onym(dir, "policy", "test", "docs_peek", "--json"))).toMatchObject({
      effect: "deny",
      from: "gateway",
    });
    await stop(gateway);
    await web.close();
  });

  it("`lock --check` passes while it runs and after, and lists what a server has more (LOCK-6)", async () => {
    const dir = newFolder({});
    const docs = scripted(dir, ["read"]);
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { docs: docs.entry } }));
    const gateway = await serve(dir);
    expect(await listNames(gateway.url)).toEqual(["docs_read"]);
    expect(await onym(dir, "lock", "--check", "--quiet")).toMatchObject({ code: 0, out: "" });

    await stop(gateway);
    expect(await onym(dir, "lock", "--check", "--quiet")).toMatchObject({ code: 0, out: "" });

    const { entry } = scripted(dir, ["read", "write"]);
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { docs: entry } }));
    const second = await serve(dir);
    const drift = await onym(dir, "lock", "--check");
    expect(drift.code).toBe(1);
    expect(drift.out).toMatch(/added: 1 tool \(\d names\)\n {2}\+ docs_write +docs@1\/write@1/);
    expect(drift.out).not.toMatch(/retired|moved|definitions changed/);
    await stop(second);
  });

  it("`lock` that asked no server says so, and claims nothing of servers (LOCK-6)", async () => {
    const dir = newFolder({});
    const docs = scripted(dir, ["read"]);
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { docs: docs.entry } }));
    expect(await onym(dir, "lock", "--profile", "openai")).toMatchObject({ code: 0 });

    const note =
      'note: 1 server was not asked what it lists now: "docs". Its names stay as they are on record. ' +
      "To ask, add --live, or run this while onym serve runs with this config.\n";
    expect(await onym(dir, "lock", "--check")).toEqual({
      code: 0,
      out: "onym.lock was compared with onym.json alone, and no server was asked: 1 name on record.\n",
      err: note,
    });
    expect(await onym(dir, "lock", "--check", "--quiet")).toEqual({ code: 0, out: "", err: note });
    expect(json(await onym(dir, "lock", "--check", "--json"))).toMatchObject({
      status: "unasked",
      kept: 1,
      unasked: [{ server: "docs" }],
    });
    // Profiles that nobody asked for are not recorded without a name in them.
    expect(await onym(dir, "lock")).toEqual({
      code: 0,
      out: "onym.lock was left as it is: 1 name on record, and no server was asked.\n",
      err: note,
    });
    const asked = await onym(dir, "lock", "--check", "--live");
    expect(asked).toMatchObject({ code: 0, out: "✓ onym.lock is in step: 1 name kept.\n" });
    expect(asked.err).not.toContain("not asked");
  });

  it("`lock` lists names that a declared rename hands on as such (LOCK-5) (LOCK-6)", async () => {
    const dir = newFolder({});
    const before = scripted(dir, ["list_leads", "get_one"]);
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { crm: before.entry } }));
    expect(await onym(dir, "lock", "--profile", "openai", "cursor")).toMatchObject({ code: 0 });

    const after = scripted(dir, ["get_leads", "get_one"]);
    const renames = [{ from: "crm@1/list_leads@1", to: "crm@1/get_leads@1" }];
    const moved = { formerly: ["crm"], ...after.entry };
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { crm: after.entry }, renames }));
    const check = await onym(dir, "lock", "--check", "--live");
    expect(check.code).toBe(1);
    expect(check.out).toMatch(
      /handed on: 1 tool \(2 names\)\n {2}= crm_list_leads +crm@1\/list_leads@1 → crm@1\/get_leads@1 +in 2 profiles/,
    );
    expect(check.out).not.toMatch(/added|retired|moved/);
    expect(await onym(dir, "lock", "--live", "--quiet")).toMatchObject({ code: 0 });
    expect(await onym(dir, "lock", "--check", "--live")).toMatchObject({ code: 0 });

    // Nobody was asked, so nobody knows the new tools but by what they are called.
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { sales: moved } }));
    const { code, out } = await onym(dir, "lock", "--check");
    expect(code).toBe(1);
    expect(out).toMatch(/= crm_get_one +crm@1\/get_one@1 → sales@1\/get_one@1 /);
    expect(out).not.toMatch(/added|retired|\["/);
  });

  it("a server that is down is told of, with the tools on record (CFG-5)", async () => {
    const dir = newFolder({});
    const docs = scripted(dir, ["read"]);
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { docs: docs.entry } }));
    const gateway = await serve(dir);
    await listNames(gateway.url);
    await stop(gateway);
    const dead = { command: process.execPath, args: ["-e", "process.exit(3)"] };
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { docs: dead, other: dead } }));
    const second = await serve(dir);
    const report = json(await onym(dir, "names", "--json"));
    expect(report).toMatchObject({ from: "gateway", asOf: expect.any(String), tools: [{ raw: "read" }] });
    expect(report.problems).toMatchObject([
      { code: "server-down", severity: "error", message: expect.stringContaining('"other"') },
      { code: "server-down", severity: "warning", message: expect.stringContaining("on record as of") },
    ]);
    await stop(second);
  });
});

describe("which gateway is asked", () => {
  it("is the one of the config, where two run in one folder (CFG-5)", async () => {
    const dir = newFolder({});
    for (const [file, tool] of [
      ["a.json", "alpha"],
      ["b.json", "beta"],
    ] as const) {
      const { entry } = scripted(dir, [tool]);
      writeFileSync(join(dir, file), JSON.stringify({ mcpServers: { s: entry }, store: "none" }));
    }
    const gateways = await Promise.all(["a.json", "b.json"].map((file) => serve(dir, "--config", file)));
    for (const [file, tool] of [
      ["a.json", "alpha"],
      ["b.json", "beta"],
    ] as const) {
      const report = json(await onym(dir, "names", "--config", file, "--no-lock", "--json"));
      expect(report).toMatchObject({ from: "gateway", tools: [{ raw: tool }] });
    }
    for (const gateway of gateways) await stop(gateway);
  });

  it("is any of two over stdio on one config, until the last is gone (CFG-5)", async () => {
    const dir = newFolder({});
    const { entry } = scripted(dir, ["read"]);
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { docs: entry } }));
    const clients = [await connectV2Stdio({ dir }), await connectV2Stdio({ dir })];
    await clients[0]?.listTools();
    const resolve = async () => json(await onym(dir, "resolve", "docs_read", "--json"));
    expect(await resolve()).toMatchObject({ outcome: "resolved", from: "gateway" });
    await clients[1]?.close();
    expect(await resolve()).toMatchObject({ outcome: "resolved", from: "gateway" });
    await clients[0]?.close();
    expect(await resolve()).toMatchObject({ outcome: "resolved", from: "record" });
    expect(readdirSync(join(dir, ".local/state/onym/run"))).toEqual([]);
  });
});

describe("without a gateway", () => {
  it("what is on record is used, and how old it is said; also after a kill (CFG-5)", async () => {
    const dir = newFolder({});
    const { entry } = scripted(dir, ["read", "write"]);
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { docs: entry } }));
    const gateway = await serve(dir);
    await listNames(gateway.url);
    await stop(gateway, "SIGKILL");
    expect(readdirSync(join(dir, ".local/state/onym/run"))).toHaveLength(2);
    utimesSync(join(dir, "onym.lock"), new Date("2026-05-06T07:08:09Z"), new Date("2026-05-06T07:08:09Z"));

    const { code, out, err } = await onym(dir, "names", "--profile", "openai");
    expect({ code, out }).toEqual({
      code: 0,
      out: "docs_read   docs@1/read@1\ndocs_write  docs@1/write@1\n",
    });
    expect(err).toBe(
      `note: the gateway of process ${gateway.pid} is gone, and tools are those on record in onym.lock as of 2026-05-06 07:08:09 UTC; --live asks the servers.\n`,
    );
    const report = json(await onym(dir, "explain", "docs_read", "--json"));
    expect(report).toMatchObject({ from: "record", asOf: "2026-05-06T07:08:09.000Z", outcome: "resolved" });
    expect(await onym(dir, "lock", "--check", "--quiet")).toMatchObject({ code: 0, out: "" });

    // What the dead one left is taken away by the next.
    await stop(await serve(dir));
    expect(readdirSync(join(dir, ".local/state/onym/run"))).toEqual([]);
  });

  it("servers that nothing is on record of are started, and only those (CFG-5)", async () => {
    const dir = newFolder({});
    const [docs, web] = [scripted(dir, ["read"]), scripted(dir, ["find"])];
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { docs: docs.entry } }));
    const fresh = await onym(dir, "names", "--json");
    expect(json(fresh)).toMatchObject({ from: "servers", tools: [{ raw: "read" }] });
    expect(fresh.err).toContain(
      "no gateway is running with this config, and the tools of 1 server are not known yet; asking now.",
    );
    expect(await onym(dir, "lock", "--profile", "openai")).toMatchObject({ code: 0 });
    expect(json(await onym(dir, "names", "--json"))).toMatchObject({ from: "record" });

    const mcpServers = { docs: docs.entry, web: web.entry };
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers }));
    const both = await onym(dir, "names", "--profile", "openai", "--json");
    expect(both.err).toMatch(/^ {2}ready {2}web /m);
    expect(both.err).not.toMatch(/^ {2}ready {2}docs /m);
    expect(namesIn(json(both))).toEqual(["docs_read", "web_find"]);
    // The lock has digests of definitions, which a record of names must not overwrite.
    expect(await onym(dir, "lock", "--profile", "openai")).toMatchObject({ code: 0 });
    expect(await onym(dir, "lock", "--live", "--check", "--profile", "openai")).toMatchObject({ code: 0 });
  });

  it("--static starts and asks nothing, --live asks the servers whatever is known (CFG-5)", async () => {
    const dir = newFolder({});
    const { entry } = scripted(dir, ["read"]);
    writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { docs: entry } }));
    const gateway = await serve(dir);
    const still = await onym(dir, "names", "--static", "--json");
    expect(json(still)).toMatchObject({ from: "config", tools: [], problems: [{ code: "not-static" }] });
    const live = await onym(dir, "names", "--live", "--json");
    expect(json(live)).toMatchObject({ from: "servers", tools: [{ raw: "read" }] });
    expect(await onym(dir, "names", "--live", "--static")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--live and --static do not go together."),
    });
    await stop(gateway);
  });
});
