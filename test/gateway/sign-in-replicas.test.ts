// Gateways on one PostgreSQL share a sign-in. A refresh token is good for one use, and a second use ends all of it.

import { afterAll, beforeAll, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../packages/onym/src/store/testing/start-postgres.js";
import { type AuthorizationServer, serveAuthorization } from "../servers/serve-authorization.js";
import { type GuardedServer, serveGuarded } from "../servers/serve-guarded.js";
import { onymFolder, type RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { askModern } from "./harness-raw.js";
import { runCommand, signIn } from "./harness-sign-in.js";

const env = { ONYM_SECRET_KEY: "0f".repeat(32) };
const ROUNDS = 5;

let stage: Stage;
let postgres: TestPostgres;
let issuer: AuthorizationServer;
let crm: GuardedServer;
const closing: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  stage = await createStage();
  issuer = await serveAuthorization();
  const behind = await stage.control.startHttp({ label: "crm", tools: ["get_leads"] });
  crm = await serveGuarded(behind.url, issuer);
  closing.push(stage.close, issuer.close, crm.close, behind.close, postgres.stop);
});

afterAll(async () => {
  for (const close of closing) await close();
});

it("two gateways that renew at once use each refresh token once, and both go on", async () => {
  const config = { mcpServers: { crm: { url: crm.url } }, store: await postgres.newLocation() };
  const dirs = [1, 2].map(() => {
    const folder = onymFolder({ config });
    closing.push(folder.remove);
    return folder.dir;
  });
  const [dir = ""] = dirs;
  const keyless = await runCommand(dir, ["login", "crm"]);
  expect(keyless).toMatchObject({ code: 1, err: expect.stringContaining("ONYM_SECRET_KEY is not set") });

  const onyms = await Promise.all(dirs.map((each) => stage.start({ dir: each, env })));
  await Promise.all(onyms.map((onym) => onym.said(/down +crm +\S+: it needs a sign-in/)));
  // Signed in once, on one machine: both come up.
  expect((await signIn(dir, "crm", env)).code).toBe(0);
  await Promise.all(onyms.map((onym) => onym.said(/ready +crm/)));

  const call = ({ url }: RunningOnym) =>
    askModern({ url: `${url}/openai`, method: "tools/call", params: { name: "crm_get_leads" } });
  for (let round = 0; round < ROUNDS; round += 1) {
    issuer.expireAll();
    const answers = await Promise.all(onyms.flatMap((onym) => Array.from({ length: 10 }, () => call(onym))));
    expect(answers.filter(({ result }) => result === undefined)).toEqual([]);
  }
  const renewals = issuer.asked.flatMap(({ form }) => form.get("refresh_token") ?? []);
  expect(new Set(renewals).size).toBe(renewals.length);
  expect(renewals).toHaveLength(ROUNDS);

  const out = await runCommand(dirs[1] ?? "", ["logout", "crm"], env);
  expect(out).toMatchObject({ code: 0, err: "" });
  for (const onym of onyms) expect((await call(onym)).text).toContain("needs a sign-in");
  for (const secret of issuer.given()) for (const onym of onyms) expect(onym.stderr()).not.toContain(secret);
});
