import { definitionDigest, type ToolDefinition, toolKeyOf } from "@onym/core";
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
