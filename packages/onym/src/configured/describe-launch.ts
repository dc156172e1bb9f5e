// A launch as it is shown to the user who is asked to trust it (CFG-6).

import { escapeText, type ToolSource } from "@onym/core";
import { parseEnvFile } from "../config/files/parse-env-file.js";
import { isOutside, isTrusted, type Launched, type LaunchPlace } from "../config/files/trust.js";
import { envFileOf } from "../config/launches/launch-of.js";
import { maskVariable } from "../model/mask-secrets.js";
import { countNoun, serverLabel } from "../output/wording.js";

/** What of a server is shown and trusted. */
export interface TrustedLaunch extends Launched {
  readonly source: Pick<ToolSource, "server" | "toolbox">;
  readonly entry: LaunchEntry;
  /** Before variables are filled in. */
  readonly written: LaunchEntry;
}

/** An entry of a config or of a client; whatever else stands in it is shown, too. */
interface LaunchEntry {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly httpUrl?: string | undefined;
  readonly serverUrl?: string | undefined;
  readonly env?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly envFile?: string | undefined;
  readonly cwd?: string | undefined;
}

/** As it is written and whole, but for what looks like a secret: whatever an entry may say can matter here. */
export function describeLaunch(
  { source, entry, written }: TrustedLaunch,
  place: LaunchPlace,
): readonly string[] {
  const {
    command,
    args = [],
    url,
    httpUrl,
    serverUrl,
    env = {},
    headers = {},
    envFile,
    cwd,
    ...more
  } = written;
  const launch =
    command === undefined
      ? `connects to ${serverUrl ?? httpUrl ?? url ?? ""}`
      : `starts ${[command, ...args].join(" ")}`;
  const lines = [
    launch,
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ...(envFile === undefined ? [] : describeEnvFile(envFile, entry.envFile ?? envFile, place)),
    ...Object.entries(env).map(([name, value]) => `with ${formatVariable(name, String(value))}`),
    ...Object.keys(headers).map((name) => `with the header ${name}`),
    ...Object.entries(more)
      .filter(([name, value]) => isTrusted(name, value))
      .map(([name, value]) => `with "${name}": ${formatValue(value)}`),
  ];
  return [`  ${serverLabel(source)}`, ...lines.map((line) => `    ${escapeText(line)}`)];
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
