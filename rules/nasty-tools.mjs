// The tools of the three servers: names that clients are known to stumble over. Each is known by a marker in its
// description and in its result, never by its name.

import { readFileSync } from "node:fs";

const [run] = JSON.parse(readFileSync(new URL("../test/data/client-runs.json", import.meta.url), "utf8"));

export const SERVERS = [...new Set(run.names.map(({ server }) => server))];

/** In the order in which the server lists them. */
export function toolsOf(server) {
  const raws = run.names.filter((name) => name.server === server).map(({ raw }) => raw);
  return raws.map((raw, at) => ({ raw, marker: `${server}#${at}` }));
}

export const ALL_TOOLS = SERVERS.flatMap((server) => toolsOf(server).map((tool) => ({ server, ...tool })));

export const describeTool = (marker) => `A tool for trials [marker ${marker}]`;
export const resultOf = (marker) => `called [reached ${marker}]`;

export const markerIn = (text) => /\[marker ([^\]]+)\]/.exec(text ?? "")?.[1];
export const reachedIn = (text) => /\[reached ([^\]]+)\]/.exec(text ?? "")?.[1];
