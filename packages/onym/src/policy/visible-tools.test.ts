import { buildSnapshot, type Resolution } from "@onym/core";
import { expect, it } from "vitest";
import { policyOf, type WrittenPolicy } from "../../../../test/policy/policy-of.js";
import { buildVisibleTools } from "./visible-tools.js";

const SOURCES = [
  { server: "mail", tools: ["send", "purge", "list"] },
  { server: "chat", tools: ["send"] },
  { toolbox: "dev", server: "fs", tools: ["read"] },
];
const RENAMES = [
  { from: "mail_wipe", to: "mail@1/purge@1" },
  { from: "mail_erase", to: "mail@1/purge@1", policy: "reject" as const },
  { from: "mail_ls", to: "mail@1/list@1", policy: "reject" as const },
];
const snapshot = buildSnapshot(SOURCES, { renames: RENAMES });
const NO_PURGE: WrittenPolicy = { rules: [{ effect: "deny", tool: "mail@1/purge@1" }] };

function look(text: string, written: WrittenPolicy, profile = "universal"): Resolution {
  const visible = buildVisibleTools(policyOf(written), snapshot.catalog.tools, { principal: "ann" });
  const { toolNamed } = snapshot.namesFor(profile);
  const suggest = () => snapshot.namesFor(profile).tools.map(({ name }) => name);
  return visible.hide(text, snapshot.resolve(text, { profile }), { toolNamed, suggest });
}

it("lists what is allowed or asked about, and nothing that is denied (POL-1)", () => {
  const written: WrittenPolicy = { rules: [...(NO_PURGE.rules ?? []), { effect: "ask", server: "chat" }] };
  const visible = buildVisibleTools(policyOf(written), snapshot.catalog.tools, { principal: "ann" });
  expect(visible.tools.map(({ canonical }) => canonical)).toEqual([
    "chat@1/send@1",
    "dev:fs@1/read@1",
    "mail@1/list@1",
    "mail@1/send@1",
  ]);
});

it.each(["universal", "openai", "claude-code", "cursor", "canonical", "mcp"])(
  "a denial misses no spelling, prefixed or not, in %s (POL-1) (GW-6)",
  (profile) => {
    const names = snapshot.profiles.flatMap(({ id }) =>
      snapshot.namesFor(id).tools.filter(({ tool }) => tool.raw === "purge"),
    );
    const spellings = [
      ...names.map(({ name }) => name),
      "mail@1/purge@1",
      "mail/purge",
      "mail@latest/purge@v1",
      "Mail@1/PURGE@1",
      "mail%401%2Fpurge%401",
      "mail@1~purge@1",
      "mail_purge",
      "mail.purge",
      "mail__purge",
      "mcp__mail__purge",
      "mcp__onym__mail_purge",
      "mcp_mail__purge",
      "mcp_mail_purge",
      "purge",
      "mail_wipe",
      "mail_erase",
    ];
    const reached = spellings.filter((text) => snapshot.resolve(text, { profile }).outcome !== "unknown");
    expect(reached.length).toBeGreaterThan(20);
    for (const text of spellings) {
      const answer = look(text, NO_PURGE, profile);
      expect(answer.outcome, text).toBe("unknown");
      expect(JSON.stringify(answer), text).not.toMatch(/purge/i);
      // The same as for a name that was never there.
      expect(answer).toEqual(look(text.replace(/purge|wipe|erase/i, "nothing"), NO_PURGE, profile));
    }
  },
);

it("means the one tool that is visible where several claim a text, and hides the others (GW-6)", () => {
  expect(look("send", {})).toMatchObject({ outcome: "ambiguous" });
  const answer = look("send", { rules: [{ effect: "deny", server: "chat" }] });
  expect(answer).toMatchObject({ outcome: "resolved", tool: { server: "mail" } });
  expect(look("send", { rules: [{ effect: "deny", tool: "*@*/send" }] }).outcome).toBe("unknown");
});

it("tells of a retired name only who may know where it led", () => {
  expect(look("mail_erase", {})).toMatchObject({ outcome: "retired", successor: "mail@1/purge@1" });
  expect(look("mail_ls", NO_PURGE)).toMatchObject({ outcome: "retired", successor: "mail@1/list@1" });
  expect(look("mail_erase", NO_PURGE).outcome).toBe("unknown");
});

it("tells of a tool that is gone only where it could not have been denied", () => {
  const gone = buildSnapshot(SOURCES);
  const lock = gone.nextLock(["openai"]);
  const after = buildSnapshot([{ server: "chat", tools: ["send"] }], { lock });
  const resolution = after.resolve("mail_purge", { profile: "openai" });
  expect(resolution.outcome).toBe("retired");
  const hide = (written: WrittenPolicy, toolboxes?: string[]) =>
    buildVisibleTools(policyOf(written), after.catalog.tools, { principal: "ann", toolboxes }).hide(
      "mail_purge",
      resolution,
      { toolNamed: () => undefined },
    ).outcome;
  expect(hide({})).toBe("retired");
  expect(hide({ rules: [{ effect: "deny", server: "docs", tool: "docs@1/*" }] })).toBe("retired");
  expect(hide({ rules: [{ effect: "deny", caller: "bob" }] })).toBe("retired");
  expect(hide({ rules: [{ effect: "deny", server: "docs", tool: "*@*/purge" }] })).toBe("unknown");
  expect(hide({ rules: [{ effect: "deny", annotations: { destructiveHint: true } }] })).toBe("unknown");
  expect(hide({ default: "deny" })).toBe("unknown");
  expect(hide({}, ["dev"])).toBe("unknown");
});

