import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import { handleRequest } from "../create-router.js";
import { instructionsFor } from "../methods/instructions-for.js";
import type { GatewaySettings } from "../settings.js";
import { createMemoryDownstream, failedStatus, toolsNamed } from "../testing/memory-downstream.js";
import { buildCaller, buildRequestContext, profileNamed } from "../testing/test-callers.js";
import { buildTestContext } from "../testing/test-context.js";
import { confineContext } from "./caller-visibility.js";

function serverIn(toolbox: string | undefined, server: string) {
  const uri = (name: string) => ({ name, uri: `file:///${name}` });
  return createMemoryDownstream(
    {
      tools: toolsNamed(`${server}_tool`),
      prompts: [{ name: `${server}_prompt` }, { name: "shared" }],
      resources: [uri(server), uri("shared")],
      templates: [{ name: "t", uriTemplate: `${server}://{x}` }],
      instructions: `Words of ${server}: ${server}_tool.`,
    },
    { server, ...(toolbox === undefined ? {} : { toolbox }) },
  );
}

function setUp(confinedTo: readonly string[] | undefined, with_: Partial<GatewaySettings> = {}) {
  const servers = [serverIn("dev", "mine"), serverIn("ops", "secret"), serverIn(undefined, "bare")];
  const down = serverIn("ops", "secretdown");
  down.status = failedStatus(3);
  const whole = buildTestContext([...servers, down], {
    toolboxes: [
      { id: "dev", description: "mine" },
      { id: "ops", description: "secret" },
    ],
    ...with_,
  });
  const caller = buildCaller({ confinedTo });
  const context = confineContext(whole, caller);
  const ask = async (method: string, params: JsonObject = {}): Promise<string> => {
    const request = { jsonrpc: "2.0" as const, id: 1, method, params };
    return textOf(await handleRequest(request, { caller, requestContext: buildRequestContext() }, context));
  };
  return { ask, servers, context, caller, whole };
}

function textOf(reply: Reply): string {
  return reply.kind === "json" ? reply.json : JSON.stringify(reply);
}

