// The tools whose configs can be imported, and the names under which each of them showed tools.

import { findProfile, type OnymError, quoteText, sentName } from "@onym/core";
import { didYouMean } from "../../../config/json/near-text.js";
import { usageError } from "../../usage-error.js";
import type { ClientFormat } from "./client.js";
import { CLIENTS } from "./find-client.js";
import { fieldOf, objectOf } from "./server-maps.js";

export interface ImportFormat {
  readonly id: string;
  readonly title: string;
  readonly format: ClientFormat;
  /** The name of a tool there, from the id of its server and its raw name. */
  readonly nameOf: (server: string, raw: string) => string;
}

/** Other gateways: their own rules for names, and files that look like those of clients. */
const GATEWAYS: readonly ImportFormat[] = [
  { id: "mcp-hub", title: "mcp-hub", format: "json", nameOf: (server, raw) => `${server}__${raw}` },
  { id: "workbench", title: "mcp-workbench", format: "json", nameOf: (server, raw) => `${server}__${raw}` },
  { id: "1mcp", title: "1MCP", format: "json", nameOf: (server, raw) => `${server}_1mcp_${raw}` },
  {
    id: "metamcp",
    title: "MetaMCP",
    format: "json",
    nameOf: (server, raw) => `${server.replace(/[^A-Za-z0-9_-]/g, "")}__${raw}`,
  },
  // One endpoint for each server, so names stay as they are.
  { id: "mcp-proxy", title: "mcp-proxy (TBXark)", format: "json", nameOf: (_, raw) => raw },
];

/** Every client whose file can be read. */
export const IMPORT_FORMATS: readonly ImportFormat[] = [
  ...GATEWAYS,
  ...CLIENTS.flatMap(({ id, title, files }): readonly ImportFormat[] => {
    const format = files.find((file) => file.format !== "yaml")?.format;
    const profile = findProfile(id);
    if (format === undefined || profile === undefined) return [];
    return [{ id, title, format, nameOf: (server, raw) => sentName(raw, profile, server) }];
  }),
].sort((a, b) => (a.id < b.id ? -1 : 1));

/** @throws OnymError `usage`, with the nearest id and the whole list. */
export function importFormatOf(text: string): ImportFormat {
  const format = IMPORT_FORMATS.find(({ id }) => id === text.toLowerCase());
  if (format === undefined) throw unknownFormat(text);
  return format;
}

function unknownFormat(text: string): OnymError {
  const ids = IMPORT_FORMATS.map(({ id }) => id);
  const isYaml = CLIENTS.some(
    ({ id, files }) => id === text && files.some(({ format }) => format === "yaml"),
  );
  return usageError(
    isYaml
      ? `The files of ${quoteText(text)} are YAML, which is not read.`
      : `There is no ${quoteText(text)} to import from.`,
    `${didYouMean(text, ids)}Configs of these can be read: ${ids.join(", ")}.`,
  );
}

/** Whose file it is, by what it holds or by where clients keep theirs; `undefined` where nothing tells. */
export function detectFormat(file: string, value: unknown): ImportFormat | undefined {
  const path = file.replaceAll("\\", "/");
  const byId = (wanted: string) => IMPORT_FORMATS.find(({ id }) => id === wanted);
  if (objectOf(fieldOf(value, "toolboxes")) !== undefined) return byId("workbench");
  if (objectOf(fieldOf(value, "mcpProxy")) !== undefined) return byId("mcp-proxy");
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
  return tail !== "config.toml" && (path === tail || path.endsWith(`/${tail}`));
}
