// The config that `add`, `remove`, `enable`, `disable` and `connect` edit: the user's own unless another is named (CFG-6).

import { dirname, resolve } from "node:path";
import { quoteText } from "@onym/core";
import type { Config } from "../../../config/config.js";
import { isDemoConfig } from "../../../config/files/config-path.js";
import { chooseConfig } from "../../../config/files/find-config.js";
import { readTextFile } from "../../../config/files/read-text-file.js";
import { homeOf, userConfigFile } from "../../../config/files/user-folders.js";
import { readConfig } from "../../../config/read-config.js";
import type { Edit, EditStep } from "../../../documents/edit.js";
import { editDocument, memberOf, readDocument, valueAt } from "../../../documents/edit-document.js";
import { readFileBytes, replaceFile } from "../../../documents/replace-file.js";
import { OnymError } from "../../../model/onym-error.js";
import { showPath } from "../../../model/show-path.js";
import type { Terminal } from "../../../output/terminal.js";
import { usageError } from "../../usage-error.js";

export interface ConfigText {
  /** Absolute. */
  readonly file: string;
  /** As people read it. */
  readonly shown: string;
  /** Empty where there is no file yet. */
  readonly text: string;
  readonly exists: boolean;
  /** What the text says, before variables are filled in. */
  readonly value: unknown;
}

/** @throws OnymError `config-invalid` for one that cannot be read: it is never written; `usage` for the demo's, which is no file. */
export function openConfigText(named: string | undefined, { env, cwd }: Terminal): ConfigText {
  const machine = { platform: process.platform, env };
  const file = named === undefined ? userConfigFile(machine) : resolve(cwd, named);
  if (isDemoConfig(file))
    throw usageError(
      "The bundled demo has no config that could be changed: all of it is gone when it ends.",
      "Leave --config out, and your own config is used.",
    );
  const shown = showPath(file, cwd, homeOf(machine));
  const read = readFileBytes(file);
  if (read.kind === "unreadable") throw cannotRead(shown, read.reason);
  const text = read.kind === "bytes" ? read.text : "";
  const parsed = readDocument(text, "json");
  if (!parsed.ok) throw cannotRead(shown, parsed.reason);
  return { file, shown, text, exists: read.kind === "bytes", value: parsed.value };
}

function cannotRead(shown: string, reason: string): OnymError {
  return new OnymError(
    "config-invalid",
    `${shown} cannot be read: ${reason}.`,
    "Correct it by hand; nothing was changed.",
  );
}

/** @throws OnymError `config-invalid` where it cannot be edited in place. */
export function editConfigText(
  { text, shown }: Pick<ConfigText, "text" | "shown">,
  edits: readonly Edit[],
): string {
  const edited = editDocument(text, "json", edits);
  if (edited.ok) return edited.text;
  throw new OnymError(
    "config-invalid",
    `${shown} is left as it is: ${edited.reason}.`,
    "Edit it by hand; nothing was changed.",
  );
}

/** The config that a text would be. @throws OnymError `config-invalid`. */
export function readConfigText(text: string, { file }: Pick<ConfigText, "file">, { env }: Terminal): Config {
  const folder = dirname(file);
  const readText = (path: string) => readTextFile(resolve(folder, path));
  return readConfig(text.trim() === "" ? '{"mcpServers": {}}' : text, {
    file,
    folder,
    origin: "named",
    isClientFile: false,
    isWorkbench: false,
    env,
    readText,
  });
}

/** Nothing is written that could not be read again. @throws OnymError `config-invalid` or `file-unwritable`. */
export function saveConfigText(text: string, opened: ConfigText, terminal: Terminal): Config {
  const config = readConfigText(text, opened, terminal);
  replaceFile(opened.file, text);
  return config;
}

/** Where new servers go: under the key that the file uses already. */
export function serversPath(value: unknown, toolbox?: string): readonly EditStep[] {
  const base = toolbox === undefined ? [] : ["toolboxes", toolbox];
  const inner = valueAt(value, base);
  const isOther = memberOf(inner, "mcpServers") === undefined && memberOf(inner, "servers") !== undefined;
  return [...base, isOther ? "servers" : "mcpServers"];
}

export interface WrittenServer {
  readonly id: string;
  readonly toolbox: string | undefined;
  readonly path: readonly EditStep[];
  readonly entry: unknown;
}

/** Every server of a config as it is written. */
export function listWritten(value: unknown): readonly WrittenServer[] {
  const boxes = Object.keys(Object(memberOf(value, "toolboxes")));
  const places: readonly { readonly toolbox: string | undefined; readonly path: readonly string[] }[] = [
    ...[["mcpServers"], ["servers"], ["mcp", "servers"]].map((path) => ({ toolbox: undefined, path })),
    ...boxes.flatMap((toolbox) =>
      ["mcpServers", "servers"].map((key) => ({ toolbox, path: ["toolboxes", toolbox, key] })),
    ),
  ];
  return places.flatMap(({ toolbox, path }) =>
    Object.entries(Object(valueAt(value, path))).map(([id, entry]) => ({
      id,
      toolbox,
      path: [...path, id],
      entry,
    })),
  );
}

/** Commands in a folder with a config of its own read that one, which is easily forgotten. */
export function noteOtherConfig({ file }: ConfigText, { env, cwd }: Terminal): readonly string[] {
  const here = chooseConfig({ env, cwd });
  if (here?.origin !== "found" || resolve(cwd, here.file) === file) return [];
  return [`In this folder, commands read ${quoteText(here.file)} unless --config names another.`];
}
