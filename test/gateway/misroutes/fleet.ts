// The downstreams of the run, hostile and awful, and what the test knows of them: who runs, who has which tools.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../project-files.js";
import { gatewaySources } from "../../servers/awful-tools.js";
import type { Control, Directed, Script } from "../../servers/control.js";
import type { RunningOnym } from "../harness.js";
import { type Identity, identityConfig, keyOf } from "./identity.js";

type Eras = NonNullable<Script["eras"]>;

interface Kind {
  readonly transport: "stdio" | "http";
  readonly eras: Eras;
  /** Lies with every answer. */
  readonly lies?: true;
  /** Comes and goes with the config. */
  readonly guest?: true;
}

const LEGACY: Eras = ["legacy"];
const MODERN: Eras = ["modern"];
const BOTH: Eras = ["legacy", "modern"];

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["docs", { transport: "stdio", eras: LEGACY, lies: true }],
  ["crm", { transport: "http", eras: LEGACY }],
  ["files", { transport: "stdio", eras: MODERN, lies: true }],
  ["Files 2", { transport: "http", eras: MODERN }],
  ["日本", { transport: "stdio", eras: BOTH }],
  ["docs_search", { transport: "http", eras: BOTH }],
  ["__proto__", { transport: "stdio", eras: LEGACY }],
  ["a.b", { transport: "http", eras: LEGACY }],
  ["a b", { transport: "stdio", eras: MODERN }],
  ["100%", { transport: "http", eras: MODERN }],
  ["onym", { transport: "stdio", eras: BOTH, lies: true, guest: true }],
  ["mcp", { transport: "http", eras: BOTH, guest: true }],
]);

/** Raw names that are names of others' tools, in one spelling or another. */
const SHADOWS: readonly string[] = [
  "search",
  "crm_search",
  "mcp__onym__crm_search",
  "mcp_onym_crm_search",
  "crm@1/search@1",
  "crm@1~search@1",
  "crm%401%2Fsearch%401",
  "crm.search",
  "crm/search",
  "mcp__crm__search",
  "crm_search_2",
  "docs_search",
  "docs_search_search",
  "onym__docs_search",
  "files_read",
  "files_files_read",
  "a_b_search_2",
  "onym_search",
];

export interface Server {
  readonly id: string;
  readonly kind: Kind;
  /** What it offers now, as it was told. */
  readonly tools: Map<string, unknown>;
  /** Is in the config. */
  present: boolean;
  /** Grows with everything that may make calls to it fail. */
  epoch: number;
  /** Things under way that may make calls to it fail. */
  troubles: number;
  url: string | undefined;
  directed: () => Promise<Directed>;
}

export interface Fleet {
  readonly servers: readonly Server[];
  readonly serverOf: (id: string) => Server;
  readonly isKnown: (identity: Identity) => boolean;
  /** Offers these from now on, and notes it before the server is told. */
  readonly note: (server: Server, names: readonly string[]) => void;
  readonly config: () => unknown;
  readonly writeConfig: (onym: RunningOnym) => void;
  /** A new process at a new address, with the tools of the beginning. */
  readonly startHttp: (server: Server) => Promise<void>;
  /** After a restart: what the script says. */
  readonly forget: (server: Server) => void;
}

export function createFleet(control: Control, folder: string): Fleet {
  const known = new Set<string>();
  const entries = new Map<string, unknown>();
  const servers = [...KINDS].map(([id, kind]): Server => {
    const tools = new Map<string, unknown>();
    return {
      id,
      kind,
      tools,
      present: kind.guest !== true,
      epoch: 0,
      troubles: 0,
      url: undefined,
      directed: () => control.server(id),
    };
  });
  const note = ({ id }: Server, names: readonly string[]): void => {
    for (const raw of names) known.add(keyOf({ server: id, raw }));
  };
  const forget = (server: Server): void => {
    server.tools.clear();
    for (const name of firstTools(server.id)) server.tools.set(name, name);
    note(server, [...server.tools.keys()]);
  };
  const scriptOf = ({ id, kind }: Server): Script => ({
    label: id,
    tools: firstTools(id),
    eras: kind.eras,
    pageSize: 20,
  });
  for (const server of servers) {
    forget(server);
    if (server.kind.transport === "http") continue;
    const { command, args } = control.stdioEntry(scriptOf(server), folder);
    const liar = join(projectRoot, "test/gateway/misroutes/liar-server.mjs");
    const [, script = ""] = args;
    entries.set(server.id, { command, args: server.kind.lies ? [liar, script] : args });
  }
  const config = () => ({
    mcpServers: Object.fromEntries(
      servers
        .filter(({ present }) => present)
        .map(({ id, url }) => [id, { ...((entries.get(id) ?? { url }) as object), ...identityConfig(id) }]),
    ),
    limits: { frameBytes: 256 * 1024, callMs: 30_000 },
  });
  return {
    servers,
    serverOf: (id) => {
      const found = servers.find((server) => server.id === id);
      if (found === undefined) throw new Error(`no server ${id}`);
      return found;
    },
    isKnown: (identity) => known.has(keyOf(identity)),
    note,
    config,
    writeConfig: ({ dir }) => writeFileSync(join(dir, "onym.json"), JSON.stringify(config())),
    async startHttp(server) {
      forget(server);
      const { url } = await control.startHttp(scriptOf(server));
      server.url = url;
    },
    forget,
  };
}

function firstTools(id: string): readonly string[] {
  const source = gatewaySources.find(({ server }) => server === id);
  if (source === undefined) return SHADOWS;
  return source.tools.map((tool) => (typeof tool === "string" ? tool : tool.name));
}
