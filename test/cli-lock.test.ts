// The lock at the command line, and what it differs in from another.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CRM, json } from "./cli/crm.js";
import { folderWith, runOnym } from "./cli/run-onym.js";

describe("onym lock (LOCK-1)", () => {
  it("tells with --check which locked names a corrected rule endangers, and the way out (RULE-7)", () => {
    const folder = mkdtempSync(join(tmpdir(), "onym-endangered-"));
    const tools = ["a__b", "a_b"];
    writeFileSync(join(folder, "onym.json"), JSON.stringify({ mcpServers: { crm: { tools } } }));
    expect(runOnym(folder, ["lock", "--profile", "openai", "kimi-cli"]).code).toBe(0);
    const file = join(folder, "onym.lock");
    // As it was written when nobody knew that Kimi squeezes underscores.
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("crm_a_b_2", "crm_a_b"));
    const before = readFileSync(file, "utf8");
    const checked = runOnym(folder, ["lock", "--check"]);
    expect([checked.code, checked.err]).toEqual([
      0,
      expect.stringMatching(/takes the locked names .*for one/s),
    ]);
    expect(checked.err).toContain('"pins"');
    const { endangered } = JSON.parse(runOnym(folder, ["lock", "--check", "--json"]).out);
    expect(endangered).toMatchObject([{ profile: "kimi-cli", code: "locked-name-endangered" }]);
    expect(readFileSync(file, "utf8")).toBe(before);
    rmSync(folder, { recursive: true, force: true });
  });

  it("does not serve what it cannot have written, and tells names that changed places", () => {
    const folder = folderWith({ "onym.json": { mcpServers: { crm: { tools: ["get", "delete"] } } } });
    const file = join(folder, "onym.lock");
    expect(runOnym(folder, ["lock"]).code).toBe(0);
    const written = readFileSync(file, "utf8");
    for (const name of ["x".repeat(5_000), "\u001B[31mget"]) {
      const edited = written.replace('"name":"crm_get"', `"name":${JSON.stringify(name)}`);
      expect(edited).not.toBe(written);
      writeFileSync(file, edited);
      const names = runOnym(folder, ["names", "--profile", "cursor", "--json"]);
      expect(json(names).tools.map((tool: { name: string }) => tool.name)).toContain("crm_get");
      expect(json(names).problems).toMatchObject([{ code: "locked-name-illegal" }]);
      const matrix = runOnym(folder, ["matrix", "-p", "cursor"]);
      expect([matrix.out, matrix.err]).toEqual([
        expect.stringMatching(/with Onym (\d+) of \1 are valid/),
        expect.stringContaining("no longer fits Cursor"),
      ]);
      expect(runOnym(folder, ["lock", "--check"]).code).toBe(1);
    }

    // Former rules may have allowed it, so it stays, but nobody calls it valid.
    writeFileSync(file, written.replaceAll("crm_get", "x".repeat(100)));
    const matrix = runOnym(folder, ["matrix", "-p", "cursor"]);
    expect(matrix.out).toMatch(/with Onym 1 of 2 are valid/);
    expect(matrix.err).toContain("does not fit what is known of Cursor");

    const swapped = written
      .replaceAll("crm_get", "@")
      .replaceAll("crm_delete", "crm_get")
      .replaceAll("@", "crm_delete");
    writeFileSync(file, swapped);
    expect(runOnym(folder, ["matrix", "-p", "cursor"]).err).toContain("each other's names");
    expect(runOnym(folder, ["lock", "--check"]).err).toContain("each other's names");
  });

  it("writes once, the same bytes, and says when names drift", () => {
    const folder = folderWith({ "onym.json": CRM });
    const file = join(folder, "onym.lock");
    expect(runOnym(folder, ["lock", "--check"])).toMatchObject({
      code: 1,
      out: expect.stringContaining("does not exist yet"),
    });
    expect(runOnym(folder, ["lock"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("onym.lock written"),
    });
    const [bytes, { ino }] = [readFileSync(file, "utf8"), statSync(file)];
    expect(runOnym(folder, ["lock"]).out).toContain("in step");
    expect(statSync(file).ino).toBe(ino);
    expect(runOnym(folder, ["lock", "--check", "--quiet"])).toEqual({ code: 0, out: "", err: "" });
    expect(readdirSync(folder).sort()).toEqual(["onym.json", "onym.lock"]);

    const { docs, ...others } = CRM.mcpServers;
    writeFileSync(
      join(folder, "onym.json"),
      JSON.stringify({ mcpServers: { ...others, new: { tools: ["x_y"] } } }),
    );
    const drift = runOnym(folder, ["lock", "--check"]);
    expect(drift.code).toBe(1);
    expect(drift.out).toMatch(/added: 1 tool \(110 names\)\n {2}\+ new_x_y +new@1\/x_y@1/);
    expect(drift.out).toMatch(/retired: 1 tool \(110 names\)\n {2}- docs_search +docs@1\/search@1/);
    expect(readFileSync(file, "utf8")).toBe(bytes);
    const report = json(runOnym(folder, ["lock", "--check", "--json"]));
    expect(Object.keys(report)).toEqual([
      "file",
      "status",
      "added",
      "kept",
      "retired",
      "moved",
      "handedOn",
      "redefined",
    ]);
    expect(report).toMatchObject({ file: "onym.lock", status: "drift", moved: [] });

    expect(runOnym(folder, ["lock"]).code).toBe(0);
    expect(json(runOnym(folder, ["resolve", "docs_search", "--json"]))).toMatchObject({
      outcome: "retired",
      canonical: "docs@1/search@1",
    });
    expect(json(runOnym(folder, ["resolve", "docs_search", "--no-lock", "--json"])).outcome).toBe("unknown");
  });

  it("keeps names through every command", () => {
    const v2 = CRM.mcpServers["salesforce-v2"];
    const folder = folderWith({ "onym.json": { mcpServers: { "salesforce-v2": v2 } } });
    const nameOfV2 = (...args: string[]) => {
      const { tools } = json(runOnym(folder, ["names", "--profile", "openai", "--json", ...args]));
      return tools.find(({ server }: { server: string }) => server === "salesforce-v2").name;
    };
    expect(nameOfV2()).toBe("sf_create_lead");
    expect(runOnym(folder, ["lock", "--profile", "openai"]).code).toBe(0);
    const { salesforce } = CRM.mcpServers;
    writeFileSync(
      join(folder, "onym.json"),
      JSON.stringify({ mcpServers: { salesforce, "salesforce-v2": v2 } }),
    );
    expect(nameOfV2()).toBe("sf_create_lead");
    expect(nameOfV2("--no-lock")).toBe("sf_create_lead_2");
  });

  it("tells of changed definitions, takes other line ends, and another file", () => {
    const folder = folderWith({
      "onym.json": { mcpServers: { a: { tools: [{ name: "x", description: "1" }] } } },
    });
    expect(runOnym(folder, ["lock", "--file", "names.lock", "-p", "openai"]).code).toBe(0);
    const file = join(folder, "names.lock");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("\n", "\r\n"));
    expect(runOnym(folder, ["lock", "--check", "--file", "names.lock", "-p", "openai"]).code).toBe(0);
    writeFileSync(
      join(folder, "onym.json"),
      JSON.stringify({ mcpServers: { a: { tools: [{ name: "x", description: "2" }] } } }),
    );
    const drift = runOnym(folder, ["lock", "--check", "--file", "names.lock", "-p", "openai"]);
    expect(drift).toMatchObject({
      code: 1,
      out: expect.stringContaining("definitions changed: 1\n  ~ a@1/x@1"),
    });
  });

  it("leaves names of servers that it did not look at as they are", () => {
    const folder = folderWith({ "onym.json": CRM });
    expect(runOnym(folder, ["lock", "-p", "openai"]).code).toBe(0);
    const docs = { command: "docs-server" };
    writeFileSync(join(folder, "onym.json"), JSON.stringify({ mcpServers: { ...CRM.mcpServers, docs } }));
    expect(runOnym(folder, ["lock", "--check", "-p", "openai"]).code).toBe(0);
  });

  it("compares with --check the profiles on record, and lists every difference it fails for (LOCK-6)", () => {
    const folder = folderWith({
      "onym.json": { mcpServers: { a: { tools: ["x"] }, run: { command: "x" } } },
    });
    const check = (...args: string[]) => runOnym(folder, ["lock", "--check", ...args]);
    expect(runOnym(folder, ["lock", "--static", "--profile", "openai", "cursor"]).code).toBe(0);
    expect(check()).toMatchObject({ code: 0, out: expect.stringContaining("in step: 2 names kept") });
    expect(check("--profile", "gemini").code).toBe(1);

    const other = { tools: ["x", "y"], integration: "other" };
    writeFileSync(join(folder, "onym.json"), JSON.stringify({ mcpServers: { a: other } }));
    const drift = check();
    expect(drift.code).toBe(1);
    expect(drift.out).toMatch(/added: 1 tool \(2 names\)\n {2}\+ other_y +other@1\/y@1 +in 2 profiles/);
    expect(drift.out).toContain("  ~ a@1/x@1 is now other@1/x@1");
    expect(json(check("--json"))).toMatchObject({
      status: "drift",
      added: [{ profile: "cursor" }, { profile: "openai" }],
      other: [{ kind: "canonical", from: "a@1/x@1", to: "other@1/x@1" }],
    });
  });

  it("says that there is nothing to lock, and writes nothing", () => {
    const folder = folderWith({ "onym.json": { mcpServers: { a: { command: "x" } } } });
    for (const args of [
      ["lock", "--static"],
      ["lock", "--check"],
    ]) {
      const { code, out, err } = runOnym(folder, args);
      expect({ code, out }).toEqual({ code: 0, out: "" });
      expect(err).toContain('Nothing to lock: no tools. List tools under "tools"');
    }
    const report = json(runOnym(folder, ["lock", "--static", "--json"]));
    expect(report).toMatchObject({ status: "unasked", added: [], kept: 0, unasked: [{ server: "a" }] });
    expect(readdirSync(folder)).toEqual(["onym.json"]);
    expect(runOnym(folder, ["names", "--static"]).err).toContain('No tools. List tools under "tools"');
    expect(runOnym(folder, ["matrix", "--static"]).out).toContain('No tools. List tools under "tools"');
  });

  it("records names under another alias, and diff compares them", () => {
    const folder = folderWith({ "onym.json": CRM });
    const args = ["lock", "--as", "acme", "-p", "claude-code,openai", "-f", "acme names.lock"];
    expect(runOnym(folder, args).code).toBe(0);
    expect(readFileSync(join(folder, "acme names.lock"), "utf8")).toContain('"claude-code?as=acme"');
    expect(runOnym(folder, [...args, "--check"]).code).toBe(0);
    const same = { added: [], kept: 12, retired: [], moved: [], handedOn: [], redefined: [] };
    expect(json(runOnym(folder, ["diff", "acme names.lock", "onym.json", "--json"]))).toEqual(same);
    expect(json(runOnym(folder, ["diff", "onym.json", "acme names.lock", "--json"]))).toEqual(same);
    writeFileSync(join(folder, "onym.json"), JSON.stringify({ mcpServers: { docs: CRM.mcpServers.docs } }));
    expect(runOnym(folder, [...args, "--check"]).err).toContain(
      "Run onym lock --file 'acme names.lock' --profile claude-code,openai --as acme to record",
    );
  });

  it("says what to do about a merge conflict", () => {
    const text = '<<<<<<< ours\n{"onymLock": 1}\n=======\n{}\n>>>>>>> theirs\n';
    const { code, err } = runOnym(folderWith({ "onym.json": CRM, "onym.lock": text }), ["lock"]);
    expect(code).toBe(2);
    expect(err).toContain("Take one side of the merge conflict, whole, and run onym lock.");
  });

  it.each([
    ["corrupt", "{ no json"],
    ["cut", '{"onymLock": 1, "profiles": {}, "tools": ['],
    ["newer", '{"onymLock": 99, "future": true}'],
    ["another file", '{"name": "x"}'],
    ["empty", ""],
    ["a NUL", "\u0000"],
  ])("never overwrites a lock that is %s", (_, text) => {
    const folder = folderWith({ "onym.json": CRM, "onym.lock": text });
    for (const args of [["lock"], ["lock", "--check"], ["names"], ["resolve", "x"]]) {
      const { code, out, err } = runOnym(folder, args);
      expect({ args, code, out }).toEqual({ args, code: 2, out: "" });
      expect(err).toContain("onym.lock");
    }
    expect(readFileSync(join(folder, "onym.lock"), "utf8")).toBe(text);
    expect(readdirSync(folder).sort()).toEqual(["onym.json", "onym.lock"]);
    expect(runOnym(folder, ["names", "--no-lock"]).code).toBe(0);
  });

  it("says when the lock is a folder, or cannot be written", () => {
    const folder = folderWith({ "onym.json": CRM, "onym.lock/x": "" });
    expect(runOnym(folder, ["lock"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("it is a folder"),
    });
    expect(runOnym(folder, ["lock", "--file", "no/such/onym.lock"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("cannot be written"),
    });
  });
});

describe("onym diff (LOCK-1)", () => {
  it("compares two configs, two locks, or one of each", () => {
    const { docs, ...others } = CRM.mcpServers;
    const folder = folderWith({ "a.json": CRM, "b.json": { mcpServers: others } });
    const report = json(runOnym(folder, ["diff", "a.json", "b.json", "--profile", "openai", "--json"]));
    expect(Object.keys(report)).toEqual(["added", "kept", "retired", "moved", "handedOn", "redefined"]);
    expect(report).toEqual({
      added: [],
      kept: 5,
      retired: [{ profile: "openai", name: "docs_search", canonical: "docs@1/search@1" }],
      moved: [],
      handedOn: [],
      redefined: [],
    });
    for (const name of ["a", "b"])
      runOnym(folder, ["lock", "-c", `${name}.json`, "-f", `${name}.lock`, "-p", "openai"]);
    expect(json(runOnym(folder, ["diff", "a.lock", "b.lock", "--json"])).retired).toHaveLength(1);
    expect(json(runOnym(folder, ["diff", "a.lock", "b.json", "--json"]))).toEqual(report);
    expect(runOnym(folder, ["diff", "a.lock", "b.lock"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("- docs_search"),
    });
    expect(runOnym(folder, ["diff", "a.lock", "none"])).toMatchObject({ code: 2, out: "" });
  });

  it("tells of moved names", () => {
    const server = (integration: string) => ({ mcpServers: { s: { integration, tools: ["x"] } } });
    const folder = folderWith({ "a.json": server("one"), "b.json": server("two") });
    const report = json(runOnym(folder, ["diff", "a.json", "b.json", "-p", "openai", "--json"]));
    expect(report.moved).toEqual([
      { profile: "openai", name: "two_x", canonical: "two@1/x@1", from: "one_x" },
    ]);
  });
});
