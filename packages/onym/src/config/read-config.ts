// The text of a config file → a Config, or every mistake in it (CFG-1, CFG-2, CFG-3). Reads no disk itself.

import { buildSnapshot, isToolboxId, quoteText, type Rename, type ToolSource } from "@onym/core";
import type { ProfileSet } from "@onym/core/profiles";
import type { Node } from "jsonc-parser";
import type { Config, ConfigServer } from "./config.js";
import { type ConfigProblem, configError, formatJsonPath } from "./config-problem.js";
import type { ConfigOrigin } from "./files/find-config.js";
import { sectionsToTrust } from "./files/trust.js";
import type { Environment } from "./json/expand-variables.js";
import { hideVariables } from "./json/hide-variables.js";
import { type JsonDocument, parseJsonDocument, placeOfPath } from "./json/json-document.js";
import type { JsonPath } from "./json/json-path.js";
import { type FilledText, propertiesOf, readValue } from "./json/read-value.js";
import { limitsOf } from "./limits.js";
import { checkTopKey } from "./schema/check-keys.js";
import { type ConfigFile, configFile } from "./schema/config-schema.js";
import { describeIssues } from "./schema/describe-issues.js";
import { auditOf } from "./sections/policy-config.js";
import { checkPlainTokens, readAuth } from "./sections/read-auth.js";
import { REJECT, readOnUnknown } from "./sections/read-on-unknown.js";
import { readPolicy } from "./sections/read-policy.js";
import { checkProfileId, profilesFilePath, readProfiles } from "./sections/read-profiles.js";
import {
  asWritten,
  dropClientVersions,
  dropToolboxComments,
  findServers,
  readServer,
} from "./sections/read-servers.js";
import type { ReadText } from "./sections/read-tools.js";

export interface ReadConfigInput {
  /** The file as messages name it; tools files are relative to it. */
  readonly file: string;
  readonly folder: string;
  /** The file belongs to a client, which may write keys of its own at its top. */
  readonly isClientFile: boolean;
  /** The file is one of mcp-workbench, where toolboxes are opened on demand unless it says otherwise (BOX-9). */
  readonly isWorkbench?: boolean;
  /** Who chose the file; named where nothing is said. */
  readonly origin?: ConfigOrigin;
  readonly env: Environment;
  readonly readText: ReadText;
  /** Digests of what the user trusts of files that were only found; absent: the whole file is trusted. */
  readonly trusted?: ReadonlySet<string>;
}

/** @throws OnymError `config-invalid`, with all mistakes at once. */
export function readConfig(text: string, input: ReadConfigInput): Config {
  const parsed = parseJsonDocument(text, input.file, 'Write at least {"mcpServers": {}}.');
  if (!parsed.ok) throw configError([parsed.problem]);
  const { document } = parsed;
  const problems: ConfigProblem[] = [];
  const inProjects = countProjectServers(document);
  const isClientFile = input.isClientFile || inProjects > 0;
  const filled: FilledText[] = [];
  const value = readSections(document, { ...input, isClientFile, filled }, problems);

  const profiles = readProfiles(value.profiles, {
    file: input.file,
    readText: input.readText,
    note: noteIn(document, problems),
    add: (problem) => problems.push(problem),
  });
  const { profile } = value.naming ?? {};
  const mistaken =
    typeof profile !== "string" || profile === "auto"
      ? undefined
      : checkProfileId(profile, profiles, 'Write "auto", or an id that onym profiles lists.');
  if (mistaken !== undefined) noteIn(document, problems)(["naming", "profile"], mistaken);
  const found = findServers(value);
  const notes = [...notesOfProjects(inProjects)];
  const auth = readAuth(value.auth, {
    toolboxes: Object.keys(Object(value.toolboxes)),
    profiles,
    note: noteIn(document, problems),
  });
  const renames = readRenames(value.renames, noteIn(document, problems));
  const servers: ConfigServer[] = [];
  const disabled: string[] = [];
  const missing = problems.filter(({ code }) => code === "missing-variable");
  for (const server of found) {
    const path = formatJsonPath(server.path);
    const unfilled = missing.filter((problem) => isUnder(problem.path, path));
    if (server.entry.disabled === true) disabled.push(path);
    else
      servers.push(
        readServer(server, {
          document,
          problems,
          readText: input.readText,
          unfilled,
          variables: variablesUnder(path, filled),
          filled: filled.filter((text) => isUnder(text.path, path)).map((text) => text.path),
          trusted: input.trusted,
          folder: input.folder,
        }),
      );
  }
  const policy = readPolicy(value.policy, {
    owners: found.map(({ id, toolbox }) => ({ server: id, toolbox })),
    toolboxes: Object.keys(Object(value.toolboxes)),
    note: noteIn(document, problems),
    remark: (remark) => notes.push(remark),
    meant: (text) =>
      meantTool(
        text,
        servers.map(({ source }) => source),
        value.naming?.aliases ?? {},
      ),
  });
  const unknown = readOnUnknown(value.onUnknown, servers);
  if ("message" in unknown) {
    const place = placeOfPath(document, ["onUnknown"]);
    problems.push({ ...unknown, path: "onUnknown", place });
  }
  const mistakes = firstPerPath(problems).filter(
    ({ path }) => !disabled.some((above) => isUnder(path, above)),
  );
  const ofServers = new Set(servers.flatMap(({ unfilled }) => unfilled));
  if (mistakes.some((problem) => !ofServers.has(problem)))
    throw configError(hideVariables(mistakes, variablesUnder("", filled)));
  const onUnknown = "message" in unknown ? REJECT : unknown;
  const ofSections = [...found.map(({ path }) => formatJsonPath(path)), ...OWN_TRUST];
  const elsewhere = filled.filter(({ path }) => !ofSections.some((above) => isUnder(path, above)));
  const sections = sectionsToTrust(input.folder, asWritten(document, []), elsewhere);
  return {
    ...buildConfig(input, value, servers, profiles),
    sections,
    envFiles: found.flatMap(({ entry: { envFile } }) => (typeof envFile === "string" ? [envFile] : [])),
    renames,
    policy,
    auth,
    onUnknown,
    notes,
  };
}

