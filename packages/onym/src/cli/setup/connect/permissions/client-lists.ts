// Which client has which permission lists, and in which files: those of the user, and those of a project.

import { EXCLUDED_TOOLS, GEMINI_POLICY } from "./gemini-lists.js";
import type { PermissionForm } from "./own-rule.js";
import {
  CODEX,
  COPILOT,
  CRUSH,
  CURSOR_EDITOR,
  CURSOR_TERMINAL,
  entryList,
  NAME_LISTS,
  OPENCODE,
  TRUSTED_SERVERS,
  VSCODE,
} from "./permission-forms.js";

/** The same list in other files: of the user beside those of a project. */
function inPlaces(form: PermissionForm, ...places: readonly string[]): readonly PermissionForm[] {
  return places.map((place) => ({ ...form, place }));
}

/** By client. Sources: docs/clients.md names the page of each. */
export const PERMISSION_LISTS: ReadonlyMap<string, readonly PermissionForm[]> = new Map([
  [
    "claude-code",
    inPlaces(
      NAME_LISTS,
      "{home}/.claude/settings.json",
      "{project}/.claude/settings.json",
      "{project}/.claude/settings.local.json",
    ),
  ],
  ["codex", [CODEX]],
  [
    "opencode",
    [
      OPENCODE,
      ...inPlaces(
        OPENCODE,
        "{xdg}/opencode/opencode.json",
        "{xdg}/opencode/opencode.jsonc",
        "{project}/opencode.json",
        "{project}/opencode.jsonc",
      ),
    ],
  ],
  [
    "kilo-code",
    [
      OPENCODE,
      ...inPlaces(
        OPENCODE,
        "{xdg}/kilo/kilo.jsonc",
        "{xdg}/kilo/kilo.json",
        "{project}/.kilo/kilo.jsonc",
        "{project}/kilo.jsonc",
      ),
    ],
  ],
  [
    "gemini-cli",
    [
      TRUSTED_SERVERS,
      GEMINI_POLICY,
      ...inPlaces(GEMINI_POLICY, "{project}/.gemini/policies/*.toml"),
      EXCLUDED_TOOLS,
      ...inPlaces(EXCLUDED_TOOLS, "{home}/.gemini/settings.json", "{project}/.gemini/settings.json"),
    ],
  ],
  [
    "qwen-code",
    [
      TRUSTED_SERVERS,
      NAME_LISTS,
      ...inPlaces(NAME_LISTS, "{home}/.qwen/settings.json", "{project}/.qwen/settings.json"),
      EXCLUDED_TOOLS,
      ...inPlaces(EXCLUDED_TOOLS, "{home}/.qwen/settings.json", "{project}/.qwen/settings.json"),
    ],
  ],
  ["copilot-cli", [COPILOT]],
  ["vscode", [VSCODE, ...inPlaces(VSCODE, "{project}/.vscode/settings.json")]],
  ["cursor", [CURSOR_EDITOR, CURSOR_TERMINAL, ...inPlaces(CURSOR_TERMINAL, "{project}/.cursor/cli.json")]],
  ["crush", [CRUSH, ...inPlaces(CRUSH, "{xdg}/crush/crush.json", "{project}/crush.json")]],
  ["cline", [entryList("autoApprove")]],
  ["kiro", [entryList("autoApprove")]],
  ["amazon-q-cli", [entryList("autoApprove")]],
  ["roo-code", [entryList("alwaysAllow")]],
]);
