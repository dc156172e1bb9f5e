import { findProfile } from "@onym/core";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { startsOnym } from "../config/files/onym-entry.js";
import { homeOf } from "../config/files/user-folders.js";
import { waysToRegister } from "./client.js";
import { type Machine, resolvePlace } from "./client-paths.js";
import { CLIENTS, clientOf } from "./find-client.js";
import { gatewayAddress } from "./gateway-address.js";
import { readClientFile } from "./read-client-file.js";

const ADDRESS = { alias: "my tools", config: "/etc/onym.json", platform: "linux" } as const;

describe("the clients", () => {
  it("have a profile each, and an id of their own", () => {
    const ids = CLIENTS.map(({ id }) => id);
    const profiles = CLIENTS.map(({ id, profile }) => profile ?? id);
    expect(profiles.filter((id) => findProfile(id) === undefined)).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("are found by what people call them, and near misses are named", () => {
    expect(clientOf("Claude-Code").id).toBe("claude-code");
    expect(() => clientOf("Claude")).toThrow(
      expect.objectContaining({
        hint: "Did you mean claude-ai or claude-code or claude-desktop? onym init --client lists all clients.",
      }),
    );
    expect(() => clientOf("curser")).toThrow('There is no client "curser".');
    // Where nothing is near, those that can be connected are named, and no others.
    const none = expect.objectContaining({
      hint: expect.stringMatching(
        /^These can be connected: (?!.*(?:claude-ai|roo-code)).*claude-code, .*cursor/,
      ),
    });
    expect(() => clientOf("qqqqqqqq")).toThrow(none);
  });

  it.each(CLIENTS.map((client) => [client.id, client] as const))(
    "%s: what is registered can be read back, and is known to be Onym",
    (id, client) => {
      const ways = waysToRegister(client, gatewayAddress({ client: id, ...ADDRESS }));
      expect(ways.length).toBeGreaterThan(0);
      const [at] = client.files;
      for (const way of ways.filter(({ kind }) => kind === "write")) {
        if (at === undefined) throw new Error("no file");
        const read = readClientFile(way.text, { format: at.format, at });
        const [server] = ("servers" in read && read.servers) || [];
        expect(server?.id).toBe("my tools");
        if (server === undefined || "reason" in server.carried) throw new Error("not read");
        const { entry } = server.carried;
        if (way.transport === "stdio") {
          expect([entry.command, ...(entry.args ?? [])].slice(-2)).toEqual(["--as", "my tools"]);
          expect(startsOnym(server.id, entry)).toBe(true);
        } else expect(JSON.stringify(entry)).toContain(`/mcp/${id}?as=my%20tools`);
      }
    },
  );

  it("quote what a shell or TOML would take apart", () => {
    const ways = waysToRegister(clientOf("codex"), gatewayAddress({ client: "codex", ...ADDRESS }));
    expect(ways[0]?.text).toBe(
      "codex mcp add 'my tools' -- npx -y onym serve --stdio --config /etc/onym.json --as 'my tools'",
    );
    expect(parseToml(ways[2]?.text ?? "")).toHaveProperty(["mcp_servers", "my tools", "command"], "npx");
    const code = waysToRegister(clientOf("vscode"), gatewayAddress({ client: "vscode", ...ADDRESS }))[0]
      ?.text;
    expect(JSON.parse(/'(.*)'$/.exec(code ?? "")?.[1] ?? "")).toMatchObject({
      name: "my tools",
      command: "npx",
    });
  });

  it("start scripts through cmd on Windows", () => {
    const { command, args } = gatewayAddress({ client: "cursor", ...ADDRESS, platform: "win32" });
    expect([command, ...args].slice(0, 4)).toEqual(["cmd", "/c", "npx", "-y"]);
  });
});

describe("the table", () => {
  it.each(CLIENTS.map((client) => [client.id, client] as const))(
    "says of %s where it is written down, and when it was read there if it was",
    (_, client) => {
      expect(URL.canParse(client.source)).toBe(true);
      expect(client.checked ?? "2026-11-17").toMatch(/^2026-\d\d-\d\d$/);
      expect(client.files.length > 0 || client.otherWays !== undefined).toBe(true);
    },
  );
});

describe("where clients keep their files", () => {
  const linux: Machine = { platform: "linux", env: { HOME: "/home/me" }, project: "/work" };
  const mac: Machine = { ...linux, platform: "darwin", env: { HOME: "/Users/me" } };
  const windows: Machine = {
    platform: "win32",
    env: { USERPROFILE: "C:\\Users\\me", APPDATA: "C:\\Users\\me\\AppData\\Roaming" },
    project: "C:\\work",
  };

  it.each([
    [linux, "{appData}/Claude/x.json", "/home/me/.config/Claude/x.json"],
    [mac, "{appData}/Claude/x.json", "/Users/me/Library/Application Support/Claude/x.json"],
    [windows, "{appData}/Claude/x.json", "C:\\Users\\me\\AppData\\Roaming\\Claude\\x.json"],
    [mac, "{config}/zed/settings.json", "/Users/me/.config/zed/settings.json"],
    [windows, "{home}/.cursor/mcp.json", "C:\\Users\\me\\.cursor\\mcp.json"],
    [windows, "{project}/.vscode/mcp.json", "C:\\work\\.vscode\\mcp.json"],
    [{ ...linux, env: { HOME: "/h", XDG_CONFIG_HOME: "/x" } }, "{appData}/Code/y", "/x/Code/y"],
    [{ ...linux, env: { HOME: "/h", CODEX_HOME: "/c" } }, "{codex}/config.toml", "/c/config.toml"],
  ])("%o %s", (machine, place, path) => {
    expect(resolvePlace(place, machine)).toBe(path);
  });

  it("takes the home that the environment names", () => {
    expect(homeOf(linux)).toBe("/home/me");
    expect(homeOf({ platform: "linux", env: { HOME: "" } })).not.toBe("");
  });
});

describe("Onym itself", () => {
  it.each([
    ["onym", { command: "onym", args: ["serve"] }],
    ["x", { command: "/usr/local/bin/onym" }],
    ["x", { command: "npx", args: ["-y", "onym@latest", "serve"] }],
    ["x", { command: "C:\\nodejs\\npx.cmd", args: ["onym"] }],
    ["x", { command: "cmd", args: ["/c", "npx", "-y", "onym"] }],
    ["x", { command: "node", args: ["/a/node_modules/onym/dist/bin.js"] }],
    ["onym", { url: "http://127.0.0.1:6696/mcp" }],
    ["onym", { command: "npx", args: ["-y", "mcp-remote", "http://localhost:6696/mcp"] }],
  ])("is %s %j", (id, entry) => {
    expect(startsOnym(id, entry)).toBe(true);
  });

  it.each([
    ["files", { command: "npx", args: ["-y", "@x/filesystem", "/home/me/onym", "onym"] }],
    ["onym", { url: "https://onym.example/mcp" }],
    ["x", { command: "onymous" }],
    ["x", { command: "npx", args: ["-y", "onym-fork"] }],
    ["notes", { url: "http://127.0.0.1:3000/mcp" }],
  ])("is not %s %j", (id, entry) => {
    expect(startsOnym(id, entry)).toBe(false);
  });
});
