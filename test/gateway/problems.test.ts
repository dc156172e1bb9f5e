// Nothing is lost in silence, and no rule is about nothing unnoticed, through a running gateway and the commands beside it
// (NAME-8, POL-5).

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createStage, type Stage } from "./harness-boxes.js";
import { runCli } from "./harness-cli.js";
import { askLegacy, askModern, entriesIn, type RawAnswer } from "./harness-raw.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly tools: readonly string[];
}

function problemsIn({
  result,
}: RawAnswer): { readonly count: number; readonly first: readonly Problem[] } | undefined {
  return (result?.["_meta"] as Record<string, never> | undefined)?.["onym/problems"];
}

const STRICT = {
  mcpServers: {
    docs: { tools: ["read", "bad name", "read"] },
    broker: { tools: ["crm@1/look@1"], names: "canonical" },
  },
  strict: true,
};

describe("a tool that is left out (NAME-8)", () => {
  it("is told once in the log, in the list, in doctor and in names", async () => {
    const onym = await stage.start({ config: STRICT });
    const url = `${onym.url}/openai`;
    for (const ask of [askModern, askLegacy]) {
      const list = await ask({ url, method: "tools/list" });
      expect(entriesIn(list, "tools").map(({ name }) => name)).toEqual(["docs_read"]);
      const told = problemsIn(list);
      expect(told?.count).toBe(3);
      expect(told?.first.map(({ code }) => code).sort()).toEqual(
        expect.arrayContaining(["duplicate-tool", "not-its-integration"]),
      );
      expect(JSON.stringify(told)).toContain("bad name");
    }
    const first = await askModern({ url, method: "tools/list" });
    expect((await askModern({ url, method: "tools/list" })).text).toBe(first.text);
    await onym.said(/warn .*bad name/);
    await onym.said(/warn .*code=duplicate-tool/);
    await onym.said(/warn .*code=not-its-integration/);
    // A reload tells what is new, and nothing else.
    const more = { ...STRICT.mcpServers, wiki: { tools: ["worse name"] } };
    await reloadConfig(onym, { ...STRICT, mcpServers: more });
    await onym.said(/warn .*worse name/);
    expect(onym.stderr().match(/warn .*bad name/g)).toHaveLength(1);
    expect(onym.stderr().match(/code=duplicate-tool/g)).toHaveLength(1);

    const doctor = await runCli(onym, "doctor", "--json");
    const names = await runCli(onym, "names", "--profile", "openai", "--json");
    for (const { out } of [doctor, names])
      for (const text of ["bad name", "worse name", "crm@1/look@1"]) expect(out).toContain(text);
  });

  it("is not told to a caller that does not see the rest of its server", async () => {
    const policy = { default: "allow", rules: [{ effect: "deny", server: "docs" }] };
    const onym = await stage.start({ config: { ...STRICT, policy } });
    const list = await askModern({ url: `${onym.url}/openai`, method: "tools/list" });
    expect(list.text).not.toMatch(/bad name|docs/);
  });

  it.each([
    ["left out and denied", { strict: true }, ["ok", "secret wipe"], ["ok"], "docs@1/secret*"],
    [
      "denied, and a rename leads to it",
      { renames: [{ from: "old", to: "docs@1/secret@1" }] },
      ["ok", "secret"],
      ["ok"],
      "docs@1/secret",
    ],
    [
      "left out of a server with a tool that is denied",
      { strict: true },
      ["a b", "ok", "x"],
      ["a b", "ok"],
      "docs@1/x",
    ],
  ])("is as if it were not there, where it is %s (GW-6)", async (_, options, tools, others, tool) => {
    const policy = { rules: [{ effect: "deny", tool }] };
    const lists: string[] = [];
    for (const listed of [tools, others]) {
      const onym = await stage.start({
        config: { mcpServers: { docs: { tools: listed } }, ...options, policy },
      });
      lists.push((await askModern({ url: onym.url, method: "tools/list" })).text);
    }
    expect(lists[0]).toBe(lists[1]);
    expect(lists[0]).not.toContain("secret");
  });

  it("is told to a caller from whom others are hidden, if it sees a tool of that name", async () => {
    const policy = { rules: [{ effect: "deny", tool: "docs@1/other" }] };
    const config = { mcpServers: { docs: { tools: ["read", "read", "other", "other"] } }, policy };
    const onym = await stage.start({ config });
    const told = problemsIn(await askModern({ url: onym.url, method: "tools/list" }));
    expect(told).toMatchObject({ count: 1, first: [{ code: "duplicate-tool", tools: ["docs/read"] }] });
  });

  it("is told where nothing else is left, too", async () => {
    const config = { mcpServers: { docs: { tools: ["bad name"] } }, strict: true };
    const onym = await stage.start({ config });
    const list = await askModern({ url: onym.url, method: "tools/list" });
    expect(problemsIn(list)).toMatchObject({ count: 1 });
    expect((await runCli(onym, "doctor", "--json")).out).toContain("bad name");
  });
});

