// In which clients of this machine Onym is registered, and which of their files cannot be read.

import { escapeText } from "@onym/core";
import type { Config } from "../../../config/config.js";
import { homeOf } from "../../../config/files/user-folders.js";
import type { Machine } from "../clients/client-paths.js";
import { findClientFiles } from "../clients/find-client-files.js";
import { startsOnym } from "../clients/starts-onym.js";
import { showUnder } from "../format-found.js";
import type { Check } from "./check.js";
import { checkRegistration } from "./check-registration.js";

/** @param config The one that is looked at; `undefined` where there is none. */
export function checkClients(machine: Machine, config?: Config): readonly Check[] {
  const home = homeOf(machine);
  const checks = findClientFiles(machine).flatMap(({ client, file, read }): readonly Check[] => {
    const about = { group: "Clients", name: client.id } as const;
    const shown = escapeText(showUnder(file, home, machine.project));
    if ("reason" in read) {
      const message = `${shown} was not read: ${escapeText(read.reason)}.`;
      return [
        { ...about, status: "warning", message, fix: "Look there by hand whether Onym is registered." },
      ];
    }
    const names = (read.servers ?? []).flatMap(({ id, carried }) =>
      "entry" in carried && startsOnym(id, carried.entry) ? [escapeText(id)] : [],
    );
    if (names.length === 0) return [];
    const found = checkRegistration({ client, file }, read.servers ?? [], { config, machine });
    return [
      { ...about, status: "ok", message: `registered as ${names.join(", ")} in ${shown}` },
      ...found.map((finding) => ({ ...about, status: "warning", ...finding }) as const),
    ];
  });
  if (checks.some(({ status }) => status === "ok")) return checks;
  const message = "Onym is registered in no client that was found on this machine.";
  const fix = "onym init --client ID tells how.";
  return [...checks, { group: "Clients", name: "registration", status: "warning", message, fix }];
}
