import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readConfig } from "../read-config.js";
import { loadLaunches } from "./load-launches.js";

const top = mkdtempSync(join(tmpdir(), "onym-nested-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));
for (const folder of ["home", "project", "a/b/c", "d"]) mkdirSync(join(top, folder), { recursive: true });
symlinkSync("a/b", join(top, "link"));
const at = (path: string) => join(top, path);

function kindsOf(mcpServers: Readonly<Record<string, object>>) {
  const env = { HOME: at("home") };
  const folder = at("project");
  const config = readConfig(
    JSON.stringify({
      mcpServers: Object.fromEntries(
        Object.entries(mcpServers).map(([id, entry]) => [id, { command: "x", ...entry }]),
      ),
    }),
    {
      ...{ file: join(folder, "onym.json"), folder, env, isClientFile: false },
      readText: () => ({ reason: "there is no such file" }),
    },
  );
  return Object.fromEntries(
    Array.from(loadLaunches(config, env), ([{ source }, { kind }]) => [source.server, kind]),
  );
}

describe("isolated servers whose folders lie in each other (SAFE-7)", () => {
  const bubblewrap = (cwd: string) => ({ isolation: "bubblewrap", cwd: at(cwd) });
  const prefix = (cwd: string) => ({ isolation: ["sudo", "--"], cwd: at(cwd) });

  it.each<[string, object, object, string]>([
    ["in that of another", bubblewrap("a"), bubblewrap("a/b"), "unusable"],
    ["deep in it", bubblewrap("a"), bubblewrap("a/b/c"), "unusable"],
    ["in it by a link", bubblewrap("a"), bubblewrap("link"), "unusable"],
    ["missing in it", bubblewrap("a"), bubblewrap("a/new/one"), "unusable"],
    ["in that of one with a prefix", prefix("a"), bubblewrap("a/b"), "unusable"],
    ["beside it", bubblewrap("a"), bubblewrap("d"), "stdio"],
    ["the same one", bubblewrap("a"), bubblewrap("a"), "stdio"],
    ["the same one by a link", bubblewrap("a/b"), bubblewrap("link"), "stdio"],
    ["in that of one without isolation", { cwd: at("a") }, bubblewrap("a/b"), "stdio"],
  ])("one that starts %s", (_, outer, inner, expected) => {
    expect(kindsOf({ outer, inner })).toEqual({ outer: "stdio", inner: expected });
    expect(kindsOf({ inner, outer })).toEqual({ outer: "stdio", inner: expected });
  });
});
