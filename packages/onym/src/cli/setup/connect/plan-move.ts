// Which servers of a client move to Onym's config, under which ids, and what the config gets. Those that Onym cannot start stay.

import { isAbsolute, resolve } from "node:path";
import { quoteText } from "@onym/core";
import { launchText, mergeServers } from "../../../clients/merge-servers.js";
import { type Carried, serverEntryOf } from "../../../clients/server-entry-of.js";
import type { Config } from "../../../config/config.js";
import { belongsTo } from "../../../config/launches/place-server.js";
import type { Edit } from "../../../documents/edit.js";
import type { Terminal } from "../../../output/terminal.js";
import { askServers, type LiveServer } from "../../catalog/live-servers.js";
import {
  type ConfigText,
  editConfigText,
  listWritten,
  readConfigText,
  serversPath,
} from "../servers/config-file.js";
import { type ClientServer, type OpenedClient, projectOf } from "./open-client.js";
import { trustCommand } from "./trust-client-file.js";
import { type LaunchId, loadKeptIds } from "./undo/kept-ids.js";

/** What becomes of one server of the client. */
export type ServerOutcome =
  | {
      readonly id: string;
      readonly outcome: "moved" | "merged";
      readonly as: string;
      readonly tools: number | undefined;
      /** It was off in the client, and is off in Onym. */
      readonly disabled?: true;
    }
  | { readonly id: string; readonly outcome: "stays"; readonly reason: string };

export interface Moved {
  readonly server: ClientServer;
  /** Its id in the config. */
  readonly as: string;
}

export interface Moving {
  readonly moved: readonly Moved[];
  readonly outcomes: readonly ServerOutcome[];
  /** What the config gets. */
  readonly edits: readonly Edit[];
  readonly config: Config;
  readonly answers: readonly LiveServer[];
  /** How those that move are started, under which id. */
  readonly launches: readonly LaunchId[];
  readonly notes: readonly string[];
}

export interface ClientServers {
  readonly servers: readonly ClientServer[];
  /** Those of them that nothing is started of (CFG-6). */
  readonly untrusted: ReadonlySet<ClientServer>;
  readonly opened: OpenedClient;
}

/**
 * Servers that Onym cannot start stay where they are, unless they are forced. So do those that are not trusted; a dry run shows
 * what would become of them.
 */
