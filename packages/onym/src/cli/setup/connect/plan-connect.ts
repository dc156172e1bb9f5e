// All that `onym connect` is about to write, before anything is written: which servers move, how the client reaches Onym, and
// what becomes of its permission lists (LOCK-7).

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { quoteText } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import type { Machine } from "../../../clients/client-paths.js";
import { homeOf } from "../../../config/files/user-folders.js";
import type { Edit } from "../../../documents/edit.js";
import { editDocument, isSame, readDocument, valueAt } from "../../../documents/edit-document.js";
import { readFileBytes } from "../../../documents/replace-file.js";
import { OnymError } from "../../../model/onym-error.js";
import { showPath } from "../../../model/show-path.js";
import type { Terminal } from "../../../output/terminal.js";
import { usageError } from "../../usage-error.js";
import { type ConfigText, editConfigText, serversPath } from "../servers/config-file.js";
import { chooseGateway, type GatewayChoice, type GatewayOptions } from "./choose-gateway.js";
import { noteSwitches } from "./note-switches.js";
import type { ClientServer, OpenedClient } from "./open-client.js";
import type { CarryPlan } from "./permissions/plan-carry.js";
import { type Moved, type Moving, planMove, type ServerOutcome } from "./plan-move.js";
import { listsOf, NO_RULES, NOTHING_CARRIED, planRules, readRules } from "./plan-rules.js";
import { type DeniedTools, findDenied } from "./tools-behind.js";
import { findUntrustedServers } from "./trust-client-file.js";
import type { LaunchId } from "./undo/kept-ids.js";

export interface PlannedFile {
  readonly file: string;
  readonly shown: string;
  readonly role: "client" | "config";
  readonly format: "json" | "toml" | "yaml";
  readonly before: Buffer | undefined;
  readonly after: string;
}

export interface ConnectPlan {
  readonly opened: OpenedClient;
  readonly gateway: GatewayChoice;
  readonly files: readonly PlannedFile[];
  readonly servers: readonly ServerOutcome[];
  readonly carry: CarryPlan;
  /** How the servers that move are started, under which id. */
  readonly launches: readonly LaunchId[];
  /** The config that they move to. */
  readonly config: string;
  /** By the policy that the config has already. */
  readonly denied: readonly DeniedTools[];
  /** The config, as people read its path. */
  readonly configShown: string;
  readonly notes: readonly string[];
}

export interface PlanOptions extends Pick<GatewayOptions, "stdio" | "http" | "url"> {
  readonly alias?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly version: string;
}

const NO_SERVERS = "Onym has no servers yet, so there are no tools: onym add NAME -- COMMAND adds one.";

/** Asks whether the servers of a project's file are trusted. @throws OnymError; nothing was written then. */
export async function planConnect(
  opened: OpenedClient,
  config: ConfigText,
  options: PlanOptions,
  terminal: Terminal,
): Promise<ConnectPlan> {
  const { client } = opened;
  const alias = options.alias ?? DEFAULT_ALIAS;
  const machine: Machine = { platform: process.platform, env: terminal.env, project: terminal.cwd };
  const isOwn = (server: ClientServer): boolean => server.isOnym || isRegistration(server, alias);
  const others = opened.servers.filter((server) => !isOwn(server));
  if (others.some(({ id, isOfProject }) => id === alias && !isOfProject))
    throw usageError(
      `${client.title} has another server that is called ${quoteText(alias)}.`,
      "Register Onym under another name: --as NAME.",
    );
  const elsewhere = options.url !== undefined;
  const moving = elsewhere
    ? undefined
    : await planMove(
        {
          servers: others,
          untrusted: await findUntrustedServers(opened, { ...options, servers: others }, terminal),
          opened,
        },
        config,
        options,
        terminal,
      );
  const gateway = await chooseGateway(
    client,
    { ...options, alias, config: config.file, parsed: moving?.config, held: heldBy(opened, isOwn) },
    terminal,
  );
  const found = moving === undefined ? NO_RULES : readRules(opened, moving.moved, machine);
  const { carry, notes: apart } =
    moving === undefined
      ? { carry: NOTHING_CARRIED, notes: [] }
      : await planRules({ opened, alias, rules: found.rules, moving }, terminal);
  const { caller } = gateway;
  const denied = moving === undefined ? [] : await findDenied({ opened, alias, moving, caller }, terminal);
  const files = [
    ...(moving === undefined ? [] : planConfig(config, moving, carry, gateway)),
    ...planClient({ opened, alias, gateway, carry, machine }, moving?.moved ?? [], isOwn),
  ];
  const stays: readonly ServerOutcome[] = elsewhere
    ? others.map(({ id }) => ({
        id,
        outcome: "stays",
        reason: "the gateway elsewhere has servers of its own",
      }))
    : [];
  return {
    opened,
    gateway,
    files,
    servers: moving?.outcomes ?? stays,
    carry,
    launches: moving?.launches ?? [],
    config: config.file,
    denied,
    configShown: config.shown,
    notes: [
      ...noteNotFound(opened, machine),
      ...noteShared(opened, gateway, elsewhere),
      ...noteSwitches(opened, alias, machine),
      ...(moving?.notes ?? []),
      ...found.notes,
      ...apart,
      ...(moving?.config.servers.length === 0 ? [NO_SERVERS] : []),
    ],
  };
}

