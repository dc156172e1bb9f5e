import {
  buildSnapshot,
  type ListedTool,
  type Tool,
  type ToolDefinition,
  type ToolKey,
  type ToolSource,
} from "@onym/core";
import { decideStanding, definitionDigest, toolBindingOf } from "@onym/core/approvals";
import { toolKeyOf } from "@onym/core/identity";
import { describe, expect, it } from "vitest";
import { toolOf } from "../../../../test/policy/policy-of.js";
import type { Approval } from "../model/approval.js";
import { buildStandingCache, decideCall, type PolicyDecision, type StandingSubject } from "./decide-call.js";

const LAUNCH = "npx mail@1";
const shown: ListedTool = { name: "send", description: "Sends a mail" };
const mail = (tool: ListedTool, more: Partial<ToolSource> = {}): ToolSource => ({
  server: "mail",
  ...more,
  tools: [tool],
});

function rowFor(tool: Tool, more: Partial<Approval> = {}): Approval {
  return {
    id: 7,
    verdict: "approved",
    principal: "ann",
    tool: tool.key,
    launch: LAUNCH,
    digest: definitionDigest(tool.definition),
    definition: tool.definition,
    expiresAt: undefined,
    revokedAt: undefined,
    ...more,
  };
}

function policy(effect: PolicyDecision["effect"]): PolicyDecision {
  return { effect, rule: "rules[0]", why: "" };
}

interface Scene {
  readonly effect?: PolicyDecision["effect"];
  readonly rows?: readonly Approval[];
  readonly principal?: string;
  readonly launch?: string;
  readonly now?: number;
  readonly answer?: Parameters<typeof decideCall>[0]["answer"];
}

function decide(tool: Tool, scene: Scene = {}) {
  const { effect = "ask", principal = "ann", launch = LAUNCH, now = 0, answer, rows } = scene;
  const binding = toolBindingOf({ principal, launch, tool });
  const cache = buildStandingCache(rows ?? [rowFor(toolOf(mail(shown)))]);
  return decideCall({ policy: policy(effect), binding, standing: cache.find(binding, now), answer });
}

const send = toolOf(mail(shown));

it("compares definitions only for who reads the difference, once (SAFE-4)", () => {
  let reads = 0;
  const approved = {
    get description() {
      reads += 1;
      return "Sends a mail";
    },
  };
  const rows = [rowFor(send, { definition: approved })];
  const cache = buildStandingCache(rows);
  const tool = toolOf(mail({ ...shown, description: "Sends a mail to all" }));
  const binding = toolBindingOf({ principal: "ann", launch: LAUNCH, tool });
  const standing = cache.find(binding, 0);
  reads = 0;
  const decision = decideCall({ policy: policy("ask"), binding, standing });
  expect([decision.kind, reads]).toEqual(["ask", 0]);
  const diffOf = () => (decision.kind === "ask" ? decision.diff?.changes : undefined);
  expect(diffOf()).toMatchObject([{ before: "Sends a mail", after: "Sends a mail to all" }]);
  const readOnce = reads;
  diffOf();
  expect(reads).toBe(readOnce);
});

describe("renamed × definition changed (POL-2)", () => {
  const changed = { ...shown, description: "Sends a mail to all" };
  const renamed = { alias: "post", integration: "post", version: 2 };

  it("neither: the approval stands", () => {
    expect(decide(send)).toEqual({ kind: "allow", rule: "rules[0]", approval: 7 });
  });

  it("a pure rename keeps it: alias, integration, versions and public names are no part of it", () => {
    expect(decide(toolOf(mail({ ...shown, version: 4 }, renamed)))).toMatchObject({
      kind: "allow",
      approval: 7,
    });
  });

  it.each([
    ["a changed definition asks, with the difference", {}],
    ["both at once ask, with the difference", renamed],
  ])("%s", (_, more) => {
    expect(decide(toolOf(mail(changed, more)))).toEqual({
      kind: "ask",
      rule: "rules[0]",
      reason: "changed",
      what: ["definition"],
      diff: {
        changes: [
          { kind: "changed", path: "$.description", before: "Sends a mail", after: "Sends a mail to all" },
        ],
        omitted: 0,
      },
      before: shown,
    });
  });

  it("another raw name is another tool, with or without the definition", () => {
    for (const name of ["send2", "Send", "send "])
      expect(decide(toolOf(mail({ ...shown, name })))).toMatchObject({ kind: "ask", reason: "undecided" });
  });

  it("another command under the same id asks", () => {
    const decided = decide(send, { launch: "sh evil" });
    expect(decided).toMatchObject({ reason: "changed", what: ["launch"] });
    expect(decided).not.toHaveProperty("before");
  });
});

