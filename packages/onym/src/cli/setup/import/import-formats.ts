// The tools whose configs can be imported, and the names under which each of them showed tools.

import { buildSnapshot, findProfile, quoteText, type Rename, sentName, type Tool } from "@onym/core";
import type { ClientFormat } from "../../../clients/client.js";
import { CLIENTS } from "../../../clients/find-client.js";
import type { MergedServer } from "../../../clients/merge-servers.js";
import { fieldOf, objectOf } from "../../../clients/server-maps.js";
import { didYouMean } from "../../../config/json/near-text.js";
import type { OnymError } from "../../../model/onym-error.js";
import { countNoun } from "../../../output/wording.js";
import { GATEWAY_SYSTEMS } from "../../names/systems/gateway-systems.js";
import { namesIn } from "../../names/systems/naming-system.js";
import { usageError } from "../../usage-error.js";

export interface ImportFormat {
  readonly id: string;
  readonly title: string;
  readonly format: ClientFormat;
  /** Every name of a tool there, from the id of its server and its raw name, today's first. */
  readonly namesOf: (server: string, raw: string) => readonly string[];
}

const YAML_GATEWAYS = new Set(["agentgateway", "docker-gateway", "litellm"]);

/** Other gateways: their own rules for names, and files of their own or like those of clients. */
const GATEWAYS: readonly ImportFormat[] = GATEWAY_SYSTEMS.map((system) => ({
  id: system.id,
  title: system.title,
  format: YAML_GATEWAYS.has(system.id) ? "yaml" : "json",
  // Names in toolboxes stay as they are; outside of them mcp-workbench had the rest of its form.
  namesOf: (server, raw) =>
    system.id === "workbench" ? [`${server}__${raw}`] : namesIn(system, { toolbox: undefined, server, raw }),
}));

/** Every client whose file can be read. */
export const IMPORT_FORMATS: readonly ImportFormat[] = [
  ...GATEWAYS,
  ...CLIENTS.flatMap(({ id, title, files: [file] }): readonly ImportFormat[] => {
    const profile = findProfile(id);
    if (file === undefined || profile === undefined) return [];
    return [{ id, title, format: file.format, namesOf: (server, raw) => [sentName(raw, profile, server)] }];
  }),
].sort((a, b) => (a.id < b.id ? -1 : 1));

/** A gateway may be told to put another text between server and tool; its file says so. */
export function withSeparator(format: ImportFormat, value: unknown): ImportFormat {
  const said = format.id === "mcphub" ? fieldOf(fieldOf(value, "systemConfig"), "nameSeparator") : undefined;
  if (typeof said !== "string" || said === "") return format;
  return { ...format, namesOf: (server, raw) => [`${server}${said}${raw}`, ...format.namesOf(server, raw)] };
}

/** @throws OnymError `usage`, with the nearest id and the whole list. */
export function importFormatOf(text: string): ImportFormat {
  const format = IMPORT_FORMATS.find(({ id }) => id === text.toLowerCase());
  if (format === undefined) throw unknownFormat(text);
  return format;
}

function unknownFormat(text: string): OnymError {
  const ids = IMPORT_FORMATS.map(({ id }) => id);
  return usageError(
    `There is no ${quoteText(text)} to import from.`,
    `${didYouMean(text, ids)}Configs of these can be read: ${ids.join(", ")}.`,
  );
}

