// The text of a new onym.json, and what in it a user should look at.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { quoteText, type Rename } from "@onym/core";
import { formatSnippet } from "../../../clients/client.js";
import type { MergedServer } from "../../../clients/merge-servers.js";
import type { CarriedEntry } from "../../../clients/server-entry-of.js";
import type { ConfigProblem } from "../../../config/config-problem.js";
import { readTextFile } from "../../../config/files/read-text-file.js";
import type { Environment } from "../../../config/json/expand-variables.js";
import { loadLaunches } from "../../../config/launches/load-launches.js";
import { readConfig } from "../../../config/read-config.js";
import { OnymError } from "../../../model/onym-error.js";
import { countNoun } from "../../../output/wording.js";

const SCHEMA = "node_modules/onym/schema/onym.schema.json";

/** @param folder Where the file will stand: an editor is told of the schema only where it finds it from there. */
export function buildConfigText(
  servers: readonly MergedServer[],
  folder: string,
  { renames = [], mode }: { readonly renames?: readonly Rename[]; readonly mode?: string | undefined } = {},
): string {
  const alone = servers.filter(({ toolbox }) => toolbox === undefined);
  const toolboxes = new Map(
    servers.flatMap(({ toolbox }) => (toolbox === undefined ? [] : [[toolbox.id, toolbox]])),
  );
  const entriesIn = (box: string | undefined) =>
    Object.fromEntries(
      servers.filter(({ toolbox }) => toolbox?.id === box).map(({ id, entry }) => [id, entry]),
    );
  const config = {
    ...(existsSync(join(folder, SCHEMA)) ? { $schema: SCHEMA } : {}),
    ...(alone.length > 0 || toolboxes.size === 0 ? { mcpServers: entriesIn(undefined) } : {}),
    ...(toolboxes.size === 0
      ? {}
      : {
          toolboxes: Object.fromEntries(
            [...toolboxes].map(([id, { description }]) => [
              id,
              { ...(description === undefined ? {} : { description }), mcpServers: entriesIn(id) },
            ]),
          ),
        }),
    ...(mode === undefined ? {} : { mode }),
    ...(renames.length === 0 ? {} : { renames }),
  };
  return `${formatSnippet(config)}\n`;
}

/** Values in env and headers that stand there as they are: most of them are secrets. */
export function countLiterals(entries: readonly CarriedEntry[]): number {
  const values = entries.flatMap(({ env = {}, headers = {} }) => [
    ...Object.values(env),
    ...Object.values(headers),
  ]);
  return values.filter((value) => value !== "" && !value.includes("${")).length;
}

export function noteLiterals(entries: readonly CarriedEntry[]): readonly string[] {
  const literals = countLiterals(entries);
  if (literals === 0) return [];
  const stand = literals === 1 ? "stands" : "stand";
  return [
    `${countNoun(literals, "value")} in env and headers ${stand} in the file as ${literals === 1 ? "it is" : "they are"}. ` +
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a user writes.
      "Put secrets into the environment and write ${NAME} before you commit or share it.",
  ];
}

/** What every command would say of the text: variables that are not set, files that are missing. */
export function checkConfigText(
  text: string,
  input: { readonly file: string; readonly folder: string; readonly env: Environment },
): readonly string[] {
  try {
    const config = readConfig(text, { ...input, isClientFile: false, readText: readTextFile });
    return [...loadLaunches(config, input.env)].flatMap(([{ source }, launch]) =>
      launch.kind === "unusable"
        ? [`${quoteText(source.server)} stays down: ${launch.reason}. ${launch.hint}`]
        : [],
    );
  } catch (error) {
    if (!(error instanceof OnymError) || !Array.isArray(error.cause)) throw error;
    const problems: readonly ConfigProblem[] = error.cause;
    return problems.map(({ path, message, fix }) => `${path}: ${message} ${fix}`);
  }
}
