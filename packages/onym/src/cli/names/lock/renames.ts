// onym renames: old names, how long they work, who still calls them, and renames that are likely (LOCK-2, LOCK-3).

import type { Tool, ToolKey } from "@onym/core";
import { renameWindow } from "@onym/core/resolve";
import { nearestText } from "../../../config/json/near-text.js";
import { hasStore } from "../../../configured/store-place.js";
import type { ExitCode } from "../../../output/show-error.js";
import { showNote } from "../../../output/show-note.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import type { Store } from "../../../store/store.js";
import { noteLeft } from "../../catalog/left-out.js";
import { type Opened, type OpenOptions, openLiveSnapshot } from "../../catalog/open-live.js";
import type { DefineCommand } from "../../command.js";
import { addCatalogOptions, addJsonOption, addLiveOption } from "../../options.js";
import { isoMoment } from "../../read-moment.js";
import { loadKeyNames } from "../../store/name-keys.js";
import { launchesOf } from "../../store/new-tools.js";
import { useStore } from "../../store/with-store.js";
import { type DeclaredRename, formatRenames, type OldNameUse } from "./format-renames.js";
import { proposeRenames, type RenameProposal } from "./propose-renames.js";
import { proposeServers, type ServerProposal } from "./propose-servers.js";

interface RenamesOptions extends OpenOptions {
  readonly json?: boolean;
}

export const defineRenames: DefineCommand = (command, { terminal, run, version }) => {
  addCatalogOptions(addLiveOption(command));
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nNothing is renamed by itself: likely renames are printed as a block for the config.\n\nExamples:\n  onym renames\n  onym renames --live\n  onym renames --json",
    )
    .action((options: Omit<RenamesOptions, "version">) =>
      run(() => printRenames({ ...options, version }, terminal)),
    );
};

async function printRenames(options: RenamesOptions, terminal: Terminal): Promise<ExitCode> {
  const opened = await openLiveSnapshot({ ...options, until: "record" }, terminal);
  const { config } = opened;
  const declared = declaredRenames(opened, terminal.today);
  const proposals = proposalsOf(opened);
  const stored = hasStore(config)
    ? await useStore(config, terminal, async ({ store }) => (store ? loadStored(opened, store) : NOTHING))
    : NOTHING;
  const { used } = stored;
  const servers = serverProposalsOf(opened, stored.launches, terminal);
  if (options.json === true) {
    await writeJson(terminal, {
      declared,
      used: used.map(({ tool, lastAt, ...use }) => ({ ...use, ...tool, lastAt: isoMoment(lastAt) })),
      proposals,
      servers,
    });
    return 0;
  }
  await terminal.out(`${formatRenames({ declared, used, proposals, servers }, terminal).join("\n")}\n`);
  if (!hasStore(config)) showNote("there is no store, so nobody counts who calls old names.", terminal);
  if (opened.lock === undefined)
    showNote("there is no lock yet, so no likely renames are known; onym lock writes one.", terminal);
  noteLeft(opened, terminal);
  return 0;
}

interface Stored {
  readonly used: readonly OldNameUse[];
  readonly launches: readonly { readonly tool: ToolKey; readonly launch: string }[];
}

const NOTHING: Stored = { used: [], launches: [] };

async function loadStored({ config, snapshot }: Opened, store: Store): Promise<Stored> {
  const { nameKey } = await loadKeyNames(config, store);
  const present = new Map(
    snapshot.catalog.tools.flatMap((tool) =>
      snapshot.lineageOf(tool).former.map(({ key }) => [key, tool] as const),
    ),
  );
  const used = new Map<string, OldNameUse>();
  // A tool is counted under the first key that it had, and before its rename was declared under its own.
  for (const { tool: key, ...use } of await store.usage.list()) {
    const tool = nameKey(present.get(key)?.key ?? key);
    const id = JSON.stringify([use.name, use.caller, tool]);
    const before = used.get(id);
    const count = use.count + (before?.count ?? 0);
    used.set(id, { ...use, tool, count, lastAt: Math.max(use.lastAt, before?.lastAt ?? 0) });
  }
  const { tools } = await store.known.load();
  return { used: [...used.values()], launches: [...tools, ...(await store.approvals.history())] };
}

function declaredRenames(opened: Opened, today: string): readonly DeclaredRename[] {
  const { catalog } = opened.snapshot;
  const tools = new Map<string, Tool>(catalog.tools.map((tool) => [tool.canonical, tool]));
  return opened.config.renames.map((rename) => {
    const { from, to, since, policy = "warn" } = rename;
    // However it is written: without its toolbox, or as an old name that another entry goes on from.
    const found = opened.snapshot.resolve(to, { profile: "canonical" });
    const tool = found.outcome === "resolved" ? found.tool : undefined;
    const owner = catalog.servers.find((one) => one.server === tool?.server && one.toolbox === tool?.toolbox);
    const serverVersion = since === undefined ? undefined : owner?.serverVersion;
    const window = renameWindow(rename, { today, serverVersion });
    const isUncounted = window.state === "unknown";
    const state = tools.has(from)
      ? "taken"
      : window.state === "ended"
        ? "ended"
        : policy === "reject"
          ? "refused"
          : "in force";
    return {
      ...rename,
      policy,
      ends: window.ends,
      serverVersion,
      isUncounted,
      state,
      leads: tool !== undefined,
      ...(tool === undefined ? explainLost(to, opened) : {}),
    };
  });
}

function explainLost(to: string, { snapshot, hidden }: Opened): Pick<DeclaredRename, "lost" | "near"> {
  if (hidden.find(to) !== undefined) return { lost: "hidden by filters" };
  const isMissing = snapshot.problems.some(
    ({ code, tools }) => code === "rename-to-nothing" && tools.includes(to),
  );
  if (!isMissing) return { lost: "its server was not asked" };
  const near = nearestText(
    to,
    snapshot.catalog.tools.map(({ canonical }) => canonical),
  );
  return { lost: "no such tool", ...(near === undefined ? {} : { near }) };
}

function serverProposalsOf(
  { config, snapshot, live, lock }: Opened,
  launches: Stored["launches"],
  { env }: Terminal,
): readonly ServerProposal[] {
  if (lock === undefined) return [];
  const reached = launchesOf(config, env);
  return proposeServers({
    lock,
    launches,
    servers: config.servers.map((server) => {
      const { server: id, toolbox, formerly } = server.source;
      const isOf = (tool: Tool): boolean => tool.server === id && tool.toolbox === toolbox;
      const isAsked = server.isStatic || live.has(server);
      return {
        server: id,
        toolbox,
        formerly,
        launch: server.isStatic ? undefined : reached.get(server),
        tools: isAsked ? snapshot.catalog.tools.filter(isOf) : undefined,
      };
    }),
  });
}

function proposalsOf({ config, snapshot, live, lock }: Opened): readonly RenameProposal[] {
  if (lock === undefined) return [];
  // Only what a server announced itself is what a window may be counted from.
  const owners = config.servers
    .filter((server) => server.isStatic || live.has(server))
    .map((server) => ({ ...server.source, ...(live.has(server) ? {} : { serverVersion: undefined }) }));
  return proposeRenames({ lock, tools: snapshot.catalog.tools, owners, renames: config.renames });
}