/** What is trusted by itself, and what editors ask their users. */
const OWN_TRUST = ["auth", "store", "audit.anchor", "inputs", "mcp.inputs"];

/** Where servers stand, and what belongs to editors: what is not known here may be known when a server is started. */
const SERVERS: ReadonlySet<string> = new Set(["mcpServers", "servers", "mcp", "toolboxes", "inputs"]);

/** Adds a problem with its place. */
function noteIn(document: JsonDocument, problems: ConfigProblem[]) {
  return (path: JsonPath, { code, message, fix }: Pick<ConfigProblem, "code" | "message" | "fix">): void => {
    problems.push({ code, path: formatJsonPath(path), place: placeOfPath(document, path), message, fix });
  };
}

/** The sections Onym reads, checked for keys, variables and types. What is wrong with them is in `problems`. */
function readSections(
  document: JsonDocument,
  input: ReadConfigInput & { readonly filled: FilledText[] },
  problems: ConfigProblem[],
): ConfigFile {
  const { env, filled } = input;
  const value: ConfigFile = Object.create(null);
  const note = noteIn(document, problems);
  if (document.root.type !== "object") {
    note([], { code: "wrong-type", message: "A config is an object.", fix: 'Write {"mcpServers": {…}}.' });
    return value;
  }
  for (const { key, keyNode, valueNode } of propertiesOf(document.root)) {
    const checked = checkTopKey(key, Object.keys(configFile.shape), input);
    if (checked === "ignore") continue;
    if (checked !== "read") note([key], checked);
    else if (Object.hasOwn(value, key)) {
      const message = `The key ${quoteText(key)} stands here twice.`;
      const place = document.placeAt(keyNode.offset);
      problems.push({ code: "duplicate-key", path: key, place, message, fix: "Keep one of the two." });
    } else
      Reflect.set(
        value,
        key,
        readValue(valueNode, [key], { document, env, problems, filled, isFinal: !SERVERS.has(key) }),
      );
  }
  dropClientVersions(value);
  dropToolboxComments(value);
  checkPlainTokens(value.auth, note);
  for (const issue of describeIssues(configFile, value)) note(issue.path, issue);
  for (const id of Object.keys(Object(value.toolboxes))) {
    if (isToolboxId(id)) continue;
    note(["toolboxes", id], {
      code: "bad-toolbox-id",
      message: `The toolbox id ${quoteText(id)} cannot be used in toolbox names.`,
      fix: "Use letters, digits, - and _, without __ and without _ at either end.",
    });
  }
  return value;
}

function buildConfig(
  input: ReadConfigInput,
  value: ConfigFile,
  servers: readonly ConfigServer[],
  profiles: ProfileSet,
): Omit<Config, "notes" | "onUnknown" | "policy" | "auth" | "renames" | "sections" | "envFiles"> {
  const { naming } = value;
  return {
    file: input.file,
    origin: input.origin ?? "named",
    folder: input.folder,
    servers,
    toolboxes: Object.entries(value.toolboxes ?? {}).map(([id, { description }]) => ({ id, description })),
    naming: {
      style: naming?.style,
      as: naming?.as,
      profile: naming?.profile === "auto" ? undefined : naming?.profile,
      aliases: naming?.aliases ?? {},
      pins: naming?.pins ?? {},
      references: naming?.references ?? true,
      detect: naming?.detect ?? true,
    },
    profiles,
    profilesFile:
      typeof value.profiles === "string" ? profilesFilePath(value.profiles, input.file) : undefined,
    strict: value.strict ?? false,
    isWorkbench: input.isWorkbench === true || value.toolMode !== undefined,
    mode: value.mode ?? value.toolMode ?? (input.isWorkbench === true ? "dynamic" : undefined),
    audit: auditOf(value.audit),
    store: value.store,
    limits: limitsOf(value.limits),
    console: value.console === false ? "off" : value.console === "read-only" ? "read-only" : "on",
    metrics: value.metrics ?? false,
  };
}