/** Whose file it is, by what it holds or by where clients keep theirs; `undefined` where nothing tells. */
export function detectFormat(file: string, value: unknown): ImportFormat | undefined {
  const path = file.replaceAll("\\", "/");
  const byId = (wanted: string) => IMPORT_FORMATS.find(({ id }) => id === wanted);
  if (objectOf(fieldOf(value, "toolboxes")) !== undefined) return byId("workbench");
  if (objectOf(fieldOf(value, "mcpProxy")) !== undefined) return byId("mcp-proxy");
  if (objectOf(fieldOf(value, "extensions")) !== undefined) return byId("goose");
  if (objectOf(fieldOf(value, "registry")) !== undefined) return byId("docker-gateway");
  if (fieldOf(value, "binds") !== undefined || fieldOf(fieldOf(value, "mcp"), "targets") !== undefined)
    return byId("agentgateway");
  if (typeof fieldOf(value, "image") === "string" || typeof fieldOf(value, "remote_url") === "string")
    return byId("toolhive");
  if (["model_list", "litellm_settings", "general_settings"].some((key) => fieldOf(value, key) !== undefined))
    return byId("litellm");
  if (
    path.endsWith("/mcp_settings.json") &&
    ["systemConfig", "users", "groups"].some((key) => fieldOf(value, key) !== undefined)
  )
    return byId("mcphub");
  if (/(?:^|\/)1mcp\//.test(path)) return byId("1mcp");
  if (/(?:^|\/)(?:mcphub|mcp-hub)\//.test(path)) return byId("mcp-hub");
  if (path.endsWith(".toml") && fieldOf(value, "mcp_servers") !== undefined) return byId("codex");
  if (fieldOf(value, "context_servers") !== undefined) return byId("zed");
  if (fieldOf(value, "amp.mcpServers") !== undefined) return byId("amp");
  const client = CLIENTS.find(({ files }) => files.some(({ place }) => isAt(path, place)));
  if (client !== undefined) return byId(client.id);
  return fieldOf(value, "servers") === undefined ? undefined : byId("vscode");
}

/** The last parts of the path are those of the place, and tell clients apart: `.cursor/mcp.json`, not `mcp.json`. */
function isAt(path: string, place: string): boolean {
  const tail = place.replace(/^\{\w+\}\//, "");
  return !["config.toml", "mcp.json"].includes(tail) && (path === tail || path.endsWith(`/${tail}`));
}

// The names that another tool gave: which of them lead to their tools by themselves, and which need a rename.

export interface OldNames {
  /** For the tools that are known, and only where the old name would not be found anyway. */
  readonly renames: readonly Rename[];
  readonly notes: readonly string[];
}

/** Stands for the tools of a server that are not known before it runs. */
const ANY = "TOOL";

export function oldNamesOf(
  servers: readonly MergedServer[],
  { title, namesOf }: Pick<ImportFormat, "title" | "namesOf">,
): OldNames {
  const known = servers.map(({ id, entry, mentions }) => ({
    server: id,
    tools: [...new Set([...listedNames(entry.tools), ...mentions])],
  }));
  const { catalog, resolve } = buildSnapshot(known);
  const claims = new Map<string, Tool[]>();
  for (const tool of catalog.tools) {
    const shown = servers
      .find(({ id }) => id === tool.server)
      ?.shownAs?.flatMap(([raw, name]) => (raw === tool.raw ? [name] : []));
    const old = [tool.raw, ...(shown ?? [])].flatMap((raw) => namesOf(tool.server, raw));
    for (const name of new Set(old)) claims.set(name, [...(claims.get(name) ?? []), tool]);
  }
  const renames: Rename[] = [];
  const notes: string[] = [];
  for (const [from, [tool, ...others]] of claims) {
    if (tool === undefined) continue;
    if (others.length > 0) {
      const owners = [tool, ...others].map(({ server }) => quoteText(server)).join(" and ");
      notes.push(`${quoteText(from)} was a tool of ${owners}; it leads to neither until you add a rename.`);
      continue;
    }
    const found = resolve(from);
    if (found.outcome === "resolved" && found.tool === tool) continue;
    if (found.outcome === "resolved" && found.step === "public")
      notes.push(`${quoteText(from)} is now the name of ${quoteText(found.tool.canonical)}.`);
    else renames.push({ from, to: tool.canonical, policy: "accept" });
  }
  if (renames.length > 0)
    notes.push(`${countNoun(renames.length, "old name")} of ${title} kept in "renames".`);
  return { renames, notes: [...notes, ...notesOfUnknown(servers, { title, namesOf })] };
}

/** Tried with a tool of every server that is not static, not guessed. */
function notesOfUnknown(
  servers: readonly MergedServer[],
  { title, namesOf }: Pick<ImportFormat, "title" | "namesOf">,
): readonly string[] {
  const unknown = servers.filter(({ entry, isListed }) => entry.tools === undefined && isListed !== true);
  if (unknown.length === 0) return [];
  const { catalog, resolve } = buildSnapshot(unknown.map(({ id }) => ({ server: id, tools: [ANY] })));
  const nameOf = ({ server, raw }: Tool): string => namesOf(server, raw)[0] ?? raw;
  const isFound = (tool: Tool): boolean => {
    const found = resolve(nameOf(tool));
    return found.outcome === "resolved" && found.tool === tool;
  };
  const [good, bad] = [catalog.tools.filter(isFound), catalog.tools.filter((tool) => !isFound(tool))];
  const show = (tools: readonly Tool[]) =>
    [...new Set(tools.map((tool) => quoteText(nameOf(tool))))].slice(0, 3).join(", ");
  if (bad.length > 0 && bad.every((tool) => nameOf(tool) === tool.raw)) {
    return [
      `${title} showed tools under their raw names; such a name is found while only one server has it.`,
    ];
  }
  return [
    ...(good.length === 0 ? [] : [`Names as ${title} had them (${show(good)}) are found as they are.`]),
    ...(bad.length === 0
      ? []
      : [
          `Names as ${title} had them (${show(bad)}) are not found, because the tools are not known yet. ` +
            'Import again with --live, list them under "tools", or add renames.',
        ]),
  ];
}

function listedNames(tools: unknown): readonly string[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool: unknown) => {
    const name = typeof tool === "string" ? tool : fieldOf(tool, "name");
    return typeof name === "string" ? [name] : [];
  });
}