export async function planMove(
  { servers, untrusted, opened }: ClientServers,
  config: ConfigText,
  {
    force,
    dryRun,
    version,
  }: { readonly force?: boolean; readonly dryRun?: boolean; readonly version: string },
  terminal: Terminal,
): Promise<Moving> {
  const existing = listWritten(config.value).filter(({ toolbox }) => toolbox === undefined);
  const written = existing.map(({ id, entry }) => ({ id, carried: serverEntryOf(entry) }));
  const here = new Set(
    written.flatMap(({ carried }) => ("entry" in carried ? [launchText(carried.entry)] : [])),
  );
  const idBefore = loadKeptIds(config.file, terminal.env);
  const {
    outcomes,
    servers: merged,
    notes,
  } = mergeServers(
    [written, servers.map((server) => ({ id: server.id, carried: placeServer(server, opened, terminal) }))],
    (launch) => (here.has(launch) ? undefined : idBefore(launch)),
  );
  const known = new Set(existing.map(({ id }) => id));
  const path = serversPath(config.value);
  const editsFor = (chosen: readonly Moved[]): readonly Edit[] =>
    [...new Set(chosen.map(({ as }) => as))].flatMap((as) => {
      const entry = merged.find(({ id }) => id === as)?.entry;
      return known.has(as) || entry === undefined ? [] : [{ path: [...path, as], value: entry }];
    });
  const wanted = (outcomes[1] ?? []).flatMap((one, index): readonly Moved[] => {
    const server = servers[index];
    return server === undefined || one.outcome === "left-out" ? [] : [{ server, as: one.as }];
  });
  const draft = readConfigText(editConfigText(config, editsFor(wanted)), config, terminal);
  // What the config has already, its user has put there.
  const unasked = new Set(
    wanted.flatMap(({ server, as }) => (untrusted.has(server) && !known.has(as) ? [as] : [])),
  );
  const asked = draft.servers.filter(
    ({ isStatic, source }) => !isStatic && !(source.toolbox === undefined && unasked.has(source.server)),
  );
  if (terminal.isTTY && asked.length > 0) terminal.err("Asking the servers…\n");
  const answers = await askServers(draft, { servers: asked, version, quiet: true }, terminal);
  const failed = new Map(
    answers.flatMap(({ server, state }) =>
      state.kind === "failed" ? [[server.source.server, state] as const] : [],
    ),
  );
  const moved = wanted.filter(
    ({ as }) => (dryRun === true || !unasked.has(as)) && (force === true || known.has(as) || !failed.has(as)),
  );
  const edits = editsFor(moved);
  const settled = (outcomes[1] ?? []).map((one, index): ServerOutcome => {
    const { id } = one;
    if (one.outcome === "left-out") return { id, outcome: "stays", reason: one.reason };
    const isMoved = moved.some(({ server }) => server === servers[index]);
    const state = failed.get(one.as);
    if (!isMoved && unasked.has(one.as))
      return { id, outcome: "stays", reason: "nobody has trusted its launch yet" };
    if (!isMoved)
      return { id, outcome: "stays", reason: `Onym cannot start it: ${state?.reason ?? "unknown"}` };
    const answer = answers.find(({ server }) => server.source.server === one.as);
    const tools = answer?.state.kind === "ready" ? answer.state.inventory.tools.length : undefined;
    return {
      id,
      outcome: one.outcome === "same" || known.has(one.as) ? "merged" : "moved",
      as: one.as,
      tools,
      ...(merged.find(({ id: kept }) => kept === one.as)?.entry.disabled === true ? { disabled: true } : {}),
    };
  });
  const local = servers.filter(({ isOfProject }) => isOfProject).map(({ id }) => quoteText(id));
  return {
    moved,
    outcomes: settled,
    edits,
    config: readConfigText(editConfigText(config, edits), config, terminal),
    answers,
    launches: moved.flatMap(({ as }) => {
      const entry = merged.find(({ id }) => id === as)?.entry;
      return entry === undefined ? [] : [{ launch: launchText(entry), id: as }];
    }),
    notes: [
      ...notes,
      ...(dryRun === true && unasked.size > 0
        ? [
            `${[...unasked].map((id) => quoteText(id)).join(", ")} ${unasked.size === 1 ? "was" : "were"} not started: you have not ` +
              `trusted ${opened.shown} yet (${trustCommand(opened, terminal)}). What does not start then stays in the client.`,
          ]
        : []),
      ...(local.length === 0
        ? []
        : [`${local.join(", ")} stood there for this folder alone, and will be there in every folder.`]),
    ],
  };
}

/** What is for one project is started there by the client: relative paths of its launch lead there from Onym's config, too. */
function placeServer(
  { carried, isOfProject }: ClientServer,
  opened: OpenedClient,
  { cwd }: Terminal,
): Carried {
  if (!("entry" in carried) || (opened.isOwn && !isOfProject)) return carried;
  const { entry } = carried;
  if (entry.command === undefined) return carried;
  const folder = projectOf(opened, cwd);
  const near = (path: string): string =>
    isAbsolute(path) || path.includes("${") ? path : resolve(folder, path);
  const place = entry.cwd === undefined ? (belongsTo(folder, entry) ? folder : undefined) : near(entry.cwd);
  return {
    ...carried,
    entry: {
      ...entry,
      ...(place === undefined ? {} : { cwd: place }),
      ...(entry.envFile === undefined ? {} : { envFile: near(entry.envFile) }),
    },
  };
}
