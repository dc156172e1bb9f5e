// What onym audit verify says where what proves the records is gone: the key, the second place, or all records (POL-4).

import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AuditRecord } from "../packages/onym/src/audit/audit-record.js";
import { loadConfig } from "../packages/onym/src/config/load-config.js";
import { findStoreSeal } from "../packages/onym/src/configured/store-seal.js";
import { openStore } from "../packages/onym/src/store/open-store.js";
import { openLibsql } from "../packages/onym/src/store/sqlite/libsql.js";
import { folderWith, runOnym } from "./cli/run-onym.js";

const RECORD: AuditRecord = {
  kind: "intent",
  at: Date.UTC(2026, 0, 2),
  call: "c1",
  caller: "ann",
  profile: "openai",
  sent: "mail_send",
  tool: undefined,
  canonical: undefined,
  rule: undefined,
  decision: "allow",
  definition: undefined,
  argumentsDigest: undefined,
  arguments: undefined,
  outcome: undefined,
  ms: undefined,
};

/** A store with one record, sealed as a gateway does it, with the key and the second place where they are without settings. */
async function sealedFolder(at: number = RECORD.at) {
  const folder = folderWith({ "onym.json": { mcpServers: { mail: { tools: ["send"] } } } });
  const env = { XDG_STATE_HOME: join(folder, "state") };
  const { seal } = findStoreSeal(loadConfig({ file: undefined, env, cwd: folder }), env, "seal");
  if (seal === undefined) throw new Error("no key was made");
  const store = await openStore({ location: "onym.db", folder, seal });
  await store.audit.append([{ ...RECORD, at }]);
  await store.close();
  return {
    folder,
    anchorFile: seal.anchorFile,
    keyFile: join(folder, "state", "onym", "secret.key"),
    verify: (...args: readonly string[]) => runOnym(folder, ["audit", "verify", ...args], { env }),
    audit: (...args: readonly string[]) => runOnym(folder, ["audit", ...args], { env }),
    doctor: () => runOnym(folder, ["doctor"], { env }),
  };
}

type Sealed = Awaited<ReturnType<typeof sealedFolder>>;

describe("onym audit verify", () => {
  it("vouches for a sealed store, and a new one", async () => {
    const { verify } = await sealedFolder();
    expect(verify()).toMatchObject({ code: 0, out: expect.stringContaining("the ends of 1 chain against") });
    const fresh = await sealedFolder(Date.now());
    rmSync(fresh.anchorFile);
    // Too new to stand there yet.
    expect(fresh.verify().code).toBe(0);
  });

  it.each<readonly [string, (sealed: Sealed) => void, RegExp]>([
    [
      "the key is missing",
      ({ keyFile }) => rmSync(keyFile),
      /\(key\)[\s\S]*Hashes only: .*secret\.key is missing/,
    ],
    [
      "the key is emptied",
      ({ keyFile }) => truncateSync(keyFile),
      /\(key\)[\s\S]*Hashes only: .*holds no key/,
    ],
    [
      "the second place is missing",
      ({ anchorFile }) => rmSync(anchorFile),
      /\(outside\).*\.jsonl holds no end/,
    ],
    [
      "the second place is emptied",
      ({ anchorFile }) => truncateSync(anchorFile),
      /\(outside\).*\.jsonl holds no end/,
    ],
    [
      "the second place is a folder",
      ({ anchorFile }) => {
        rmSync(anchorFile);
        mkdirSync(anchorFile);
      },
      /\(outside\).*cannot be read \(no file\)/,
    ],
    [
      "the folder of the second place is a file",
      ({ anchorFile }) => {
        rmSync(join(anchorFile, ".."), { recursive: true });
        writeFileSync(join(anchorFile, ".."), "");
      },
      /\(outside\).*cannot be read \(ENOTDIR\)/,
    ],
  ])("says so and exits with 1 where %s, and doctor tells", async (_, take, said) => {
    const sealed = await sealedFolder();
    take(sealed);
    const { code, out, err } = sealed.verify();
    expect([code, out, err]).toEqual([1, expect.stringMatching(said), ""]);
    expect(out).toMatch(/^✗ Proofs are missing; 1 record in 1 chain in place before that/);
    // To look does not make it whole.
    expect(JSON.parse(sealed.verify("--json").out).broken).toHaveLength(1);
    expect(sealed.doctor().out).toMatch(/x audit/);
  });

  it("accepts a loss where that is said, leaves a record of it, and finds the next one", async () => {
    const { folder, verify, audit, anchorFile } = await sealedFolder();
    const removeAll = async (): Promise<void> => {
      const db = openLibsql(join(folder, "onym.db"), "rw");
      await db.exec("delete from onym_audit; delete from onym_chains");
      db.close();
    };
    await removeAll();
    expect(verify()).toMatchObject({ code: 1, out: expect.stringContaining("onym audit accept-loss") });
    // No terminal, no person.
    expect(audit("accept-loss")).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
    expect(verify().code).toBe(1);
    expect(audit("accept-loss", "--yes")).toMatchObject({
      code: 0,
      out: expect.stringContaining("on record"),
    });
    expect(verify().code).toBe(0);
    const { records } = JSON.parse(audit("tail", "--json").out);
    expect(records).toMatchObject([{ kind: "decision", decision: "loss accepted" }]);
    expect(audit("accept-loss", "--yes").out).toContain("nothing to accept");
    await removeAll();
    expect(verify().code).toBe(1);
    // A line that was not signed as an acceptance is none.
    const heads = readFileSync(anchorFile, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const forged = { ...heads.findLast(({ accepted }) => accepted === undefined), accepted: true };
    appendFileSync(anchorFile, `${JSON.stringify(forged)}\n`);
    expect(verify()).toMatchObject({ code: 1, out: expect.stringContaining("not signed with this key") });
  });

  it("does not call a store empty whose records were deleted", async () => {
    const { folder, verify, doctor } = await sealedFolder();
    const db = openLibsql(join(folder, "onym.db"), "rw");
    await db.exec("delete from onym_audit; delete from onym_chains");
    db.close();
    expect(verify()).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^✗ Records are gone: the store was deleted, or an older copy was put back\. .*\n.*the whole chain is gone/,
      ),
    });
    expect(doctor().out).toMatch(
      /x audit +records are gone: the store was deleted, or an older copy was put back/,
    );
    expect(doctor().out).toContain("onym audit accept-loss");
  });

  it("does not call a store yet to come that was deleted", async () => {
    const { folder, verify, doctor } = await sealedFolder();
    for (const file of readdirSync(folder).filter((name) => name.startsWith("onym.db")))
      rmSync(join(folder, file));
    const said = /onym\.db is gone, with its records and decisions; .*onym audit accept-loss/s;
    expect(verify()).toMatchObject({ code: 1, out: expect.stringMatching(said) });
    expect(doctor().out).toMatch(said);
  });
});
