import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { readConfig } from "../../../../config/read-config.js";
import { checkClients } from "./check-clients.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const SERVED = { files: { command: "files" }, docs: { url: "https://d.example/mcp" } };
const ONYM = { command: "npx", args: ["-y", "onym", "serve", "--stdio"] };

/** What is warned of, with these servers of Cursor in `home` or `project`. */
function warningsWith(where: "home" | "project", mcpServers: object): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "onym-registration-"));
  folders.push(folder);
  const [HOME, project] = [join(folder, "home"), join(folder, "project")];
  const file = join(folder, where, ".cursor/mcp.json");
  mkdirSync(dirname(file), { recursive: true });
  mkdirSync(project, { recursive: true });
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const text = JSON.stringify({ mcpServers: SERVED });
  writeFileSync(join(project, "onym.json"), text);
  const readText = () => ({ reason: "not here", isMissing: true }) as const;
  const config = readConfig(text, {
    file: "onym.json",
    folder: project,
    isClientFile: false,
    env: {},
    readText,
  });
  return checkClients({ platform: "linux", env: { HOME }, project }, config).flatMap(({ status, message }) =>
    status === "warning" ? [message] : [],
  );
}

describe("a client in which Onym is registered", () => {
  it("is fine with Onym alone", () => {
    expect(warningsWith("project", { onym: ONYM })).toEqual([]);
  });

  it("is said to start servers itself that Onym does not have, unless they are disabled", () => {
    const found = warningsWith("project", {
      onym: ONYM,
      other: { command: "other" },
      off: { command: "off", disabled: true },
    });
    expect(found).toEqual([expect.stringMatching(/starts these servers itself.*: other$/)]);
  });

  it("is said to have servers that cannot start, because a file is not there", () => {
    const found = warningsWith("home", {
      onym: { ...ONYM, args: [...ONYM.args, "--config", fileURLToPath(import.meta.url)] },
      script: { command: "node", args: ["--no-warnings", "/nowhere/server.mjs"] },
      program: { command: "/nowhere/bin/server" },
      fine: { command: process.execPath, args: [fileURLToPath(import.meta.url), "/nowhere/data.json"] },
    });
    expect(found).toEqual([
      expect.stringMatching(/starts these servers itself.*: fine$/),
      "cannot start its own server script: there is no /nowhere/server.mjs",
      "cannot start its own server program: there is no /nowhere/bin/server",
    ]);
  });

  it("has tools twice where it has servers of Onym's config, by launch or by id", () => {
    const found = warningsWith("project", {
      onym: ONYM,
      "my docs": { url: "https://d.example/mcp" },
      files: { command: "npx", args: ["files"] },
      off: { command: "files", disabled: true },
    });
    expect(found).toEqual([expect.stringContaining("tools twice: my docs, files")]);
  });

  it("must say where the config is, unless it starts Onym in the project", () => {
    expect(warningsWith("home", { onym: ONYM })).toEqual([expect.stringContaining("without --config")]);
    const told = (file: string) => ({ ...ONYM, args: [...ONYM.args, "--config", file] });
    expect(warningsWith("home", { onym: told(fileURLToPath(import.meta.url)) })).toEqual([]);
    expect(warningsWith("home", { onym: told("/x/onym.json") })).toEqual([
      "onym is started with /x/onym.json, which does not exist",
    ]);
    expect(warningsWith("home", { onym: { url: "http://127.0.0.1:6696/mcp" } })).toEqual([]);
  });
});
