import type { ToolDefinition } from "@onym/core";
import { decideStanding, definitionDigest } from "@onym/core/approvals";
import { toolKeyOf } from "@onym/core/identity";
import { expect, it } from "vitest";
import { type ApprovalRow, buildStandingCache } from "./standing-cache.js";

const tool = toolKeyOf({ server: "mail", raw: "send" });
const definition: ToolDefinition = { description: "Sends" };
const ANN = { principal: "ann", tool };

function row(id: number, more: Partial<ApprovalRow> = {}): ApprovalRow {
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

it("holds on to what was decided about a tool under its former keys (LOCK-5)", () => {
  const post = toolKeyOf({ server: "mail", raw: "post" });
  const dispatch = toolKeyOf({ server: "mail", raw: "dispatch" });
  const formerly = [post, dispatch];
  const find = (rows: readonly ApprovalRow[], now = 0) =>
    buildStandingCache(rows).find({ ...ANN, formerly }, now);

  const kept = find([row(1, { tool: post })]);
  expect(kept).toMatchObject({ kind: "inForce", id: 1, definition });
  // The record is about the tool under the key that it has now.
  const binding = { ...ANN, launch: "npx mail", digest: definitionDigest(definition), definition };
  expect(kept.kind === "none" ? undefined : decideStanding(binding, kept.record)).toMatchObject({
    outcome: "approved",
  });
  expect(buildStandingCache([row(1, { tool: post })]).find(ANN, 0).kind).toBe("none");
  expect(find([row(1, { tool: toolKeyOf({ server: "mail", raw: "other" }) })]).kind).toBe("none");

  // The newest counts, under whichever key.
  expect(find([row(1), row(3, { tool: dispatch }), row(2, { tool: post })])).toMatchObject({ id: 3 });
  expect(find([row(3), row(1, { tool: dispatch })])).toMatchObject({ id: 3 });
  expect(find([row(2), row(5, { tool: post, revokedAt: 1 })]).kind).toBe("none");

  // A rejection that stands counts before newer approvals; one that is over does not.
  const rejected = (more: Partial<ApprovalRow> = {}) => row(1, { tool: post, verdict: "rejected", ...more });
  expect(find([rejected(), row(2)])).toMatchObject({ id: 1 });
  expect(find([rejected({ revokedAt: 5 }), row(2)])).toMatchObject({ id: 2 });
  expect(find([rejected({ expiresAt: 10 }), row(2)], 9)).toMatchObject({ id: 1 });
  expect(find([rejected({ expiresAt: 10 }), row(2)], 10)).toMatchObject({ id: 2 });
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
