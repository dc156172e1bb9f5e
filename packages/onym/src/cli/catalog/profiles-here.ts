// The profiles of a command that needs no config: those of the config here, where there is one.

import { createProfileSet, type ProfileSet } from "@onym/core/profiles";
import { chooseConfig } from "../../config/files/find-config.js";
import { checkSections, findUntrustedSections } from "../../config/files/trust.js";
import { readChosenConfig } from "../../config/load-config.js";
import { OnymError } from "../../model/onym-error.js";
import { showNote } from "../../output/show-note.js";
import type { Terminal } from "../../output/terminal.js";

/** @throws OnymError `config-invalid` where the file was named; one that was only found is reported and passed over. */
export function profilesHere(options: { readonly config?: string }, terminal: Terminal): ProfileSet {
  const place = { file: options.config, env: terminal.env, cwd: terminal.cwd };
  try {
    const choice = chooseConfig(place);
    if (choice === undefined) return createProfileSet([]);
    const config = readChosenConfig(choice, place);
    // Nothing of it is started, so nobody has to trust it, unless its texts show variables of the environment.
    const isOpen = findUntrustedSections(config, terminal.env).every(({ name }) => name !== "variables");
    return isOpen ? config.profiles : checkSections(config, terminal.env).profiles;
  } catch (error) {
    if (options.config !== undefined || !(error instanceof OnymError)) throw error;
    showNote(
      "the config here cannot be read, so these are the built-in profiles; see onym doctor.",
      terminal,
    );
    return createProfileSet([]);
  }
}
