// The permission lists of clients: how they are read and written. Whose they are, and where else they stand, is in client-lists.ts.

import type { Edit } from "../../../../documents/edit.js";
import { memberOf, valueAt } from "../../../../documents/edit-document.js";
import { type Change, type Effect, type OwnRule, type PermissionForm, textsIn } from "./own-rule.js";

const LIST_EFFECTS = ["allow", "ask", "deny"] as const;

/** Lists of names, one for each effect, as Claude Code has them: `mcp__github__search`, `mcp__github`, `mcp__github__*`. */
export const NAME_LISTS: PermissionForm = {
  format: "json",
  lists: LIST_EFFECTS.map((effect) => ["permissions", effect]),
  holds: ["allow", "ask"],
  read: (value) =>
    LIST_EFFECTS.flatMap((effect) =>
      textsIn(valueAt(value, ["permissions", effect]))
        .filter((text) => text.startsWith("mcp__") && !text.includes("("))
        .map((text): OwnRule => ({ effect, text, target: { kind: "name", pattern: wholeServer(text) } })),
    ),
  // Held against the source of Qwen Code (2026-08-22) and the documentation of Claude Code: an MCP tool has no conditions there.
  notes: (value, servers) =>
    LIST_EFFECTS.flatMap((effect) =>
      textsIn(valueAt(value, ["permissions", effect])).flatMap((text) =>
        text.includes("(") && isOfServers(text, servers)
          ? [
              `${effect} ${text}: the client takes no parentheses after the name of an MCP tool, and ignores it`,
            ]
          : [],
      ),
    ),
  edits: (value, changes) =>
    LIST_EFFECTS.flatMap((effect) =>
      listEdit(
        value,
        ["permissions", effect],
        changes.filter(({ rule }) => rule.effect === effect),
        ({ sent }) => sent,
      ),
    ),
};

function isOfServers(text: string, servers: ReadonlyMap<string, unknown>): boolean {
  const name = text.slice(0, text.indexOf("("));
  return [...servers.keys()].some((id) => {
    const whole = `mcp__${id.replace(/[^A-Za-z0-9_-]/g, "_")}`;
    return name === whole || name.startsWith(`${whole}__`);
  });
}

/** A server without a tool means all of its tools. */
export function wholeServer(text: string): string {
  return text.indexOf("__", "mcp__".length) < 0 ? `${text}__*` : text;
}

/** The list without what goes on under another name, and with that name. */
function listEdit(
  value: unknown,
  path: readonly string[],
  changes: readonly Change[],
  write: (change: Change) => string,
): readonly Edit[] {
  if (changes.length === 0) return [];
  const gone = new Set(changes.map(({ rule }) => rule.text));
  const kept = textsIn(valueAt(value, path)).filter((text) => !gone.has(text));
  const added = new Set(changes.map(write).filter((text) => !kept.includes(text)));
  return [{ path, value: [...kept, ...added] }];
}

/** `server:tool` with `*` on either side. */
function pairRule(effect: Effect, text: string, pair: string): readonly OwnRule[] {
  const at = pair.indexOf(":");
  if (at < 1) return [];
  const tool = pair.slice(at + 1);
  return [
    {
      effect,
      text,
      target: { kind: "tool", server: pair.slice(0, at), tool: tool === "*" ? undefined : tool },
    },
  ];
}

export const CURSOR_EDITOR: PermissionForm = {
  place: "{home}/.cursor/permissions.json",
  format: "json",
  holds: ["allow"],
  read: (value) => textsIn(memberOf(value, "mcpAllowlist")).flatMap((text) => pairRule("allow", text, text)),
  edits: (value, changes, alias) =>
    listEdit(value, ["mcpAllowlist"], changes, ({ name }) => `${alias}:${name}`),
};

const MCP_TOKEN = /^Mcp\((.*)\)$/;

