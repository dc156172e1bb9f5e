import { buildCatalog } from "@onym/core/naming";
import { expect, it } from "vitest";
import { refusedResult } from "./refused-result.js";

const [tool] = buildCatalog([{ server: "mail", tools: ["send"] }]).tools;
const target = { kind: "tool", identity: tool };
const call = { target, sent: "mail_\u202esend" } as never;
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

it("names the config of the gateway to callers of this machine, where commands would read another", () => {
  const refusal = { kind: "ask", rule: "default", reason: "undecided", what: [], pending: 7 } as const;
  const from = (principal: string) => ({ target, sent: "mail_send", caller: { principal } }) as never;
  expect(textIn(refusedResult(from("local"), refusal, "--config /srv/onym.json"))).toContain(
    "onym approvals --config /srv/onym.json, then onym approve 7 --config /srv/onym.json.",
  );
  expect(textIn(refusedResult(from("alice"), refusal, "--config /srv/onym.json"))).toContain(
    "onym approvals, then onym approve 7.",
  );
});
