// The official conformance suite for clients that sign in, against `onym login` and a gateway, as a person uses them.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../project-files.js";
import { findSuiteNode, runSuite } from "./run-conformance.js";

const CLIENT = join(projectRoot, "test/conformance/sign-in-client.mjs");

const PASSED = [
  "2025-03-26-oauth-metadata-backcompat",
  "metadata-default",
  "metadata-var1",
  "metadata-var2",
  "metadata-var3",
  "scope-from-www-authenticate",
  "scope-from-scopes-supported",
  "scope-omitted-when-undefined",
  "scope-step-up",
  "scope-retry-limit",
  "token-endpoint-auth-basic",
  "token-endpoint-auth-post",
  "token-endpoint-auth-none",
  "pre-registration",
  "resource-mismatch",
  "offline-access-scope",
  "offline-access-not-supported",
  "authorization-server-migration",
  "iss-supported",
  "iss-not-advertised",
  "iss-supported-missing",
  "iss-wrong-issuer",
  "iss-unexpected",
  "iss-normalized",
  "metadata-issuer-mismatch",
  "client-credentials-basic",
];

/** Onym has no page of its own that a client id could be the address of; one in the config is used. */
const WARNED = new Map([["basic-cimd", ["cimd-client-id-used"]]]);

/** Each takes seconds: the usual run sees one of each kind, `npm run conformance` all. */
const USUAL = [
  "metadata-default",
  "scope-step-up",
  "token-endpoint-auth-none",
  "resource-mismatch",
  "iss-wrong-issuer",
  "client-credentials-basic",
];
const scenarios = process.env["ONYM_CONFORMANCE"] === "all" ? [...PASSED, ...WARNED.keys()] : USUAL;

const found = findSuiteNode();

describe.skipIf(found === undefined)("signing in, by the official conformance suite", () => {
  it.each(scenarios)("does as a client must in %s", async (scenario) => {
    const folder = mkdtempSync(join(tmpdir(), "onym-conformance-"));
    const node = found ?? "";
    const args = ["client", "--command", `${node} ${CLIENT}`, "--scenario", `auth/${scenario}`, "-o", folder];
    const output = await runSuite(node, [...args, "--timeout", "90000"], { ONYM_NODE: process.execPath });
    const checks = readdirSync(join(folder, "auth"))
      .map((name) => join(folder, "auth", name, "checks.json"))
      .filter((path) => existsSync(path))
      .flatMap((path) => JSON.parse(readFileSync(path, "utf8")) as { id: string; status: string }[]);
    rmSync(folder, { recursive: true, force: true });
    const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
    expect([...new Set(failed.map(({ id }) => id))], output).toEqual(WARNED.get(scenario) ?? []);
    expect(checks.filter(({ status }) => status === "SUCCESS").length, output).toBeGreaterThan(1);
  });
});
