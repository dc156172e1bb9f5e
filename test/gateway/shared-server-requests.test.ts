// A stdio server that several callers share asks something: nobody answers what may be meant for another (SAFE-6).

import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV2 } from "./harness-clients.js";

type Era = "legacy" | "modern";
/** How the first caller gives up, its era, and that of the other. */
const CASES: readonly (readonly [string, Era, Era])[] = [
  ["cancels", "legacy", "modern"],
  ["cancels", "modern", "legacy"],
  ["leaves", "legacy", "modern"],
  ["leaves", "modern", "legacy"],
];
const idOf = (how: string, first: Era): string => `${how}-${first}`;

let stage: Stage;
let onym: RunningOnym;
beforeAll(async () => {
  stage = await createStage();
  const behaviours = [
    { tool: "wait", hold: true },
    { tool: "elicit", ask: ["elicitation/create"] },
    { tool: "sample", ask: ["sampling/createMessage"] },
  ] as const;
  // What a caller left behind stays with the server, so that each case has a server of its own.
  const entryOf = (label: string) =>
    stage.entry({ label, tools: ["wait", "elicit", "sample"], eras: ["legacy"], behaviours });
  const hash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;
  onym = await stage.start({
    config: {
      mcpServers: Object.fromEntries(
        CASES.map(([how, first]) => [idOf(how, first), entryOf(idOf(how, first))]),
      ),
      auth: { tokens: ["ann", "bob"].map((name) => ({ name, hash: hash(`secret-of-${name}`) })) },
    },
  });
});
afterAll(() => stage.close());

/** A client whose user answers whatever is asked. */
async function connect(caller: string, era: Era) {
  const asked: string[] = [];
  const client = await connectV2({
    url: onym.url,
    era,
    headers: { authorization: `Bearer secret-of-${caller}` },
    capabilities: { sampling: {}, elicitation: { form: {} } },
    prepareV2: (made) => {
      made.setRequestHandler("elicitation/create", () => {
        asked.push("elicitation");
        return { action: "accept", content: { name: caller } };
      });
      made.setRequestHandler("sampling/createMessage", () => {
        asked.push("sampling");
        return { model: "m", role: "assistant", content: { type: "text", text: caller } };
      });
    },
  });
  return { client, asked };
}

describe.each(CASES)("a caller that %s (%s), and another (%s)", (how, first, second) => {
  it("is not answered for by the other, in whose call the server asks (SAFE-6)", async () => {
    const id = idOf(how, first);
    const server = await stage.control.server(id);
    const bob = await connect("bob", second);
    const answersTo = async (tool: string): Promise<string> => {
      const { structuredContent } = await bob.client.callTool({ name: `${id}@1/${tool}@1` });
      return JSON.stringify((structuredContent as { readonly answers: unknown }).answers);
    };
    // Alone, it is the one who is meant.
    expect(await answersTo("elicit")).toContain('"name":"bob"');
    expect(bob.asked.splice(0)).toEqual(["elicitation"]);

    const ann = await connect("ann", first);
    const stop = new AbortController();
    const abandoned = ann.client
      .callTool({ name: `${id}@1/wait@1` }, { signal: stop.signal })
      .catch(() => "abandoned");
    await server.direct({ do: "awaitHeld", count: 1 });
    if (how === "cancels") stop.abort();
    else await ann.client.close();
    expect(await abandoned).toBe("abandoned");
    if (how === "cancels" || first === "modern")
      await server.direct({ do: "awaitReceived", method: "notifications/cancelled", count: 1 });
    for (const tool of ["elicit", "sample"]) expect(await answersTo(tool)).toContain("which one is meant");
    expect(bob.asked).toEqual([]);
    await bob.client.close();
    await ann.client.close();
  });
});
