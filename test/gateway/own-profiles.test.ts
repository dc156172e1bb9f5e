// Profiles that users write themselves (RULE-7), in a running Onym: by endpoint, by token, detected, and changed under way.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ONYM_BIN, onymEnvironment, type RunningOnym, startOnym } from "./harness.js";
import { connectV2, type HttpSetup } from "./harness-clients.js";
import { hearListChanges } from "./harness-heard.js";
import { reloadConfig } from "./harness-reload.js";

const folders: string[] = [];
let running: RunningOnym | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const mcpServers = { crm: { tools: ["get_leads", "list_everything_that_is_in_the_whole_crm"] } };
const ACME = {
  pattern: "^[a-z_]{1,16}$",
  clientInfoNames: ["acme-chat", "acme-for-{server}"],
};
const FULL = ["crm_get_leads", "crm_list_everything_that_is_in_the_whole_crm"];

async function namesFor(setup: Omit<HttpSetup, "url">, onym: RunningOnym): Promise<readonly string[]> {
  const client = await connectV2({ url: onym.url, ...setup });
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

const isShort = (names: readonly string[]): boolean =>
  names.length === 2 && names.every((name) => /^[a-z_2-7]{1,16}$/.test(name));

describe("profiles in the config (RULE-7)", () => {
  it("name tools by endpoint, by token, for everybody, and for clients that announce themselves", async () => {
    const token = spawnSync(process.execPath, [ONYM_BIN, "token", "t", "--json"], {
      encoding: "utf8",
      env: onymEnvironment("/", {}),
    });
    const made = JSON.parse(token.stdout) as { token: string; config: object };
    const acme = { ...ACME, pattern: "^[a-z_0-9]{1,16}$" };
    const config = { mcpServers, profiles: { "acme-chat": acme } };
    running = await startOnym({ config });
    expect(await namesFor({ profile: "acme-chat" }, running)).toSatisfy(isShort);
    expect(await namesFor({ clientName: "Acme-Chat" }, running)).toSatisfy(isShort);
    expect(await namesFor({ clientName: "acme-for-tools" }, running)).toSatisfy(isShort);
    expect(await namesFor({ clientName: "somebody" }, running)).toEqual(FULL);

    await reloadConfig(running, { ...config, naming: { profile: "acme-chat" } });
    expect(await namesFor({ clientName: "somebody" }, running)).toSatisfy(isShort);

    await running.stop();
    running = await startOnym({
      config: { ...config, auth: { tokens: [{ ...made.config, profile: "acme-chat" }] } },
    });
    const headers = { authorization: `Bearer ${made.token}` };
    expect(await namesFor({ clientName: "somebody", headers }, running)).toSatisfy(isShort);
  });

  it("are taken up when the config or their file changes, by sessions too, and move no name in the lock", async () => {
    const dir = mkdtempSync(join(tmpdir(), "onym-own-profiles-"));
    folders.push(dir);
    writeFileSync(join(dir, "rules.json"), "{}");
    running = await startOnym({ config: { mcpServers, profiles: "rules.json" }, dir });
    const onym = running;
    const client = await connectV2({ url: onym.url, profile: "cursor", era: "legacy" });
    const heard = hearListChanges(client);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(FULL);

    // A row that is corrected: what was given out stays, what comes later keeps to it.
    writeFileSync(join(onym.dir, "rules.json"), JSON.stringify({ cursor: { combinedMaxLength: 30 } }));
    await onym.said(/config in force: other settings changed/);
    expect(await names()).toEqual(FULL);
    const more = { crm: { tools: [...mcpServers.crm.tools, "delete_everything_that_is_in_the_crm"] } };
    await reloadConfig(onym, { mcpServers: more, profiles: "rules.json" });
    await heard.reach(1);
    const [later] = (await names()).filter((name) => !FULL.includes(name));
    expect(later).toMatch(/^.{10,26}$/);
    expect(await names()).toEqual(expect.arrayContaining(FULL));
    const lock = readFileSync(join(onym.dir, "onym.lock"), "utf8");
    expect(lock).toContain(FULL[1]);

    // A mistake changes nothing.
    writeFileSync(join(onym.dir, "rules.json"), JSON.stringify({ cursor: { combinedMaxLength: "x" } }));
    await onym.said(/the new config is not used[\s\S]*rules\.json/);
    expect(await names()).toContain(later);
    await client.close();
  });
});
