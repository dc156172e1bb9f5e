// What the console shows a caller whose token is for some toolboxes only, of what other tokens of the same caller did; and what it
// shows of other callers' aliases (CON-1, POL-9).

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServedIssuer, serveIssuer } from "../edge/serve-issuer.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { ask, call, entryOf, type Json, signIn, tokenOf } from "./harness-console.js";
import { askModern } from "./harness-raw.js";

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

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it("shows neither calls nor approvals of other toolboxes, as they come or later", async () => {
  const boxes = ["dev", "prod"].map((id) => [
    id,
    { mcpServers: { [`${id}-mail`]: stage.entry({ label: id, tools: ["send", "ask"] }) } },
  ]);
  const onym = await stage.start({
    config: {
      toolboxes: Object.fromEntries(boxes),
      mode: "static",
      store: "onym.db",
      auth: {
        oauth: {
          issuer: issuer.issuer,
          audience: ["onym"],
          jwksUri: issuer.jwksUri,
          map: [{ scope: "all" }, { scope: "dev", toolboxes: ["dev"] }],
        },
      },
      policy: { rules: [{ effect: "ask", tool: "*:*@1/ask" }] },
    },
  });
  const tokenFor = (scope: string) => issuer.sign({ aud: "onym", sub: "ann", scope });
  const [wide, narrow] = [await tokenFor("all"), await tokenFor("dev")];
  const operator = await signIn(onym);
  const stream = await fetch(new URL("/console/api/calls/stream", onym.url), { headers: bearer(narrow) });
  const events = stream.body?.pipeThrough(new TextDecoderStream()).getReader();

  for (const box of ["dev", "prod"])
    for (const tool of ["send", "ask"]) await call(onym, `${box}__${box}-mail__${tool}`, bearer(wide));
  await call(onym, "prod_unknown", bearer(wide));
  await call(onym, "dev__dev-mail__send", bearer(narrow));
  const shown = async (token: string) => {
    const { calls, tools } = (await ask(onym, "calls", { token })).body;
    const { pending, total, decided } = (await ask(onym, "approvals", { token })).body;
    return { calls, tools, pending, total, decided } as Readonly<Record<string, Json[]>>;
  };
  const prod = ["prod:prod-mail@1/send@1", "prod:prod-mail@1/ask@1", "prod_unknown"];
  for (const token of [wide, operator])
    for (const what of prod) expect(JSON.stringify(await shown(token))).toContain(what);
  const seen = await shown(narrow);
  expect(JSON.stringify(seen)).not.toMatch(/prod|confinedTo/);
  expect(seen).toMatchObject({
    calls: [{ tool: { canonical: "dev:dev-mail@1/send@1" } }],
    pending: [{ canonical: "dev:dev-mail@1/ask@1" }],
    total: 1,
  });
  // Of calls with more toolboxes, none counts, wherever it went.
  expect(seen["calls"]).toHaveLength(1);

  for (const { id, definition } of (await shown(operator))["pending"] ?? []) {
    const body = { verdict: "approved", digest: (definition as Json)["digest"], how: "always" };
    expect((await ask(onym, `approvals/${id}`, { token: operator, body })).status).toBe(200);
  }
  expect(await shown(narrow)).toMatchObject({ total: 0, decided: [{ tool: "dev:dev-mail@1/ask@1" }] });
  expect((await shown(narrow))["decided"]).toHaveLength(1);
  expect((await shown(wide))["decided"]).toHaveLength(2);

  let heard = "";
  while (!heard.includes("event: call")) heard += (await events?.read())?.value ?? "";
  // Its own call is the first that it hears of, though it came last.
  expect(heard).not.toContain("prod");
  expect(heard.match(/"id":/g)).toHaveLength(1);
  await events?.cancel();
});

it("shows no aliases that other callers brought", async () => {
  const [ann, bob] = [tokenOf("a"), tokenOf("b")];
  const setup = {
    dir: mkdtempSync(join(stage.folder, "aliased-")),
    config: {
      auth: { tokens: [entryOf("ann", ann), entryOf("bob", bob)] },
      naming: { as: "acme" },
      mcpServers: { mail: stage.entry({ label: "aliased", tools: ["send"] }) },
    },
  };
  const first = await stage.start(setup);
  for (const profile of ["openai", "claude-code", "claude-code?as=annsown"])
    await askModern({ url: `${first.url}/${profile}`, method: "tools/list", headers: bearer(ann) });
  await first.stop();
  const onym = await stage.start(setup);
  const profilesFor = async (token: string) => {
    // Waits until its server is there.
    await call(onym, "mail_send", bearer(ann));
    const { tools } = (await ask(onym, "names", { token })).body as { tools: { key: string }[] };
    const { body } = await ask(onym, `tool?key=${encodeURIComponent(tools[0]?.key ?? "")}`, { token });
    return (body["history"] as Json[]).map(({ profile }) => profile);
  };
  expect(await profilesFor(await signIn(onym))).toContain("claude-code?as=annsown");
  const seen = await profilesFor(bob);
  expect(seen).toEqual(expect.arrayContaining(["openai", "claude-code?as=acme"]));
  expect(seen).not.toContain("claude-code?as=annsown");
});