it("does not name a tool whose server is away, unless nothing is denied to the caller", () => {
  const lock = snapshot.nextLock(["openai"]);
  const away = buildSnapshot([{ server: "chat", tools: ["send"] }], { lock, absent: [{ server: "mail" }] });
  const resolution = away.resolve("mail_purge", { profile: "openai" });
  const told = (written: WrittenPolicy) =>
    JSON.stringify(
      buildVisibleTools(policyOf(written), away.catalog.tools, { principal: "ann" }).hide(
        "mail_purge",
        resolution,
        { toolNamed: () => undefined },
      ),
    ).includes("server-absent");
  expect(told({})).toBe(true);
  expect(told(NO_PURGE)).toBe(false);
});

it("keeps what is wrong with the text itself", () => {
  expect(look("mail@1/send@01", {})).toMatchObject({ outcome: "unknown", problem: { code: "bad-version" } });
});

it("takes a tool that it was not given for hidden", () => {
  const { tools } = snapshot.catalog;
  const visible = buildVisibleTools(policyOf({}), tools.slice(1), { principal: "ann" });
  expect(tools.map(visible.isVisible)).toEqual(tools.map((_, at) => at > 0));
});

it("tells of a retired name only where both what it was and what came after may be heard of", () => {
  const hide = (canonical: string, successor: string | undefined, written: WrittenPolicy) => {
    const retired = { outcome: "retired", step: "alias", steps: [], warnings: [], canonical } as const;
    return buildVisibleTools(policyOf(written), snapshot.catalog.tools, { principal: "ann" }).hide(
      "x",
      successor === undefined ? retired : { ...retired, successor },
      { toolNamed: () => undefined },
    ).outcome;
  };
  const asked: WrittenPolicy = { default: "deny", rules: [{ effect: "ask", tool: "mail@1/list" }] };
  // What the caller sees may be told, even where nothing that is gone may be.
  expect(hide("mail@1/list@1", undefined, asked)).toBe("retired");
  expect(hide("mail@1/gone@1", undefined, asked)).toBe("unknown");
  expect(hide("mail@1/list@1", "mail@1/purge@1", asked)).toBe("unknown");
  expect(hide("mail@1/purge@1", "mail@1/list@1", NO_PURGE)).toBe("unknown");
  // What is there and hidden is not told, though no rule speaks of its canonical name.
  const byHint: WrittenPolicy = { newTools: "ask", rules: [{ effect: "deny", tool: "mail@1/purge" }] };
  expect(hide("mail@1/list@1", "mail@1/send@1", byHint)).toBe("retired");
  expect(hide("mail@1/gone@1", undefined, byHint)).toBe("retired");
});

it("suggests only names of tools that the caller sees", () => {
  const { tools } = snapshot.catalog;
  const hide = (suggest?: () => readonly string[]) => {
    const { toolNamed } = snapshot.namesFor("universal");
    const visible = buildVisibleTools(policyOf(NO_PURGE), tools, { principal: "ann" });
    const names = suggest === undefined ? { toolNamed } : { toolNamed, suggest };
    return visible.hide("mail_lst", snapshot.resolve("mail_lst"), names);
  };
  expect(hide(() => ["mail_list", "mail_purge", "nobody"])).toMatchObject({ suggestions: ["mail_list"] });
  expect(hide()).toEqual({ outcome: "unknown", steps: [], warnings: [], suggestions: [] });
});

it("leaves a former name that two tools claim ambiguous, where the caller sees one of them", () => {
  const tools = snapshot.catalog.tools.filter(({ raw }) => raw === "send");
  const hide = (step: "alias" | "transport" | "spelling", written: WrittenPolicy) =>
    buildVisibleTools(policyOf(written), tools, { principal: "ann" }).hide(
      "x",
      { outcome: "ambiguous", step, steps: [], warnings: [], candidates: tools },
      { toolNamed: () => undefined },
    );
  const noChat: WrittenPolicy = { rules: [{ effect: "deny", server: "chat" }] };
  expect(hide("spelling", noChat)).toMatchObject({
    outcome: "resolved",
    step: "spelling",
    tool: { server: "mail" },
  });
  expect(hide("alias", noChat).outcome).toBe("unknown");
  expect(hide("transport", noChat).outcome).toBe("unknown");
  expect(hide("alias", {})).toMatchObject({ outcome: "ambiguous", candidates: tools });
});

it("answers a structured name without looking for mistakes in its text", () => {
  const visible = buildVisibleTools(policyOf(NO_PURGE), snapshot.catalog.tools, { principal: "ann" });
  const input = { server: "mail", name: "purge" };
  expect(visible.hide(input, snapshot.resolve(input), { toolNamed: () => undefined })).toEqual({
    outcome: "unknown",
    steps: [],
    warnings: [],
    suggestions: [],
  });
});
