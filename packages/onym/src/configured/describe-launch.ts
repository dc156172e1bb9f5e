// A launch as it is shown to the user who is asked to trust it (CFG-6).

import { escapeText, quoteText, type ToolSource } from "@onym/core";
import { parseEnvFile } from "../config/files/parse-env-file.js";
import { isOutside, isTrusted, type Launched, type LaunchPlace, NO_LAUNCH } from "../config/files/trust.js";
import { namesOfVariables } from "../config/json/expand-variables.js";
import { type EntryLaunch, keysOf, writtenLaunches } from "../config/launches/entry-launch.js";
import { envFileOf } from "../config/launches/launch-of.js";
import { maskVariable } from "../model/mask-secrets.js";
import { countNoun, serverLabel } from "../output/wording.js";

/** What of a server is shown and trusted. */
export interface TrustedLaunch extends Launched {
  readonly source: Pick<ToolSource, "server" | "toolbox">;
  /** Before variables are filled in: all that is shown, and of which `launchDigest` is. */
  readonly written: object;
}

/**
 * What is launched of the entry, whole but for what looks like a secret, and every variable that it would be filled in with. The
 * rest of the entry is named and not shown: it looked as if it were used.
 */
export function describeLaunch(
  { source, entry, written }: TrustedLaunch,
  place: LaunchPlace,
): readonly string[] {
  const launches = writtenLaunches(written);
  const lines = launches.flatMap((launch) => describeKind(launch, entry, place));
  const used = new Set(launches.flatMap((launch) => [...keysOf(launch)]));
  const more = Object.entries(written).filter(([key, value]) => !used.has(key) && isTrusted(key, value));
  const ignored = more.filter(([key]) => !NO_LAUNCH.has(key)).map(([key]) => quoteText(key, 40));
  return [
    `  ${serverLabel(source)}`,
    ...[
      ...(lines.length === 0 ? ["starts nothing and connects to nothing, as it is written"] : lines),
      // Names and texts are trusted where variables make them.
      ...more
        .filter(([key]) => NO_LAUNCH.has(key))
        .map(([key, value]) => withVariables(`with "${key}": ${formatValue(value)}`, value)),
      ...(ignored.length === 0 ? [] : [`and ignores ${ignored.join(", ")}`]),
    ].map((line) => `    ${escapeText(line)}`),
  ];
}

function describeKind(
  launch: EntryLaunch,
  entry: TrustedLaunch["entry"],
  place: LaunchPlace,
): readonly string[] {
  if (launch.kind === "static") return [];
  if (launch.kind !== "stdio") {
    const { url, headers, oauth } = launch;
    return [
      `connects to ${url}`,
      ...Object.entries(headers).map(([name, value]) => describeHeader(name, value)),
      ...(oauth === undefined ? [] : [withVariables(`with "oauth": ${formatValue(oauth)}`, oauth)]),
    ];
  }
  const { command, args, env, envFile, cwd, isolation } = launch;
  return [
    `starts ${[command, ...args].join(" ")}`,
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ...(envFile === undefined ? [] : describeEnvFile(envFile, entry.envFile ?? envFile, place)),
    ...Object.entries(env).map(([name, value]) =>
      withVariables(`with ${formatVariable(name, String(value))}`, value),
    ),
    ...(isolation === undefined
      ? []
      : [withVariables(`with "isolation": ${formatValue(isolation)}`, isolation)]),
  ];
}

/** Of its value only the variables, which say whose secret is sent. */
function describeHeader(name: string, value: string): string {
  const names = variablesIn(value);
  return names.length === 0 ? `with the header ${name}` : `with ${names.join(" and ")} in the header ${name}`;
}

/** A mask may be over one. */
function withVariables(line: string, value: unknown): string {
  const hidden = textsIn(value)
    .flatMap(variablesIn)
    .filter((name) => !line.includes(name));
  return hidden.length === 0 ? line : `${line} (with ${[...new Set(hidden)].join(" and ")})`;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** `${NAME}`, as it is filled in. */
function variablesIn(text: string): readonly string[] {
  return [...namesOfVariables(text)].map((name) => `\${${name}}`);
}

function describeEnvFile(shown: string, envFile: string, place: LaunchPlace): readonly string[] {
  const file = envFileOf(envFile, place);
  const found = place.read(file);
  const parsed = "text" in found ? parseEnvFile(found.text) : undefined;
  if (parsed === undefined || "badLine" in parsed)
    return [`with the variables of ${shown}, which cannot be read`];
  // Whoever wrote the entry did not write that file, and chose what is shown of it: even a name can be a piece of a key.
  if (isOutside(file, envFileOf(".", place)))
    return [
      `with ${countNoun(parsed.variables.size, "variable")} of ${shown}, not shown because the file is outside of the folder`,
    ];
  return [
    `with the variables of ${shown}`,
    ...Array.from(parsed.variables, ([name, value]) => `  ${formatVariable(name, value)}`),
  ];
}

function formatVariable(name: string, value: string): string {
  return `${name}=${isOpen(name) ? value : maskVariable(name, value)}`;
}

function formatValue(value: unknown): string {
  return JSON.stringify(value, (name, part: unknown) =>
    typeof part === "string" ? maskVariable(name, part) : part,
  );
}

/** Variables with which one program is made to load another. */
function isOpen(name: string): boolean {
  return /^(?:PATH|NODE_OPTIONS|NODE_PATH|PYTHON\w*|PERL5?\w*|RUBY\w*|JAVA_TOOL_OPTIONS|LD_\w+|DYLD_\w+|GIT_\w+|BASH_ENV|ENV|npm_config_\w+)$/i.test(
    name,
  );
}