export const CURSOR_TERMINAL: PermissionForm = {
  place: "{home}/.cursor/cli-config.json",
  format: "json",
  lists: [
    ["permissions", "allow"],
    ["permissions", "deny"],
  ],
  holds: ["allow"],
  read: (value) =>
    (["allow", "deny"] as const).flatMap((effect) =>
      textsIn(valueAt(value, ["permissions", effect])).flatMap((text) =>
        pairRule(effect, text, MCP_TOKEN.exec(text)?.[1] ?? ""),
      ),
    ),
  edits: (value, changes, alias) =>
    listEdit(value, ["permissions", "allow"], changes, ({ name }) => `Mcp(${alias}:${name})`),
};

const MODES: ReadonlyMap<unknown, Effect> = new Map([
  ["approve", "allow"],
  ["prompt", "ask"],
]);

/** In the entries themselves: for all tools of a server, and for one of them. */
export const CODEX: PermissionForm = {
  format: "toml",
  holds: ["allow", "ask"],
  read: (_, servers) =>
    [...servers].flatMap(([server, entry]) => {
      const all = MODES.get(memberOf(entry, "default_tools_approval_mode"));
      const each = Object.entries(Object(memberOf(entry, "tools"))).flatMap(
        ([tool, settings]): readonly OwnRule[] => {
          const effect = MODES.get(memberOf(settings, "approval_mode"));
          const text = `${server}.tools.${tool}.approval_mode`;
          return effect === undefined ? [] : [{ effect, text, target: { kind: "tool", server, tool } }];
        },
      );
      if (all === undefined) return each;
      const text = `${server}.default_tools_approval_mode`;
      return [{ effect: all, text, target: { kind: "tool", server, tool: undefined } }, ...each];
    }),
  entry: (changes) => ({
    tools: Object.fromEntries(
      changes.map(({ rule, name }) => [
        name,
        { approval_mode: rule.effect === "allow" ? "approve" : "prompt" },
      ]),
    ),
  }),
};

/** A list of tools in each server's entry that run without a question. */
export function entryList(key: "autoApprove" | "alwaysAllow"): PermissionForm {
  return {
    format: "json",
    holds: ["allow"],
    read: (_, servers) =>
      [...servers].flatMap(([server, entry]) =>
        textsIn(memberOf(entry, key)).map(
          (tool): OwnRule => ({
            effect: "allow",
            text: `${server}.${key}: ${tool}`,
            target: { kind: "tool", server, tool: tool === "*" ? undefined : tool },
          }),
        ),
      ),
    entry: (changes) => ({ [key]: changes.map(({ name }) => name) }),
  };
}

/** Servers that are trusted as a whole. */
export const TRUSTED_SERVERS: PermissionForm = {
  format: "json",
  holds: [],
  read: (_, servers) =>
    [...servers].flatMap(([server, entry]) =>
      memberOf(entry, "trust") === true
        ? [{ effect: "allow", text: `${server}.trust`, target: { kind: "tool", server, tool: undefined } }]
        : [],
    ),
};

const EFFECTS: ReadonlyMap<unknown, Effect> = new Map([
  ["allow", "allow"],
  ["ask", "ask"],
  ["deny", "deny"],
]);

/** Names with wildcards → what holds for them; the last that matches counts. `tools` is the older form. */
export const OPENCODE: PermissionForm = {
  format: "json",
  holds: ["allow", "ask"],
  read: (value) => [
    ...openCodeRules(value),
    // Held against its source (2026-08-19): an agent has lists of its own; `mode` is the older name.
    ...["agent", "mode"].flatMap((key) =>
      Object.entries(Object(memberOf(value, key))).flatMap(([agent, settings]) =>
        openCodeRules(settings).flatMap((rule): readonly OwnRule[] =>
          rule.effect === "allow" ? [] : [{ ...rule, within: `${key}.${agent}` }],
        ),
      ),
    ),
  ],
  edits: (_, changes) => [
    ...changes.map(({ rule }) => ({ path: ["permission", rule.text] })),
    ...changes.map(({ rule, sent }) => ({ path: ["permission", sent], value: rule.effect })),
  ],
};