describe("servers whose ids differ only in case (NAME-8)", () => {
  it("are both there, and that they are kept apart is told; adding one moves no name of the other (NAME-4)", async () => {
    const large = stage.entry({ label: "large", tools: ["search"] });
    const small = stage.entry({ label: "small", tools: ["search"] });
    const onym = await stage.start({ config: { mcpServers: { GitHub: large } } });
    const url = `${onym.url}/canonical`;
    const serverOf = async (name: string): Promise<unknown> => {
      const { result } = await askModern({ url, method: "tools/call", params: { name, arguments: {} } });
      const { content = [] } = result as { content?: { text: string }[] };
      return JSON.parse(content[0]?.text ?? "{}").server;
    };
    expect(await serverOf("github@1/search@1")).toBe("large");
    const list = await askModern({ url, method: "tools/list" });
    expect(entriesIn(list, "tools").map(({ name }) => name)).toEqual(["github@1/search@1"]);
    await reloadConfig(onym, { mcpServers: { github: small, GitHub: large } });
    await onym.said(/warn .*"GitHub" and "github" differ only in case or separators/);
    const both = await askModern({ url, method: "tools/list" });
    const names = entriesIn(both, "tools").map(({ name }) => String(name));
    expect(names).toEqual(["github@1/search@1", expect.stringMatching(/^github-[a-z2-7]{8}@1\/search@1$/)]);
    expect(problemsIn(both)?.first).toMatchObject([{ code: "similar-ids" }]);
    expect(await serverOf(names[0] ?? "")).toBe("large");
    expect(await serverOf(names[1] ?? "")).toBe("small");
  });
});

describe("a rule that is about no tool (POL-5)", () => {
  const config = (tool: string) => ({
    mcpServers: {
      a: stage.entry({ label: `idle-${tool}`, tools: ["x", "y"] }),
      b: { tools: ["z"] },
    },
    policy: { default: "allow", rules: [{ effect: "deny", tool }] },
  });

  it("that names a public name is refused with the canonical name it leads to", async () => {
    const onym = await stage.start({ config: config("b@1/z") });
    for (const [tool, canonical] of [
      ["b_z", "b@1/z@1"],
      // Of a server whose tools the file does not list, too.
      ["a_x", "a@1/x@1"],
    ] as const) {
      writeFileSync(join(onym.dir, "onym.json"), JSON.stringify(config(tool)));
      const { code, err } = await runCli(onym, "doctor");
      expect([code, err.replace(/\s+/g, " ")]).toEqual([
        2,
        expect.stringContaining(`Did you mean "${canonical}"?`),
      ]);
    }
  });

  it("is told at the start, in doctor and in policy test, with what it was meant for", async () => {
    const onym = await stage.start({ config: config("*@*/a_x@*") });
    const told = /policy\.rules\[0\] is about no tool there is: .*"a_x" leads to a@1\/x@1: write that\./;
    await onym.said(told);
    expect(onym.stderr().match(/is about no tool/g)).toHaveLength(1);
    const doctor = JSON.parse((await runCli(onym, "doctor", "--json")).out);
    expect(doctor.checks).toContainEqual(
      expect.objectContaining({
        name: "rules",
        status: "warning",
        fix: '"a_x" leads to a@1/x@1: write that.',
      }),
    );
    const test = await runCli(onym, "policy", "test", "a_x", "--live", "--json");
    expect(JSON.parse(test.out)).toMatchObject({
      effect: "allow",
      findings: [{ code: "idle-rule", fix: '"a_x" leads to a@1/x@1: write that.' }],
    });
    // As told by the running gateway, too.
    const plain = await runCli(onym, "policy", "test", "a_x");
    expect(plain.err.replace(/\s+/g, " ")).toContain("leads to a@1/x@1");
  });

  it("is no finding while the server that it may be about has not answered, nor where it is about a tool", async () => {
    const away = { command: process.execPath, args: ["-e", "process.exit(1)"] };
    const onym = await stage.start({
      config: {
        mcpServers: { away, b: { tools: ["z"] } },
        policy: {
          default: "allow",
          rules: [
            { effect: "deny", tool: "away@1/wipe" },
            { effect: "deny", tool: "b@1/z" },
            { effect: "ask", annotations: { destructiveHint: true } },
            { effect: "deny", tool: "b@1/zz" },
          ],
        },
      },
    });
    await onym.said(/policy\.rules\[3\] is about no tool there is: .*Did you mean b@1\/z@1\?/);
    expect(onym.stderr()).not.toMatch(/rules\[[0-2]\] is about/);
    const { checks } = JSON.parse((await runCli(onym, "doctor", "--json")).out);
    expect(
      checks.filter(({ group, name }: Record<string, string>) => (group ?? name) === "rules"),
    ).toHaveLength(1);
  });
});