describe("a caller that is confined to a toolbox", () => {
  it.each(["prompts/list", "resources/list", "resources/templates/list"])(
    "sees only its own in %s",
    async (method) => {
      const confined = await setUp(["dev"]).ask(method);
      expect(confined).toContain("mine");
      expect(confined).not.toMatch(/secret|bare|ops/);
      const free = await setUp(undefined).ask(method);
      expect(free).toMatch(/secret/);
      expect(free).toMatch(/bare/);
    },
  );

  it.each(["prompts/list", "resources/list", "resources/templates/list"])(
    "shares no entries of %s with callers that see others, in whichever order they ask",
    async (method) => {
      const { whole } = setUp(undefined);
      const ask = async (confinedTo: readonly string[] | undefined): Promise<string> => {
        const caller = buildCaller({ confinedTo });
        const request = { jsonrpc: "2.0" as const, id: 1, method };
        const to = { caller, requestContext: buildRequestContext() };
        return textOf(await handleRequest(request, to, confineContext(whole, caller)));
      };
      const kinds = [undefined, ["dev"], ["ops"], undefined, ["dev"], ["ops"]];
      const [all, dev, ops, ...again] = await Promise.all(kinds.map(ask));
      expect(again).toEqual([all, dev, ops]);
      expect(all).toMatch(/mine.*secret|secret.*mine/);
      expect(dev).not.toMatch(/secret|bare|ops/);
      expect(ops).not.toMatch(/mine|bare|dev/);
    },
  );

  it.each<[string, JsonObject]>([
    ["prompts/get", { name: "secret_prompt" }],
    ["prompts/get", { name: "secret@1/secret_prompt@1" }],
    ["prompts/get", { name: "bare_prompt" }],
    ["resources/read", { uri: "file:///secret" }],
    ["resources/read", { uri: "secret://a" }],
    ["resources/read", { uri: "onym://ops/secret/file:///secret" }],
    ["resources/read", { uri: "onym://ops.secret/file:///mine" }],
    ["completion/complete", { ref: { type: "ref/prompt", name: "secret_prompt" }, argument: {} }],
    ["completion/complete", { ref: { type: "ref/resource", uri: "secret://{x}" }, argument: {} }],
  ])("reaches nothing else by %s of %j, and learns nothing of it", async (method, params) => {
    const { ask, servers } = setUp(["dev"]);
    const answer = await ask(method, params);
    expect(answer).toMatch(/Unknown|not found/);
    expect(answer).not.toMatch(/suggestions":\["/);
    expect(servers.flatMap(({ asked }) => asked)).toEqual([]);
  });

  it("gets what it shares a name or an address with others for", async () => {
    const { ask, servers } = setUp(["dev"]);
    await ask("resources/read", { uri: "file:///shared" });
    await ask("prompts/get", { name: "mine_prompt" });
    expect(servers.map(({ asked }) => asked.length)).toEqual([2, 0, 0]);
  });

  it("does not get past its bounds by the gateway's own form of an address", async () => {
    const { ask, servers, whole } = setUp(["dev"]);
    const [mine, secret] = servers;
    const { resources } = whole.latestView().snapshot;
    if (mine === undefined || secret === undefined) throw new Error("no servers");
    const address = resources.publicUri(secret, "file:///shared");
    expect(address).toMatch(/^onym:/);
    expect(await ask("resources/read", { uri: address })).toMatch(/not found/);
    await ask("resources/read", { uri: resources.publicUri(mine, "file:///shared") });
    expect(servers.map(({ asked }) => asked.length)).toEqual([1, 0, 0]);
  });

  it("is told of its own toolboxes and servers in the instructions (GW-12)", async () => {
    const { context, caller } = setUp(["dev"], { mode: "proxy" });
    const instructions = await instructionsFor(caller, context);
    expect(instructions).toContain("Words of mine");
    expect(instructions).not.toMatch(/secret|bare|ops/);
  });

  it("shares no instructions with callers that see others, in whichever order they connect", async () => {
    const { whole } = setUp(undefined, { mode: "proxy" });
    const read = (confinedTo: readonly string[] | undefined, profile: string) => {
      const caller = buildCaller({ confinedTo, profile: profileNamed(profile) });
      return instructionsFor(caller, confineContext(whole, caller));
    };
    const readAll = () =>
      Promise.all([read(undefined, "openai"), read(["dev"], "openai"), read(["ops"], "openai")]);
    const [all, dev, ops] = await readAll();
    expect(await readAll()).toEqual([all, dev, ops]);
    expect(all).toMatch(/Words of mine(.|\n)*Words of secret/);
    expect(dev).not.toMatch(/secret|bare|ops/);
    expect(ops).not.toMatch(/mine|bare|dev/);
    expect(await read(["dev"], "canonical")).not.toBe(dev);
  });

  it("cannot open another toolbox, and does not hear of it (GW-11)", async () => {
    const { context, whole } = setUp(["dev"], { mode: "dynamic" });
    expect(await context.toolboxes.open("ops", "me")).toEqual({ outcome: "unknown" });
    expect(whole.toolboxes.held().size).toBe(0);
    expect((await context.toolboxes.open("dev", "me")).outcome).toBe("opened");
    expect(context.settings().toolboxes.map(({ id }) => id)).toEqual(["dev"]);
  });

  it("sends no unknown name to a server outside (RES-3)", () => {
    const passthrough = { server: "bare", toolbox: undefined };
    expect(setUp(["dev"], { passthrough }).context.settings().passthrough).toBeUndefined();
    expect(setUp(undefined, { passthrough }).context.settings().passthrough).toBe(passthrough);
  });

  it("has the same view before it as long as nothing changes", () => {
    const { whole, caller } = setUp(["dev"]);
    const view = () => confineContext(whole, { ...caller }).latestView().snapshot;
    expect(view()).toBe(view());
    expect(setUp(undefined).context.latestView()).toBeDefined();
  });
});
