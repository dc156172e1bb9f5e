// Where other systems fail open, through a running gateway: rules are about what a tool is, whatever it is called (POL-1).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createStage, type Stage } from "./harness-boxes.js";
import { namesAt, PROFILES, rawsReceived } from "./harness-policy.js";
import { askModern } from "./harness-raw.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

describe("rules that other systems stretch (POL-1)", () => {
  const LOOK_ALIKES = ["foo.bar", "foo_bar", "foo-bar", "foo__bar", "a", "a__b", "a_b", "a.b", "A"];
  const servers = (label: string) => ({
    s: stage.entry({ label, tools: LOOK_ALIKES }),
    a: stage.entry({ label: `${label}-a`, tools: ["b__c", "c"] }),
    a__b: { ...stage.entry({ label: `${label}-a__b`, tools: ["c", "b__c"] }), integration: "a-b" },
  });
  /** Every name that any profile has for any tool, and what it is the name of. */
  const named = new Map<string, Map<string, string>>();
  beforeAll(async () => {
    const open = await stage.start({ config: { mcpServers: servers("open") } });
    for (const profile of PROFILES) named.set(profile, await namesAt(open, profile));
  });

  it.each([
    ["an allow, where everything else is denied", "deny", "allow"],
    ["a denial, where everything else is allowed", "allow", "deny"],
  ])(
    "%s: for `a` it does not reach `a__b`, nor for `foo.bar` what is sanitised to its name",
    async (_, otherwise, effect) => {
      const rules = [
        { effect, tool: ["s@1/foo.bar", "s@1/a"] },
        { effect, server: "a" },
      ];
      const label = `stretched-${effect}`;
      const config = { mcpServers: servers(label), policy: { default: otherwise, rules } };
      const onym = await stage.start({ config });
      const isRuled = (canonical: string) =>
        canonical === "s@1/foo.bar@1" || canonical === "s@1/a@1" || canonical.startsWith("a@1/");
      const mayRun = (canonical: string) => isRuled(canonical) === (effect === "allow");
      for (const [profile, names] of named) {
        const url = `${onym.url}/${profile}`;
        const expected = [...names].filter(([, canonical]) => mayRun(canonical));
        expect([...(await namesAt(onym, profile))].sort()).toEqual(expected.sort());
        for (const [name, canonical] of names) {
          for (const spelling of [name, canonical, encodeURIComponent(canonical), ...prefixed(name)]) {
            const nonce = `${profile} ${spelling}`;
            const params = { name: spelling, arguments: { nonce } };
            const { result, error } = await askModern({ url, method: "tools/call", params });
            const echo = result?.["structuredContent"] as { server: string; raw: string } | undefined;
            if (mayRun(canonical)) expect(echo, nonce).toMatchObject({ nonce, raw: rawOf(canonical) });
            else expect(error?.message.split(". Did you mean ")[0], nonce).toBe(`Unknown tool: ${spelling}`);
          }
        }
      }
      // Nothing else reached the servers, whatever was answered.
      for (const [server, prefix] of [
        ["", "s@1/"],
        ["-a", "a@1/"],
        ["-a__b", "a-b@1/"],
      ] as const) {
        const received = await rawsReceived(stage, `${label}${server}`);
        expect(received.filter((raw) => !mayRun(`${prefix}${raw}@1`))).toEqual([]);
      }
    },
  );
});

function rawOf(canonical: string): string {
  return canonical.slice(canonical.indexOf("/") + 1, canonical.lastIndexOf("@"));
}

/** As clients with a prefix of their own send it back; none of them takes canonical names. */
function prefixed(name: string): readonly string[] {
  return /^[\w-]+$/.test(name) ? [`mcp__onym__${name}`] : [];
}
