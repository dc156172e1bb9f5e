// Options that several commands share, and what they may hold.

import { NAMING_STYLES, quoteText } from "@onym/core";
import { isNamingStyle } from "@onym/core/naming";
import { createProfileSet } from "@onym/core/profiles";
import { type Command, InvalidArgumentError, Option } from "commander";
import { didYouMean } from "../config/json/near-text.js";
import { unknownProfile } from "../configured/profile-of.js";
import type { OnymError } from "../model/onym-error.js";
import { nameProgram } from "../output/package-folder.js";
import { HELP_HINT } from "./command.js";
import { usageError } from "./usage-error.js";

export function addCatalogOptions(command: Command): Command {
  return command
    .option(
      "-c, --config <file>",
      "the config to read (default: onym.json, else a client's file here, else your own)",
    )
    .option("--no-lock", "ignore names already given out: onym.lock beside the config, or a database");
}

/** For commands that read or change the store. */
export function addStoreOption(command: Command): Command {
  return command.option(
    "-c, --config <file>",
    "the config whose store is meant (default: onym.json, else a client's file here, else your own)",
  );
}

/** For commands that can ask servers for their tools. */
export function addLiveOption(command: Command): Command {
  return command
    .option("--live", "connect to the servers of the config, and use the tools they list now")
    .option("--static", "use only the tools listed in the config");
}

/** The same, and for servers that are in no config; the command of one stands after `--`. */
export function addServerOptions(command: Command): Command {
  return addLiveOption(command)
    .showHelpAfterError(
      nameProgram(
        `(the command of a server stands after two dashes: onym ${command.name()} -- node server.js;\n${HELP_HINT})`,
        process.env,
      ),
    )
    .argument("[command...]", "after --: a server to start and ask, instead of a config")
    .option("--url <url>", "a running server to ask, instead of a config");
}

/** Words of the command of a server must stand after `--`: else its flags would be taken for Onym's. */
export function refuseArguments(
  command: Command,
  { started, hasDashes }: { readonly started: readonly string[]; readonly hasDashes: boolean },
): void {
  const [first = ""] = command.args;
  const name = command.name();
  const hint = `Put the command of a server after two dashes: onym ${name} -- node server.js`;
  if (hasDashes && started.length === 0) throw usageError("There is nothing after --.", hint);
  if (command.args.length === started.length) return;
  throw usageError(
    `onym ${name} takes no ${quoteText(first)}.`,
    createProfileSet([]).find(first) === undefined
      ? hint
      : `A client or provider is named with --profile: onym ${name} --profile ${first}`,
  );
}

export function addJsonOption(command: Command): Command {
  return command.option("--json", "print JSON");
}

export function addProfileOption(
  command: Command,
  about = "whose names, such as openai or claude-code",
): Command {
  return command.addOption(
    new Option("-p, --profile <id>", about).argParser((value) => {
      const [id = value, ...others] = readProfiles(value);
      if (others.length > 0) throw oneProfileOnly(command.name());
      return id;
    }),
  );
}

/** Several ids: `--profile openai cursor`, `--profile openai,cursor`, or the option again. */
export function addProfilesOption(command: Command, about: string): Command {
  return command.addOption(
    new Option("-p, --profile <id...>", about).argParser(
      (value: string, before: readonly string[] | undefined) => [
        ...new Set([...(before ?? []), ...readProfiles(value)]),
      ],
    ),
  );
}

export function addAliasOption(command: Command): Command {
  return command.addOption(
    new Option("--as <alias>", "the name under which clients have registered the gateway").argParser(
      (value) => {
        if (value === "") throw new InvalidArgumentError("An alias is not empty.");
        return value;
      },
    ),
  );
}

export function addStyleOption(command: Command): Command {
  return command.addOption(
    new Option("--style <style>", `a preview in another style: ${NAMING_STYLES.join(", ")}`).argParser(
      (value) => {
        if (isNamingStyle(value)) return value;
        throw new InvalidArgumentError(
          `${didYouMean(value, NAMING_STYLES)}Styles are ${NAMING_STYLES.join(", ")}.`,
        );
      },
    ),
  );
}

export function oneProfileOnly(command: string): OnymError {
  return usageError(
    `onym ${command} takes one profile.`,
    "Run it once for each; onym matrix shows several side by side.",
  );
}

/** Ids between commas; blanks around them and a comma at the end do no harm. Whether there are such profiles is for later. */
function readProfiles(value: string): readonly string[] {
  const ids = value.split(",").map((id) => id.trim());
  const named = ids.filter((id) => id !== "");
  if (named.length === 0) throw unknownProfile(value, createProfileSet([]));
  return named;
}