const VARIABLE_CODES: ReadonlySet<string> = new Set(["missing-variable", "bad-variable", "editor-variable"]);

/** A value that could not be filled in is not also of the wrong type. */
function firstPerPath(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const seen = new Set<string>();
  const first = problems.filter(({ path, code }) => {
    const isNew = VARIABLE_CODES.has(code) || !seen.has(path);
    seen.add(path);
    return isNew;
  });
  return [...first].sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
}

function variablesUnder(path: string, filled: readonly FilledText[]): ReadonlyMap<string, string> {
  return new Map(
    filled
      .filter((text) => path === "" || isUnder(text.path, path))
      .flatMap(({ variables }) => [...variables]),
  );
}

function isUnder(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[`);
}

// The windows of declared renames: a last day, or a count of major versions, and never both (LOCK-2).

type Note = (path: JsonPath, problem: Pick<ConfigProblem, "code" | "message" | "fix">) => void;

/** Types are checked elsewhere. */
function readRenames(value: unknown, note: Note): readonly Rename[] {
  if (!Array.isArray(value)) return [];
  for (const [index, entry] of value.entries()) {
    const { until, since, majors } = Object(entry) as Rename;
    const path = ["renames", index];
    if (until !== undefined && (since !== undefined || majors !== undefined)) {
      note(path, {
        code: "two-windows",
        message: "An old name works until a day, or for major versions of its server, but not both.",
        fix: 'Leave out "until", or "since" and "majors".',
      });
    } else if (majors !== undefined && since === undefined) {
      note([...path, "majors"], {
        code: "no-since",
        message: "It is not said from which version on major versions are counted.",
        fix: 'Add "since" with the version that the server announces now, such as "2.3.0".',
      });
    }
  }
  return value as readonly Rename[];
}

// What a rule that names a public name was probably meant for: the canonical name it leads to (POL-5). Tools of servers are
// not known while a config is read, so that the name is held against what the servers' ids and aliases would make of it.

/** Between the parts of public names, whatever the style. */
const SEPARATOR = /[_./-]/g;
const MAX_TEXT = 200;

/**
 * The one canonical name that the text would lead to, were there such a tool; `undefined` where there is none, or several.
 *
 * @example
 * meantTool("sf_delete_lead", [{ server: "salesforce", tools: [] }], {}); // "salesforce@1/delete_lead@1"
 */
function meantTool(
  text: string,
  sources: readonly ToolSource[],
  aliases: Readonly<Record<string, string>>,
): string | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const known = resolveIn(text, sources, aliases);
  if (known !== undefined) return known;
  const raws = Array.from(text.matchAll(SEPARATOR), ({ index }) => text.slice(index + 1)).filter(
    (raw) => /[a-z0-9]/i.test(raw) && /^[^_./-]/.test(raw),
  );
  const guessed = sources.map((source) => ({ ...source, tools: raws }));
  return resolveIn(text, guessed, aliases);
}

function resolveIn(
  text: string,
  sources: readonly ToolSource[],
  aliases: Readonly<Record<string, string>>,
): string | undefined {
  const found = buildSnapshot(sources, { aliases }).resolve(text, { profile: "mcp" });
  // A raw name may be that of several tools, and so may be meant.
  return found.outcome === "resolved" && found.step !== "context" ? found.tool.canonical : undefined;
}

// Servers that stand in a config but belong to projects: they are counted and mentioned, not read.

/** Claude Code keeps the servers of each project in a file of its own, `projects.FOLDER.mcpServers`. */
function countProjectServers({ root }: JsonDocument): number {
  const inside = (node: Node | undefined, key: string): readonly Node[] =>
    node?.type === "object"
      ? propertiesOf(node).flatMap((property) => (property.key === key ? [property.valueNode] : []))
      : [];
  return inside(root, "projects")
    .flatMap((projects) => (projects.type === "object" ? propertiesOf(projects) : []))
    .flatMap(({ valueNode }) => inside(valueNode, "mcpServers"))
    .reduce((sum, servers) => sum + (servers.type === "object" ? propertiesOf(servers).length : 0), 0);
}

function notesOfProjects(inProjects: number): readonly string[] {
  if (inProjects === 0) return [];
  const servers = inProjects === 1 ? "1 server" : `${inProjects} servers`;
  return [
    `${servers} under "projects" ${inProjects === 1 ? "was" : "were"} not read. Name the .mcp.json of a project with --config, or copy them to an onym.json.`,
  ];
}
