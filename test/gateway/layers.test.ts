// Two of the identity layers as users meet them: the public name in lists and calls, the trace name in spans, and both as
// `onym explain` tells them.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningOnym, startOnym } from "./harness.js";
import { runCli } from "./harness-cli.js";
import { askModern, entriesIn } from "./harness-raw.js";
import { callOf, newTrace, openTracedWorld, type TracedWorld } from "./harness-tracing.js";

let world: TracedWorld;
let onym: RunningOnym;

beforeAll(async () => {
  world = await openTracedWorld();
  onym = await startOnym({ config: world.config, env: world.env });
});

afterAll(async () => {
  await onym.stop();
  await world.close();
});

/** The name that one kind of client sees for `echo` of the server `pipe`. */
async function listedName(profile: string): Promise<string> {
  const listed = entriesIn(await askModern({ url: `${onym.url}/${profile}`, method: "tools/list" }), "tools");
  const own = listed.filter(
    ({ _meta }) => _meta?.["original_name"] === "echo" && _meta?.["source_server"] === "pipe",
  );
  expect(own).toHaveLength(1);
  return String(own[0]?.name);
}

async function layersOf(name: string, profile: string): Promise<ReadonlyMap<string, string | null>> {
  const { out } = await runCli(onym, "explain", name, "--profile", profile, "--json");
  const { layers } = JSON.parse(out) as {
    layers: readonly { readonly layer: string; readonly value: string | null }[];
  };
  return new Map(layers.map(({ layer, value }) => [layer, value]));
}

const NAMES = [
  ["mcp", "pipe.echo"],
  ["openai", "pipe_echo"],
] as const;

describe.each(NAMES)("a client of profile %s", (profile, name) => {
  it("sees the public name, calls by it, and the server gets its own name (S004-1)", async () => {
    expect(await listedName(profile)).toBe(name);
    const layers = await layersOf(name, profile);
    expect(layers.get("public name")).toBe(name);
    // The other layers are others: none is made of the name that this client happens to see.
    expect(layers.get("qualified name")).toBe("pipe.echo");
    expect(layers.get("lookup key")).toBe('["namespaced","pipe","echo"]');
    const { result } = await askModern(callOf(`${onym.url}/${profile}`, name));
    expect(result?.["structuredContent"]).toMatchObject({ server: "pipe", raw: "echo" });
  });

  it("finds the public name in the traces of its calls, whatever name it sends (S004-6)", async () => {
    expect((await layersOf(name, profile)).get("trace name")).toBe(name);
    for (const sent of [name, "mcp__pipe__echo", "PIPE@1/ECHO@1"]) {
      const { id, traceparent } = newTrace();
      await askModern(callOf(`${onym.url}/${profile}`, sent, { traceparent }));
      const { server } = await world.spansOf(id);
      expect(server.name, sent).toBe(`tools/call ${name}`);
      expect(server.attributes["gen_ai.tool.name"], sent).toBe(name);
    }
  });
});
