// The permission lists of a client: read from wherever it keeps them, and held against the tools that its servers have behind Onym.

import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Tool } from "@onym/core";
import { homeOf } from "../../../config/files/user-folders.js";
import { OnymError } from "../../../model/onym-error.js";
import { showPath } from "../../output/wording.js";
import type { Terminal } from "../../terminal.js";
import { type Machine, resolvePlace } from "../clients/client-paths.js";
import { readDocument } from "../edit/edit-document.js";
import { readFileBytes } from "../replace-file.js";
import type { OpenedClient } from "./open-client.js";
import type { OwnRule, PermissionForm } from "./permissions/own-rule.js";
import { PERMISSION_FORMS } from "./permissions/permission-forms.js";
import { type CarryPlan, type MovedServer, planCarry } from "./permissions/plan-carry.js";
import type { Moved } from "./plan-move.js";
import { type BehindInput, loadBehind } from "./tools-behind.js";

export const NOTHING_CARRIED: CarryPlan = { policy: [], changes: new Map(), carried: [], left: [] };

interface FoundRule {
  readonly form: PermissionForm;
  readonly rule: OwnRule;
}

export function readRules(
  opened: OpenedClient,
  moved: readonly Moved[],
  machine: Machine,
): readonly FoundRule[] {
  const entries = new Map(moved.map(({ server }) => [server.id, server.raw]));
  return formsOf(opened).flatMap((form) =>
    sourcesOf(form, opened, machine).flatMap((value) =>
      form.read(value, entries).map((rule) => ({ form, rule })),
    ),
  );
}

export function formsOf({ client }: OpenedClient): readonly PermissionForm[] {
  return PERMISSION_FORMS.get(client.id) ?? [];
}

/** The values of the files that a form is read from. One that cannot be read is not passed over: a deny may stand in it. */
function sourcesOf(form: PermissionForm, opened: OpenedClient, machine: Machine): readonly unknown[] {
  if (form.place === undefined) return [opened.value];
  return placesOf(form.place, machine).flatMap((file) => {
    const read = readFileBytes(file);
    if (read.kind === "missing") return [];
    const parsed =
      read.kind === "bytes"
        ? readDocument(read.text, form.format)
        : { ok: false as const, reason: read.reason };
    if (parsed.ok) return [parsed.value];
    throw new OnymError(
      "client-unreadable",
      `${showPath(file, machine.project, homeOf(machine))} of ${opened.client.title} cannot be read: ${parsed.reason}.`,
      "Its permissions could not be carried over. Correct it by hand; nothing was changed.",
    );
  });
}

function placesOf(place: string, machine: Machine): readonly string[] {
  const file = resolvePlace(place, machine);
  if (!place.endsWith("/*.toml")) return [file];
  try {
    const folder = dirname(file);
    return readdirSync(folder)
      .filter((name) => name.endsWith(".toml"))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

export async function planRules(
  { rules, ...input }: BehindInput & { readonly rules: readonly FoundRule[] },
  terminal: Terminal,
): Promise<CarryPlan> {
  if (rules.length === 0) return NOTHING_CARRIED;
  const { opened, alias, moving } = input;
  const behind = await loadBehind(input, terminal);
  if (behind === undefined) return NOTHING_CARRIED;
  const { profile, snapshot, asked, nameOf } = behind;
  const toolsOf = (id: string): readonly Tool[] | undefined => {
    const answer = asked.find(({ server }) => server.source.server === id);
    const isKnown = answer === undefined || answer.state.kind === "ready";
    const tools = snapshot.catalog.tools.filter(
      ({ server, toolbox }) => server === id && toolbox === undefined,
    );
    return isKnown ? tools : undefined;
  };
  const servers = moving.moved.map(
    ({ server, as }): MovedServer => ({ before: server.id, after: as, tools: toolsOf(as) }),
  );
  return planCarry({ title: opened.client.title, profile, alias, servers, rules, nameOf });
}
