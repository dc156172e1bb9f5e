// The permissions that each client has before it is connected, in its own words: one tool is denied where it can say so, and the
// others are allowed one by one where it would ask.

import { findProfile, sentName } from "../../packages/core/dist/index.js";
import { ALL_TOOLS } from "../nasty-tools.mjs";

/** A plain name, so that every client shows it. */
export const DENIED = ALL_TOOLS.find(({ raw }) => /^[a-z]+_[a-z]+$/.test(raw));

const sentBy = (id, { server, raw }) => sentName(raw, findProfile(id), server);
const isDenied = (tool) => tool === DENIED;

/** The file as the driver writes it, with something added. */
const changed = (files, path, change) => ({ ...files, [path]: change(files[path]) });

/**
 * By client of the lab: the id that `onym connect` knows, the file where it is not the usual one, the files before, whether a
 * deny is among them, and other arguments than the driver has.
 */
export const CONNECTED = {
  "claude-code": {
    client: "claude-code",
    denies: true,
    files: ({ "mcp.json": mcp }) => ({
      ".claude.json": { ...mcp, hasCompletedOnboarding: true },
      ".claude/settings.json": {
        permissions: {
          allow: ALL_TOOLS.filter((tool) => !isDenied(tool)).map((tool) => sentBy("claude-code", tool)),
          deny: [sentBy("claude-code", DENIED)],
        },
      },
    }),
    args: ([...args]) => args.slice(0, args.indexOf("--mcp-config")),
  },
  "gemini-cli": {
    client: "gemini-cli",
    denies: true,
    files: (files) => ({
      ...files,
      ".gemini/policies/mine.toml": `[[rule]]\nmcpName = "${DENIED.server}"\ntoolName = "${DENIED.raw}"\ndecision = "deny"\npriority = 500\n`,
    }),
  },
  "qwen-code": {
    client: "qwen-code",
    denies: true,
    files: (files) =>
      changed(files, ".qwen/settings.json", (settings) => ({
        ...settings,
        permissions: { deny: [`mcp__${DENIED.server}__${DENIED.raw}`] },
      })),
  },
  opencode: {
    client: "opencode",
    file: "work/opencode.json",
    denies: true,
    files: (files) =>
      changed(files, "work/opencode.json", (settings) => ({
        ...settings,
        permission: { ...settings.permission, [sentBy("opencode", DENIED)]: "deny" },
      })),
  },
  kilo: {
    client: "kilo-code",
    file: "work/opencode.json",
    denies: true,
    files: (files) =>
      changed(files, "work/opencode.json", (settings) => ({
        ...settings,
        permission: { ...settings.permission, [sentBy("kilo-code", DENIED)]: "deny" },
      })),
  },
  codex: {
    client: "codex",
    files: (files) =>
      changed(
        files,
        ".codex/config.toml",
        (text) =>
          `# mine\n${text}\n[mcp_servers.${DENIED.server}.tools.${DENIED.raw}]\napproval_mode = "approve"\n`,
      ),
  },
  "copilot-cli": {
    client: "copilot-cli",
    files: (files) => ({
      ...files,
      ".copilot/permissions-config.json": {
        locations: {
          "/elsewhere": {
            tool_approvals: [{ kind: "mcp", serverName: DENIED.server, toolName: DENIED.raw }],
          },
        },
      },
    }),
  },
  "cline-cli": {
    client: "cline",
    files: (files) =>
      changed(files, ".cline/data/settings/cline_mcp_settings.json", ({ mcpServers }) => ({
        mcpServers: {
          ...mcpServers,
          [DENIED.server]: { ...mcpServers[DENIED.server], autoApprove: [DENIED.raw] },
        },
      })),
  },
  "kimi-code": { client: "kimi-code", files: (files) => files },
  goose: { client: "goose", files: (files) => files },
  "continue-cli": { client: "continue", file: "config.yaml", files: (files) => files },
};