it("an approval of send on one server never reaches another, by any spelling, alias or version (POL-2)", () => {
  const sources = [
    mail(shown),
    { server: "Mail", integration: "mail-b", tools: [shown] },
    { server: "mail-v2", integration: "mail", version: 2, alias: "mail", tools: [shown] },
    { server: "ma", tools: [{ ...shown, name: "il_send" }, shown] },
    {
      server: "sends",
      tools: [
        { ...shown, name: "mail@1/send@1" },
        { ...shown, name: "mail__send" },
      ],
    },
    { toolbox: "dev", server: "mail", tools: [shown] },
  ];
  const snapshot = buildSnapshot(sources);
  const spellings = [
    "mail@1/send@1",
    "mail/send",
    "mail@latest/send",
    "MAIL@1/SEND@1",
    "mail%401%2Fsend%401",
    "mail@1~send@1",
    "mail_send",
    "mail_send_2",
    "mail.send",
    "mail__send",
    "mcp__mail__send",
    "mcp_mail__send",
    "dev__mail__send",
    "dev/mail/send",
    "send",
    "il_send",
    "mail-b_send",
  ];
  let reached = 0;
  for (const profile of ["universal", "openai", "canonical", "mcp"]) {
    const names = snapshot.namesFor(profile).tools.map(({ name }) => name);
    for (const text of [...spellings, ...names]) {
      const found = snapshot.resolve(text, { profile });
      if (found.outcome !== "resolved") continue;
      const isApproved = decide(found.tool).kind === "allow";
      expect(isApproved, `${text} in ${profile}`).toBe(found.tool.key === send.key);
      reached += 1;
    }
  }
  expect(reached).toBeGreaterThan(20);
});

describe("policy, standing decision and answer (POL-1) (POL-2) (ID-5)", () => {
  const approved = rowFor(send);
  const rejected = rowFor(send, { verdict: "rejected" });
  const binding = toolBindingOf({ principal: "ann", launch: LAUNCH, tool: send });
  const yes = { verdict: "approved", shown: binding } as const;
  const no = { verdict: "rejected", shown: { ...binding, launch: "other" } } as const;

  it.each([
    ["deny", [approved], yes, { kind: "deny", reason: "policy" }],
    ["deny", [], undefined, { kind: "deny", reason: "policy" }],
    ["allow", [], undefined, { kind: "allow" }],
    ["allow", [rejected], undefined, { kind: "deny", reason: "rejected" }],
    ["allow", [], no, { kind: "deny", reason: "answer" }],
    ["ask", [], undefined, { kind: "ask", reason: "undecided", what: [] }],
    ["ask", [approved], undefined, { kind: "allow", approval: 7 }],
    ["ask", [rejected], undefined, { kind: "deny", reason: "rejected" }],
    ["ask", [], yes, { kind: "allow", approval: "call" }],
    ["ask", [approved], no, { kind: "deny", reason: "answer" }],
    // An exact call's decision beats a sticky one.
    ["ask", [rejected], yes, { kind: "allow", approval: "call" }],
  ] as const)("%s, %j, %j", (effect, rows, answer, expected) => {
    expect(decide(send, { effect, rows, answer })).toEqual({ rule: "rules[0]", ...expected });
  });

  it("an answer counts only for what was shown (POL-3)", () => {
    const changed = toolOf(mail({ ...shown, description: "Other" }));
    expect(decide(changed, { rows: [], answer: yes })).toMatchObject({
      kind: "ask",
      reason: "changed",
      what: ["definition"],
    });
    // What was shown is not known here, so neither it nor the difference is told.
    expect(Object.keys(decide(changed, { rows: [], answer: yes }))).toEqual([
      "kind",
      "rule",
      "reason",
      "what",
    ]);
    expect(decide(send, { rows: [], answer: yes, launch: "sh evil" })).toMatchObject({ what: ["launch"] });
  });

  it("an approval is for its principal, until it expires or is revoked", () => {
    expect(decide(send, { principal: "bob" })).toMatchObject({ kind: "ask", reason: "undecided" });
    const rows = [rowFor(send, { expiresAt: 10 })];
    expect(decide(send, { rows, now: 9 }).kind).toBe("allow");
    expect(decide(send, { rows, now: 10 })).toMatchObject({ kind: "ask", reason: "expired", what: [] });
    const other = toolOf(mail({ ...shown, description: "Other" }));
    expect(decide(other, { rows, now: 10 })).toMatchObject({ reason: "expired", what: ["definition"] });
    expect(decide(send, { rows: [rowFor(send, { revokedAt: 1 })] })).toMatchObject({ reason: "undecided" });
    // A row that says another thing than its digest has never approved anything.
    const broken = [rowFor(send, { expiresAt: 10, definition: { description: "Other" } })];
    expect(decide(send, { rows: broken, now: 10 })).toMatchObject({ kind: "ask", reason: "undecided" });
    expect(decide(send, { rows: broken, now: 9 })).toMatchObject({ kind: "ask", reason: "undecided" });
    const lapsed = [rowFor(send, { verdict: "rejected", expiresAt: 10 })];
    expect(decide(send, { rows: lapsed, now: 10 })).toMatchObject({ kind: "ask", reason: "expired" });
    expect(decide(send, { effect: "allow", rows: lapsed, now: 10 }).kind).toBe("allow");
  });
});

