import { buildCatalog } from "@onym/core/naming";
import { expect, it } from "vitest";
import { refusedResult } from "./refused-result.js";

const [tool] = buildCatalog([{ server: "mail", tools: ["send"] }]).tools;
const call = { tool, sent: "mail_\u202esend" } as never;
const textIn = (reply: unknown) => JSON.stringify(reply);

it("what the policy denies is answered as what never was (GW-6)", () => {
  expect(refusedResult(call, { kind: "deny", rule: "rules[0]", reason: "policy" })).toEqual({
    kind: "error",
    error: { code: -32602, message: "Unknown tool: mail_\\u{202E}send", data: { suggestions: [] } },
  });
});

it("says what an operator can do, and what has changed (POL-3)", () => {
  const ask = { kind: "ask", rule: "default", reason: "changed" } as const;
  const said = textIn(refusedResult(call, { ...ask, what: ["definition", "launch"], pending: 7 }));
  expect(said).toContain("onym approve 7");
  expect(said).toContain("its definition and how its server is started");
});