function openCodeRules(value: unknown): readonly OwnRule[] {
  return [
    ...Object.entries(Object(memberOf(value, "tools"))).flatMap(([pattern, isOn]): readonly OwnRule[] =>
      isOn === false ? [{ effect: "deny", text: `tools.${pattern}`, target: { kind: "name", pattern } }] : [],
    ),
    ...Object.entries(Object(memberOf(value, "permission"))).flatMap(
      ([pattern, given]): readonly OwnRule[] => {
        // By input, where it is an object: MCP tools have none there, and only `*` is ever about them.
        const effect = EFFECTS.get(typeof given === "string" ? given : memberOf(given, "*"));
        // What is said of every tool holds for those of Onym, too.
        if (effect === undefined || /^\**$/.test(pattern)) return [];
        return [{ effect, text: pattern, target: { kind: "name", pattern } }];
      },
    ),
  ];
}

/** Approvals by place; `null` for a tool means all of a server. */
export const COPILOT: PermissionForm = {
  place: "{copilot}/permissions-config.json",
  format: "json",
  holds: ["allow"],
  read: (value) =>
    Object.entries(Object(memberOf(value, "locations"))).flatMap(([location, settings]) =>
      approvalsIn(settings).flatMap((approval): readonly OwnRule[] => {
        const server = memberOf(approval, "serverName");
        const tool = memberOf(approval, "toolName");
        if (memberOf(approval, "kind") !== "mcp" || typeof server !== "string") return [];
        const named = typeof tool === "string" ? tool : undefined;
        return [
          {
            effect: "allow",
            text: copilotText(location, server, named),
            target: { kind: "tool", server, tool: named },
          },
        ];
      }),
    ),
  edits: (value, changes, alias) =>
    Object.entries(Object(memberOf(value, "locations"))).flatMap(([location, settings]) => {
      const approvals = approvalsIn(settings);
      const replaced = approvals.map((approval) => {
        const text = copilotText(
          location,
          String(memberOf(approval, "serverName")),
          String(memberOf(approval, "toolName")),
        );
        const change = changes.find(({ rule }) => rule.text === text);
        return change === undefined ? approval : { kind: "mcp", serverName: alias, toolName: change.name };
      });
      const isChanged = replaced.some((approval, index) => approval !== approvals[index]);
      return isChanged ? [{ path: ["locations", location, "tool_approvals"], value: replaced }] : [];
    }),
};

function approvalsIn(settings: unknown): readonly unknown[] {
  const list = memberOf(settings, "tool_approvals");
  return Array.isArray(list) ? list : [];
}

function copilotText(location: string, server: string, tool: string | undefined): string {
  return `${server}(${tool ?? "*"}) in ${location}`;
}

/** Tools that are asked about each time, whatever else was approved. */
export const VSCODE: PermissionForm = {
  place: "{appData}/Code/User/settings.json",
  format: "json",
  holds: ["ask"],
  read: (value) =>
    Object.entries(Object(memberOf(value, ELIGIBLE))).flatMap(([pattern, isEligible]): readonly OwnRule[] =>
      isEligible === false ? [{ effect: "ask", text: pattern, target: { kind: "name", pattern } }] : [],
    ),
  edits: (_, changes) => [
    ...changes.map(({ rule }) => ({ path: [ELIGIBLE, rule.text] })),
    ...changes.map(({ sent }) => ({ path: [ELIGIBLE, sent], value: false })),
  ],
};

const ELIGIBLE = "chat.tools.eligibleForAutoApproval";

/** Names that run without a question. */
export const CRUSH: PermissionForm = {
  format: "json",
  holds: ["allow"],
  read: (value) =>
    textsIn(valueAt(value, ["permissions", "allowed_tools"])).map((pattern) => ({
      effect: "allow",
      text: pattern,
      target: { kind: "name", pattern },
    })),
  edits: (value, changes) => listEdit(value, ["permissions", "allowed_tools"], changes, ({ sent }) => sent),
};