describe("standing cache", () => {
  const tool = toolKeyOf({ server: "mail", raw: "send" });
  const definition: ToolDefinition = { description: "Sends" };
  const ANN = { principal: "ann", tool };

  function row(id: number, more: Partial<Approval> = {}): Approval {
    return {
      id,
      verdict: "approved",
      ...ANN,
      launch: "npx mail",
      digest: definitionDigest(definition),
      definition,
      expiresAt: undefined,
      revokedAt: undefined,
      ...more,
    };
  }

  it("finds the newest decision for a principal and a tool, in whatever order they come (POL-2)", () => {
    const rows = [row(1, { verdict: "rejected" }), row(3), row(2, { verdict: "rejected" })];
    for (const list of [rows, [...rows].reverse()]) {
      const cache = buildStandingCache(list);
      expect(cache.find(ANN, 0)).toMatchObject({ kind: "inForce", id: 3 });
      expect(cache.size).toBe(1);
    }
  });

  it("finds nothing for another principal, tool, or pair that joins to the same text", () => {
    const cache = buildStandingCache([row(1)]);
    for (const principal of ["Ann", "", "__proto__", `ann",${JSON.stringify(tool)}`])
      expect(cache.find({ principal, tool }, 0).kind).toBe("none");
    for (const other of [
      { server: "mail", raw: "Send" },
      { toolbox: "mail", server: "mail", raw: "send" },
      { server: "mai", raw: "lsend" },
    ])
      expect(cache.find({ principal: "ann", tool: toolKeyOf(other) }, 0).kind).toBe("none");
  });

  it("lets a decision expire, and a revoked one bring no older one back", () => {
    const expiring = buildStandingCache([row(1, { expiresAt: 100 })]);
    expect(expiring.find(ANN, 99).kind).toBe("inForce");
    expect(expiring.find(ANN, 100).kind).toBe("expired");
    expect(buildStandingCache([row(1), row(2, { revokedAt: 5 })]).find(ANN, 9).kind).toBe("none");
  });

  it("approves nothing where what was shown is not what the digest is of", () => {
    const found = buildStandingCache([row(1, { definition: { description: "Other" } })]).find(ANN, 0);
    expect(found.kind === "none" ? undefined : found.record.size).toBe(0);
  });

  describe("in a line of renames (LOCK-5)", () => {
    const [post, dispatch] = ["post", "dispatch"].map((raw) => toolKeyOf({ server: "mail", raw })) as [
      ToolKey,
      ToolKey,
    ];
    const gone = { former: [post, dispatch], later: [], line: [post, dispatch] };
    const postListed = { former: [], later: [], line: [post, dispatch] };
    const find = (rows: readonly Approval[], lineage: StandingSubject["lineage"], now = 0) =>
      buildStandingCache(rows).find(lineage === undefined ? ANN : { ...ANN, lineage }, now);
    const rejected = (more: Partial<Approval> = {}) => row(1, { tool: post, verdict: "rejected", ...more });

    it("holds on to what was approved under keys that are gone", () => {
      const kept = find([row(1, { tool: post })], gone);
      expect(kept).toMatchObject({ kind: "inForce", id: 1, definition });
      // The record is about the tool under the key that it has now.
      const binding = { ...ANN, launch: "npx mail", digest: definitionDigest(definition), definition };
      expect(kept.kind === "none" ? undefined : decideStanding(binding, kept.record)).toMatchObject({
        outcome: "approved",
      });
      expect(buildStandingCache([row(1, { tool: post })]).find(ANN, 0).kind).toBe("none");
      expect(find([row(1, { tool: toolKeyOf({ server: "mail", raw: "other" }) })], gone).kind).toBe("none");
      // The newest counts, under whichever key; a revoked one brings no older one back.
      expect(find([row(1), row(3, { tool: dispatch }), row(2, { tool: post })], gone)).toMatchObject({
        id: 3,
      });
      expect(find([row(3), row(1, { tool: dispatch })], gone)).toMatchObject({ id: 3 });
      expect(find([row(2), row(5, { tool: post, revokedAt: 1 })], gone).kind).toBe("none");
    });

    it("takes no approval from a tool that is listed, and none away from its own", () => {
      expect(find([row(1, { tool: post })], postListed).kind).toBe("none");
      expect(find([row(1), row(2, { tool: post })], postListed)).toMatchObject({ id: 1 });
      expect(find([row(1), row(2, { tool: post, revokedAt: 1 })], postListed)).toMatchObject({ id: 1 });
    });

    it("takes no approval against the rename where its server goes back, and loses no revocation", () => {
      const wentBack = { former: [post], later: [dispatch], line: [post, dispatch] };
      const later = (id: number, more: Partial<Approval> = {}) => row(id, { tool: dispatch, ...more });
      expect(find([later(1)], wentBack).kind).toBe("none");
      expect(find([later(2, { expiresAt: 5 })], wentBack, 9).kind).toBe("none");
      expect(find([later(2), row(1)], wentBack)).toMatchObject({ kind: "inForce", id: 1 });
      expect(find([later(2), row(1, { tool: post })], wentBack)).toMatchObject({ kind: "inForce", id: 1 });
      // What replaced an older approval was revoked, so that one does not come back, unless somebody approved since.
      expect(find([later(2, { revokedAt: 4 }), row(1)], wentBack).kind).toBe("none");
      expect(find([later(2, { revokedAt: 4 }), row(3)], wentBack)).toMatchObject({ id: 3 });
      expect(find([later(2, { expiresAt: 4, revokedAt: 4 }), row(1)], wentBack)).toMatchObject({ id: 1 });
      // It may have been given for the one or the other.
      expect(find([row(1, { isOfLine: true })], wentBack).kind).toBe("none");
      expect(find([later(1, { verdict: "rejected" })], wentBack)).toMatchObject({ id: 1 });
    });

    it("counts a rejection that stands before newer approvals, whoever is listed", () => {
      for (const lineage of [gone, postListed]) {
        expect(find([rejected(), row(2)], lineage)).toMatchObject({ id: 1 });
        expect(find([rejected({ revokedAt: 5 }), row(2)], lineage)).toMatchObject({ id: 2 });
        expect(find([rejected({ expiresAt: 10 }), row(2)], lineage, 9)).toMatchObject({ id: 1 });
        expect(find([rejected({ expiresAt: 10 }), row(2)], lineage, 10)).toMatchObject({ id: 2 });
        expect(find([rejected({ isOfLine: true })], lineage)).toMatchObject({ id: 1 });
      }
    });

    it("counts what was rejected under a former id of the server, and approves nothing by it (POL-1)", () => {
      const underFormerIds = [post];
      const findMoved = (rows: readonly Approval[], now = 0) =>
        buildStandingCache(rows).find({ ...ANN, underFormerIds }, now);
      expect(findMoved([rejected(), row(2)])).toMatchObject({ id: 1 });
      expect(findMoved([rejected({ revokedAt: 5 }), row(2)])).toMatchObject({ id: 2 });
      expect(findMoved([rejected({ expiresAt: 10 }), row(2)], 10)).toMatchObject({ id: 2 });
      expect(findMoved([row(1, { tool: post })]).kind).toBe("none");
    });

    it("takes an older approval for that of the only tool of the line, and asks where there are several", () => {
      const old = { isOfLine: true } as const;
      expect(find([row(1, { tool: post, ...old })], gone)).toMatchObject({ id: 1 });
      expect(find([row(1, old)], gone)).toMatchObject({ id: 1 });
      expect(buildStandingCache([row(1, old)]).find(ANN, 0)).toMatchObject({ id: 1 });
      // It may have been given for the one or the other.
      expect(find([row(1, old)], postListed).kind).toBe("none");
      const oneGone = { former: [post], later: [], line: [post, dispatch] };
      expect(find([row(1, { tool: post, ...old })], oneGone).kind).toBe("none");
      expect(find([row(1, old), row(2)], postListed)).toMatchObject({ id: 2 });
    });
  });

  it("takes a rejection for one whatever its row says of the definition, and counts each tool of each principal", () => {
    const cache = buildStandingCache([
      row(1, { verdict: "rejected", digest: definitionDigest({}) }),
      row(2, { principal: "bob" }),
      row(3, { tool: toolKeyOf({ server: "mail", raw: "list" }) }),
    ]);
    expect(cache.size).toBe(3);
    const found = cache.find(ANN, 0);
    const binding = { ...ANN, launch: "npx mail", digest: definitionDigest(definition), definition };
    expect(found.kind === "none" ? undefined : decideStanding(binding, found.record)).toMatchObject({
      outcome: "rejected",
    });
  });
});
