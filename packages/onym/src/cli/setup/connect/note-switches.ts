// What a client switches off and `onym connect` does not carry: servers that are off in some folders alone, and Onym itself.

import { quoteText } from "@onym/core";
import type { Machine } from "../../../clients/client-paths.js";
import { homeOf } from "../../../config/files/user-folders.js";
import { showPath } from "../../../model/show-path.js";
import type { OpenedClient } from "./open-client.js";

const MAX_FOLDERS_SHOWN = 3;

export function noteSwitches(
  opened: Pick<OpenedClient, "client" | "isOwn" | "servers" | "switches">,
  alias: string,
  machine: Machine,
): readonly string[] {
  return [...noteFolders(opened, machine), ...noteItself(opened, alias, machine)];
}

/** What is off in some folders and on in others: Onym has it in all of them. */
function noteFolders(
  { isOwn, servers, switches }: Pick<OpenedClient, "isOwn" | "servers" | "switches">,
  machine: Machine,
): readonly string[] {
  if (!isOwn) return [];
  return servers.flatMap(({ id, isOfProject, isOnym, carried }) => {
    if (isOfProject || isOnym || !("entry" in carried) || carried.entry.disabled === true) return [];
    const off = switches.filter((one) => one.folder !== undefined && !one.isForProjects && one.isOff(id));
    const folders = [...new Set(off.flatMap(({ folder }) => folder ?? []))].map((folder) =>
      showPath(folder, machine.project, homeOf(machine)),
    );
    if (folders.length === 0) return [];
    const more = folders.length - MAX_FOLDERS_SHOWN;
    const where = `${folders.slice(0, MAX_FOLDERS_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    const lists = [...new Set(off.map(({ list }) => list))].join(", ");
    return [
      `${quoteText(id)} is off in ${where} (${lists}), and that is not carried over: what Onym has is there in every folder. ` +
        "Deny its tools there, under their new names.",
    ];
  });
}

/** A list of what is on does not name Onym, and what is off may match it: the client would have no tools at all. */
function noteItself(
  { client, isOwn, switches }: Pick<OpenedClient, "client" | "isOwn" | "switches">,
  alias: string,
  machine: Machine,
): readonly string[] {
  return switches.flatMap(({ list, file, folder, isForProjects, isOff }) => {
    if (!isOff(alias) || (isForProjects && isOwn) || (isOwn && folder !== undefined)) return [];
    const shown = showPath(file, machine.project, homeOf(machine));
    return [`${client.title} does not start ${quoteText(alias)}: "${list}" in ${shown} keeps it off.`];
  });
}
