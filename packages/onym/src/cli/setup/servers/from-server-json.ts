// A `server.json`, as the MCP registry publishes them, → an entry of the config. What the user has to fill in becomes a variable.

import { quoteText } from "@onym/core";
import { fieldOf, objectOf } from "../../../clients/server-maps.js";

export type FromServerJson =
  | {
      readonly ok: true;
      readonly name: string;
      readonly entry: ServerJsonEntry;
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

interface ServerJsonEntry {
  readonly type?: "http" | "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How packages of a registry are started; the flags come before the package. */
const RUNNERS: ReadonlyMap<
  string,
  { readonly words: readonly string[]; readonly versioned: (id: string, version: string) => string }
> = new Map([
  ["npm", { words: ["npx", "-y"], versioned: (id, version) => `${id}@${version}` }],
  ["pypi", { words: ["uvx"], versioned: (id, version) => `${id}@${version}` }],
  ["nuget", { words: ["dnx", "--yes"], versioned: (id, version) => `${id}@${version}` }],
  [
    "oci",
    {
      words: ["docker", "run", "-i", "--rm"],
      versioned: (id, version) => (/[:@]/.test(id.slice(id.lastIndexOf("/") + 1)) ? id : `${id}:${version}`),
    },
  ],
]);

/** The first package that can be started here, else the first address. */
export function fromServerJson(value: unknown): FromServerJson {
  // The registry wraps what it lists.
  const server = objectOf(fieldOf(value, "server")) ?? objectOf(value);
  const name = textOf(fieldOf(server, "name"));
  if (server === undefined || name === undefined) return { ok: false, reason: "it has no name" };
  const id = name.split("/").pop() ?? name;
  const packages = listOf(fieldOf(server, "packages"));
  const local = packages.find((one) =>
    RUNNERS.has(textOf(fieldOf(one, "registryType") ?? fieldOf(one, "registry_type")) ?? ""),
  );
  if (local !== undefined) return fromPackage(id, local);
  const [remote] = listOf(fieldOf(server, "remotes"));
  if (remote !== undefined) return fromRemote(id, remote);
  const kinds = packages.map((one) => quoteText(String(fieldOf(one, "registryType"))));
  return {
    ok: false,
    reason:
      packages.length === 0
        ? "it names no package and no address"
        : `its packages (${kinds.join(", ")}) are of no kind that is known here`,
  };
}

function fromPackage(id: string, one: unknown): FromServerJson {
  const type = textOf(fieldOf(one, "registryType") ?? fieldOf(one, "registry_type")) ?? "";
  const runner = RUNNERS.get(type);
  const identifier = textOf(fieldOf(one, "identifier"));
  if (runner === undefined || identifier === undefined)
    return { ok: false, reason: "its package has no identifier" };
  const version = textOf(fieldOf(one, "version"));
  const variables = listOf(fieldOf(one, "environmentVariables"));
  const env = valuesOf(variables);
  const [command = "", ...flags] = runner.words;
  const runtime = argumentsOf(fieldOf(one, "runtimeArguments"));
  const own = argumentsOf(fieldOf(one, "packageArguments"));
  const passed = type === "oci" ? [...env.values.keys()].flatMap((key) => ["-e", key]) : [];
  const args = [
    ...flags,
    ...runtime.words.filter((word) => !flags.includes(word)),
    ...passed,
    version === undefined ? identifier : runner.versioned(identifier, version),
    ...own.words,
  ];
  const entry = { command, args, ...(env.values.size === 0 ? {} : { env: Object.fromEntries(env.values) }) };
  return { ok: true, name: id, entry, notes: [...env.notes, ...runtime.notes, ...own.notes] };
}

function fromRemote(id: string, remote: unknown): FromServerJson {
  const url = textOf(fieldOf(remote, "url"));
  if (url === undefined) return { ok: false, reason: "its remote has no url" };
  const headers = valuesOf(listOf(fieldOf(remote, "headers")));
  const type = textOf(fieldOf(remote, "type")) === "sse" ? ({ type: "sse" } as const) : {};
  const entry = {
    ...type,
    url,
    ...(headers.values.size === 0 ? {} : { headers: Object.fromEntries(headers.values) }),
  };
  return { ok: true, name: id, entry, notes: headers.notes };
}

/** Those that are required or have a value. What only the user knows is read from the environment. */
function valuesOf(inputs: readonly unknown[]): {
  readonly values: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
} {
  const values = new Map<string, string>();
  const notes: string[] = [];
  for (const input of inputs) {
    const name = textOf(fieldOf(input, "name"));
    if (name === undefined) continue;
    const value = textOf(fieldOf(input, "value") ?? fieldOf(input, "default"));
    if (value !== undefined && !/\{[^{}]*\}/.test(value)) values.set(name, value);
    else if (fieldOf(input, "isRequired") === true || value !== undefined) {
      const variable = name.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
      values.set(name, `\${${variable}}`);
      const about = textOf(fieldOf(input, "description"));
      notes.push(`Set ${variable} in the environment${about === undefined ? "" : ` (${quoteText(about)})`}.`);
    }
  }
  return { values, notes };
}

function argumentsOf(value: unknown): {
  readonly words: readonly string[];
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const words = listOf(value).flatMap((one) => {
    const name = textOf(fieldOf(one, "name"));
    const given = textOf(fieldOf(one, "value") ?? fieldOf(one, "default"));
    const isRequired = fieldOf(one, "isRequired") === true;
    const hint = textOf(fieldOf(one, "valueHint")) ?? name ?? "argument";
    if (fieldOf(one, "type") === "named") {
      if (name === undefined) return [];
      if (given !== undefined) return [name, given];
      // A flag without a value is a switch; one that a user may leave out and that wants a value is left out.
      if (fieldOf(one, "format") !== undefined && !isRequired) return [];
      if (!isRequired) return fieldOf(one, "isRequired") === false ? [] : [name];
    } else if (given !== undefined) return [given];
    else if (!isRequired) return [];
    notes.push(`Fill in ${quoteText(hint)} among the arguments.`);
    return name === undefined ? [`<${hint}>`] : [name, `<${hint}>`];
  });
  return { words, notes };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