/** Files of a project are often committed, and shared with others who have other paths. */
function noteShared(
  { isOwn, shown }: OpenedClient,
  { transport, address }: GatewayChoice,
  elsewhere: boolean,
): readonly string[] {
  const isSecret = transport === "http" && address.headers !== undefined;
  if (isOwn || (elsewhere && !isSecret)) return [];
  const what = isSecret
    ? "a token"
    : transport === "stdio"
      ? "paths of this machine"
      : "an address of this machine";
  return [`${shown} is of a project, and gets ${what}: do not commit it if others share it.`];
}

/** A client that was started once has made the folder of its file, if that is a folder of its own. */
function noteNotFound(
  { client, path, shown, bytes, isOwn }: OpenedClient,
  machine: Machine,
): readonly string[] {
  if (bytes !== undefined) return [];
  const folder = dirname(path);
  if (isOwn && folder !== homeOf(machine) && existsSync(folder)) return [];
  return [
    isOwn
      ? `${client.title} was not found here; this creates ${shown}.`
      : `${shown} was not found; this creates it.`,
  ];
}

function heldBy({ servers }: OpenedClient, isOwn: (server: ClientServer) => boolean): string | undefined {
  const own = servers.find(isOwn)?.carried;
  return own !== undefined && "entry" in own ? own.entry.headers?.["Authorization"] : undefined;
}

/** An entry that an earlier `connect` wrote for a gateway elsewhere. */
function isRegistration({ id, carried }: ClientServer, alias: string): boolean {
  const url = "entry" in carried ? carried.entry.url : undefined;
  return id === alias && url !== undefined && /\/mcp(?:\/[\w-]+)?(?:\?|$)/.test(url);
}

function planConfig(
  config: ConfigText,
  { edits }: Moving,
  { policy }: CarryPlan,
  { token }: GatewayChoice,
): readonly PlannedFile[] {
  const existing = valueAt(config.value, ["policy", "rules"]);
  const before: readonly unknown[] = Array.isArray(existing) ? existing : [];
  const isIn = (rules: readonly unknown[], rule: object): boolean =>
    rules.some((one) => isSame({ ...Object(one), note: "" }, { ...rule, note: "" }));
  const added = policy.filter((rule, index) => !isIn([...before, ...policy.slice(0, index)], rule));
  const all: readonly Edit[] = [
    ...edits,
    ...(added.length === 0 ? [] : [{ path: ["policy", "rules"], value: [...before, ...added] }]),
    ...(token === undefined ? [] : [{ path: ["auth", "tokens", { name: token.name }], value: token }]),
  ];
  // A client cannot start Onym with a config that is not there.
  const needed: readonly Edit[] =
    all.length === 0 && !config.exists ? [{ path: serversPath(config.value), value: {} }] : all;
  if (needed.length === 0) return [];
  const original = config.exists ? Buffer.from(config.text) : undefined;
  const after = editConfigText(config, needed);
  return [
    { file: config.file, shown: config.shown, role: "config", format: "json", before: original, after },
  ];
}

function planClient(
  {
    opened,
    alias,
    gateway,
    carry,
    machine,
  }: {
    readonly opened: OpenedClient;
    readonly alias: string;
    readonly gateway: GatewayChoice;
    readonly carry: CarryPlan;
    readonly machine: Machine;
  },
  moved: readonly Moved[],
  isOwn: (server: ClientServer) => boolean,
): readonly PlannedFile[] {
  const { client, file, path, shown, value, bytes, text } = opened;
  const forms = listsOf(opened, machine).map(({ form, target }) => ({
    form,
    target,
    changes: carry.changes.get(form) ?? [],
  }));
  const additions = forms.flatMap(({ form, changes }) =>
    changes.length === 0 ? [] : [form.entry?.(changes) ?? {}],
  );
  const entry = {
    ...client.entry?.[gateway.transport]?.(gateway.address),
    ...Object.assign({}, ...additions),
  };
  const registered = file.isList === true ? { name: alias, ...entry } : entry;
  const place = [...file.servers, file.isList === true ? { name: alias } : alias];
  const stale = opened.servers.filter((server) => isOwn(server) && server.id !== alias);
  const edits: readonly Edit[] = [
    ...[...moved.map(({ server }) => server), ...stale].map((server) => ({ path: server.path })),
    { path: place, value: registered },
    ...forms.flatMap(({ form, target, changes }) =>
      target === undefined ? (form.edits?.(value, changes, alias) ?? []) : [],
    ),
  ];
  const edited = editOrThrow(text, file.format, edits, shown);
  const own: readonly PlannedFile[] =
    edited === text && bytes !== undefined
      ? []
      : [{ file: path, shown, role: "client", format: file.format, before: bytes, after: edited }];
  const lists = forms.flatMap(({ form, target, changes }): readonly PlannedFile[] => {
    if (target === undefined || changes.length === 0) return [];
    const read = readFileBytes(target);
    const before = read.kind === "bytes" ? read : undefined;
    const parsed = readDocument(before?.text ?? "", form.format);
    const listEdits = form.edits?.(parsed.ok ? parsed.value : undefined, changes, alias) ?? [];
    const listShown = showPath(target, machine.project, homeOf(machine));
    const after = editOrThrow(before?.text ?? "", form.format, listEdits, listShown);
    return [
      { file: target, shown: listShown, role: "client", format: form.format, before: before?.bytes, after },
    ];
  });
  return [...own, ...lists];
}

function editOrThrow(
  text: string,
  format: PlannedFile["format"],
  edits: readonly Edit[],
  shown: string,
): string {
  const edited = editDocument(text, format, edits);
  if (edited.ok) return edited.text;
  throw new OnymError(
    "client-uneditable",
    `${shown} is left as it is: ${edited.reason}.`,
    "Register Onym there by hand; onym init --client shows how. Nothing was changed.",
  );
}
