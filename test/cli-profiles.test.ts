// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

// Profiles at the command line, and what every profile makes of a config.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { crmFolder, json } from "./cli/crm.js";
import { folderWith, runOnym } from "./cli/run-onym.js";
import { projectRoot } from "./project-files.js";

const crm = crmFolder();

describe("onym matrix", () => {
  it("shows the bundled example", () => {
    const { code, out, err } = runOnym(crm, ["matrix", "--demo"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("sf_create_lead_2");
    expect(out).toMatch(/search +github_search +✓ +✗ +✓ +✗ +✗ +✓ +collides/);
    expect(out).toMatch(/\d+ tools, \d+ servers, 6 clients and providers: \d+ of \d+ raw names fail/);
    // In a pipe, too: whoever reads it there has a screen.
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(out).toContain("Long names are cut to fit (…); --json has them in full.");
    expect(runOnym(crm, ["matrix", "-p", "openai"]).out).not.toContain("cut to fit");
    // Names that fit every client are sent by none in a form of its own.
    expect(out).toMatch(
      /^Sent by clients where Onym is onym: claude-code mcp__onym__NAME, vscode mcp_onym_NAME\.$/m,
    );
  });

  it("prints names by client for machines", () => {
    const report = json(
      runOnym(crm, ["matrix", "--profile", "claude-code", "--profile", "openai", "--json"]),
    );
    expect(report.profiles).toEqual(["claude-code", "openai"]);
    expect(report.tools.find(({ raw }: { raw: string }) => raw === "read page")).toEqual({
      canonical: "wiki@1/read page@1",
      server: "wiki",
      raw: "read page",
      names: [
        {
          profile: "claude-code",
          name: "wiki_read_page",
          sent: "mcp__onym__wiki_read_page",
          rawProblem: { code: "spaces", message: expect.any(String) },
        },
        { profile: "openai", name: "wiki_read_page", sent: "wiki_read_page", rawProblem: expect.any(Object) },
      ],
    });
  });
});

describe("onym profiles (RULE-1)", () => {
  it("lists them, and one with its sources", () => {
    const list = runOnym(crm, ["profiles"]);
    expect(list.code).toBe(0);
    expect(list.out).toMatch(/^cursor +client +55 +/m);
    expect(runOnym(crm, ["profiles", "cursor"]).out).toContain("Sources");
    expect(json(runOnym(crm, ["profiles", "cursor", "--json"]))).toMatchObject({
      id: "cursor",
      room: 55,
      sources: expect.any(Array),
    });
    expect(json(runOnym(crm, ["profiles", "--json"])).profiles.length).toBeGreaterThan(93);
  });
});

describe("profiles of the user's own (RULE-7)", () => {
  const acme = { title: "Acme Chat", pattern: "^[a-z_]{1,20}$" };
  const tools = ["get_leads"];
  const own = folderWith({
    "onym.json": { mcpServers: { crm: { tools } }, profiles: { acme, cursor: { maxTools: 7 } } },
  });

  it("are listed with their origin, and told of in full", () => {
    const { out } = runOnym(own, ["profiles"]);
    expect(out).toMatch(/^acme +client +20 .*Acme Chat \(config\)$/m);
    expect(out).toMatch(/^cursor .*\(config, corrects the built-in one\)$/m);
    expect(out).toMatch(/^zed .*Zed$/m);
    expect(runOnym(own, ["profiles", "acme"]).out).toMatch(/origin +config$/m);
    const origins = json(runOnym(own, ["profiles", "--json"])).profiles.map(
      ({ id, origin }: { id: string; origin: string }) => `${id}: ${origin}`,
    );
    expect(origins).toEqual(expect.arrayContaining(["acme: config", "zed: built in"]));
    // Elsewhere they are not known.
    expect(runOnym(crm, ["profiles", "acme"])).toMatchObject({ code: 2 });
    expect(runOnym(crm, ["profiles", "acme", "--config", join(own, "onym.json")]).code).toBe(0);
  });

  it("are taken by every command that takes an id", () => {
    expect(runOnym(own, ["names", "--profile", "acme"]).out).toContain("crm_get_leads");
    expect(runOnym(own, ["matrix", "--profile", "acme", "openai"]).out).toContain("acme");
    expect(runOnym(own, ["lint", "--name", "UPPER", "--profile", "acme"])).toMatchObject({ code: 1 });
    expect(runOnym(own, ["resolve", "crm_get_leads", "--profile", "acme"]).code).toBe(0);
    expect(json(runOnym(own, ["explain", "crm_get_leads", "--json"])).names[0].profiles).toContain("acme");
    expect(runOnym(own, ["names", "--profile", "acne"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("Did you mean"),
    });
  });

  it("are printed by --export as a config writes them, so that they can be corrected there", () => {
    const written = json(runOnym(own, ["profiles", "claude-code", "--export"]));
    expect(written["claude-code"]).toMatchObject({ prefix: "mcp__{server}__", combinedMaxLength: 128 });
    const folder = folderWith({
      "onym.json": { mcpServers: { crm: { tools } }, profiles: "rules.json" },
      "rules.json": written,
    });
    const withoutOrigin = ({ origin: _, ...profile }: Record<string, unknown>) => profile;
    const [ours, theirs] = [folder, crm].map((place) =>
      withoutOrigin(json(runOnym(place, ["profiles", "claude-code", "--json"]))),
    );
    expect(ours).toEqual(theirs);
    expect(json(runOnym(own, ["profiles", "acme", "--export"]))).toEqual({ acme });
    expect(runOnym(own, ["profiles", "--export"]).code).toBe(2);
  });

  it("leave the built-in ones in force where a config that was only found is broken", () => {
    const broken = folderWith({ "onym.json": "{ no JSON" });
    expect(runOnym(broken, ["profiles", "cursor"])).toMatchObject({
      code: 0,
      err: expect.stringContaining("the config here cannot be read"),
    });
    expect(runOnym(broken, ["profiles", "--config", "onym.json"]).code).toBe(2);
  });
});

describe("onym profiles --stale (RULE-6)", () => {
  it("lists what nobody looked at for six months, and nothing that is retired or was run since", () => {
    const { code, out } = runOnym(projectRoot, ["profiles", "--stale", "--json"]);
    expect(code).toBe(0);
    const { profiles } = JSON.parse(out) as {
      profiles: readonly { id: string; asOf: string; retired: boolean }[];
    };
    const oldest = new Date();
    oldest.setUTCMonth(oldest.getUTCMonth() - 6);
    for (const { asOf, retired } of profiles) {
      expect(asOf < oldest.toISOString().slice(0, 10)).toBe(true);
      expect(retired).toBe(false);
    }
    expect(profiles.map(({ id }) => id)).toContain("anthropic-on-bedrock");
    expect(runOnym(projectRoot, ["profiles", "claude-code"]).out).toMatch(
      /as of +2026-11-\d\d, observed in 2\./,
    );
    expect(runOnym(projectRoot, ["profiles", "roo-code"]).out).toContain("no longer offered");
  });
});
