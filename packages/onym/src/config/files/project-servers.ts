// Servers that stand in a config but belong to projects: they are counted and told of, not read.

import type { Node } from "jsonc-parser";
import type { JsonDocument } from "../json/json-document.js";
import { propertiesOf } from "../json/read-value.js";

/** Claude Code keeps the servers of each project in a file of its own, `projects.FOLDER.mcpServers`. */
export function countProjectServers({ root }: JsonDocument): number {
  const inside = (node: Node | undefined, key: string): readonly Node[] =>
    node?.type === "object"
      ? propertiesOf(node).flatMap((property) => (property.key === key ? [property.valueNode] : []))
      : [];
  return inside(root, "projects")
    .flatMap((projects) => (projects.type === "object" ? propertiesOf(projects) : []))
    .flatMap(({ valueNode }) => inside(valueNode, "mcpServers"))
    .reduce((sum, servers) => sum + (servers.type === "object" ? propertiesOf(servers).length : 0), 0);
}

export function notesOfProjects(inProjects: number): readonly string[] {
  if (inProjects === 0) return [];
  const servers = inProjects === 1 ? "1 server" : `${inProjects} servers`;
  return [
    `${servers} under "projects" ${inProjects === 1 ? "was" : "were"} not read. Name the .mcp.json of a project with --config, or copy them to an onym.json.`,
  ];
}
