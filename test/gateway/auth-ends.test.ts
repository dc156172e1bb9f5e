// The end of a caller's access: what it had open is cut at once, by the built program, for real clients.

import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { framesOf, initialize, modern, post, send } from "../edge/http-client.js";
import { type ServedIssuer, serveIssuer } from "../edge/serve-issuer.js";
import { yes } from "./harness-asked.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV1, connectV2 } from "./harness-clients.js";
import { askModern, type RawAnswer } from "./harness-raw.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
let issuer: ServedIssuer;
beforeAll(async () => {
  stage = await createStage();
  issuer = await serveIssuer();
});
afterAll(async () => {
  await stage.close();
  await issuer.close();
});

const tokenOf = (name: string) => ({
  name,
  hash: `sha256:${createHash("sha256").update(`${name}-token`).digest("hex")}`,
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const configOf = (auth: object) => ({ mcpServers: { a: { tools: ["one"] } }, store: "none", auth });

describe("a token that is taken out of the config", () => {
  it.each([connectV1, connectV2])("cuts an SDK client off, stream and session (%#)", async (connect) => {
    const dir = mkdtempSync(join(stage.folder, "ends-"));
    const both = configOf({ tokens: [tokenOf("ann"), tokenOf("eve")] });
    const onym = await stage.start({ config: both, dir, args: ["--verbose"] });
    const ann = await connect({ url: onym.url, clientName: "ann", headers: bearer("ann-token") });
    const eve = await connect({ url: onym.url, clientName: "eve", headers: bearer("eve-token") });
    await ann.listTools();
    // Its stream ends, it tries to open it again, and is told that it may not.
    const refused = new Promise<string>((resolve) => {
      ann.onerror = (error) => void (/401|Unauthorized/.test(String(error)) && resolve(String(error)));
    });
    const left = onym.said(/client left.*ann/);
    await reloadConfig(onym, configOf({ tokens: [tokenOf("eve")] }));
    await left;
    await refused;
    await expect(ann.listTools()).rejects.toThrow(/not known here|401|Unauthorized/i);
    expect((await eve.listTools()).tools).toHaveLength(1);
    expect(onym.stderr()).not.toMatch(/client left.*eve/);
    await ann.close();
    await eve.close();
    await onym.stop();
  });

  it("ends a subscription of 2026-07-28", async () => {
    const dir = mkdtempSync(join(stage.folder, "ends-"));
    const onym = await stage.start({ config: configOf({ tokens: [tokenOf("ann")] }), dir });
    const request = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const headers = { ...request.headers, ...bearer("ann-token") };
    const stream = framesOf(await send(onym.url, request.body, { headers }));
    expect((await stream.next())?.data).toContain("acknowledged");
    await reloadConfig(onym, configOf({ tokens: [tokenOf("eve")] }));
    expect(JSON.parse((await stream.next())?.data ?? "")).toMatchObject({
      result: { resultType: "complete" },
    });
    expect(await stream.next()).toBeUndefined();
    await onym.stop();
  });
});

describe("a call that waits for its client, of a token that is taken out of the config", () => {
  const capabilities = { elicitation: { form: {} } };
  const params = { name: "one_run", arguments: {} };
  const call = (url: string, headers: Record<string, string>, more: object = {}) =>
    askModern({ url, method: "tools/call", params: { ...params, ...more }, headers, capabilities });
  const answerTo = ({ result }: RawAnswer, answer: object) => ({
    requestState: result?.["requestState"],
    inputResponses: Object.fromEntries(
      Object.keys(result?.["inputRequests"] as object).map((key) => [key, answer]),
    ),
  });

  it.each([
    ["a server's question", "asks", [], { action: "accept", content: { name: "Ann" } }],
    ["an approval", "approved", [{ effect: "ask", server: "one" }], yes("always")],
  ])("is ended, and nobody goes on with it: %s", async (_, label, rules, answer) => {
    const behaviours = [{ ask: ["elicitation/create" as const] }];
    const one = stage.entry({ label, tools: ["run"], eras: ["legacy"], behaviours });
    const config = (...names: readonly string[]) => ({
      mcpServers: { one },
      policy: { rules },
      auth: { tokens: names.map(tokenOf) },
    });
    const onym = await stage.start({ config: config("ann", "eve") });
    const asked = await call(onym.url, bearer("ann-token"));
    expect(asked.result?.["resultType"], asked.text).toBe("input_required");
    const more = answerTo(asked, answer);
    await reloadConfig(onym, config("eve"));
    const server = await stage.control.server(label);
    // An approval is asked for before the server knows of the call.
    if (rules.length === 0) await server.direct({ do: "awaitReceived", method: "notifications/cancelled" });
    expect((await call(onym.url, bearer("ann-token"), more)).status).toBe(401);
    await reloadConfig(onym, config("ann", "eve"));
    for (const token of ["eve-token", "ann-token"]) {
      const { error, result } = await call(onym.url, bearer(token), more);
      // An approval is asked for again.
      if (rules.length === 0) expect(error?.message).toContain("belongs to no call");
      else expect(result).toMatchObject({ resultType: "input_required" });
    }
    const { received } = await server.direct({ do: "received" });
    const messages = received as readonly { readonly method?: string; readonly result?: unknown }[];
    expect(messages.filter(({ result }) => result !== undefined)).toEqual([]);
    const cancelled = messages.filter(({ method }) => method === "notifications/cancelled");
    expect(cancelled).toHaveLength(rules.length === 0 ? 1 : 0);
    await onym.stop();
  });
});

describe("an OAuth token that expires", () => {
  it("ends the stream it opened; with a new one its caller goes on in the same session", async () => {
    const oauth = { issuer: issuer.issuer, audience: ["onym"], jwksUri: issuer.jwksUri };
    const onym = await stage.start({ config: configOf({ oauth }) });
    const now = Math.floor(Date.now() / 1000);
    // Clocks may differ by five seconds, so it counts for a moment more.
    const short = bearer(await issuer.sign({ aud: "onym", exp: now }));
    const opened = await post(onym.url, initialize(), { headers: short });
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    const stream = framesOf(
      await fetch(onym.url, { headers: { ...short, ...session, accept: "text/event-stream" } }),
    );
    while ((await stream.next()) !== undefined);
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect((await post(onym.url, ping, { headers: { ...short, ...session } })).status).toBe(401);
    const fresh = bearer(await issuer.sign({ aud: "onym" }));
    expect((await post(onym.url, ping, { headers: { ...fresh, ...session } })).status).toBe(200);
    await onym.stop();
  });
});
