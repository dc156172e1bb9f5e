// Tells clients that their lists changed, once per real change (GW-7): one client after the other, between other requests
// (SAFE-4). Views that take effect in the meantime are told together.

import { createHash, type Hash } from "node:crypto";
import type { Notification } from "../../downstream/downstream.js";
import type { Log } from "../../model/log.js";
import { runAtOnce, runInSlices, type Steps } from "../../model/run-slices.js";
import type { Caller, Session } from "../caller.js";
import { type GatewaySnapshot, type NamesChoice, ownerKey } from "../catalog/gateway-snapshot.js";
import { describeError } from "../failure-codes.js";
import type { View } from "../gateway-context.js";
import { prepareDigest, shownDigest } from "../methods/list-tools.js";
import type { GatewaySettings } from "../settings.js";
import { confineSettings, confineView } from "../visibility/caller-visibility.js";

export interface AnnouncementPorts {
  readonly sessions: ReadonlySet<Session>;
  readonly listeners: ReadonlySet<ListListener>;
  /** The view in force, without a check for changes. */
  readonly inForce: () => View;
  /** Records a caller's names and returns the view that contains them. */
  readonly recordNames: (choice: NamesChoice) => View | Promise<View>;
  readonly settings: () => GatewaySettings;
  readonly log: Log;
}

/** A client without a session, as it asked for changes of lists. */
export interface ListListener {
  readonly caller: Caller;
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resourceLists: boolean;
  /** Digest of the tools at the start of the subscription or at the last notification. */
  shown: string | undefined;
  readonly notify: (notification: Notification) => void;
}

type ListChange = typeof TOOLS | typeof PROMPTS | typeof RESOURCES;

const TOOLS = "notifications/tools/list_changed";
const PROMPTS = "notifications/prompts/list_changed";
const RESOURCES = "notifications/resources/list_changed";

/** Times that tools are made ready for one client, each for a newer view. */
const MAX_ATTEMPTS = 3;

/** A client that may be told. */
interface ListClient {
  readonly caller: Caller;
  /** In whose turn it is told: in nobody's where others are told after it. */
  readonly callerKey?: string;
  /** Where its digest is kept. */
  readonly seen: { shown: string | undefined };
  readonly isThere: () => boolean;
  readonly wants: (change: ListChange) => boolean;
  readonly notify: (change: ListChange) => void;
}

/** Two views that took effect one after the other, perhaps with others in between. */
interface Swap {
  readonly before: View;
  readonly after: View;
}

export class Announcements {
  readonly #ports: AnnouncementPorts;
  /** The last view that was announced; clients start with the first. */
  #announced: View | undefined;
  #running: Promise<void> | undefined;
  /** A view took effect since the last round began. */
  #isDue = false;

  constructor(ports: AnnouncementPorts) {
    this.#ports = ports;
  }

  /** Call once the first view is in force. */
  start(): void {
    this.#announced = this.#ports.inForce();
  }

  /** Call after a new view takes effect. Resolves when everybody is told. Never rejects. */
  announce(): Promise<void> {
    this.#isDue = true;
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Notifies a session if its tools changed since it last saw them; `undefined` if there is nothing to wait for. */
  check(session: Session): Promise<void> | undefined {
    return this.#tell({ ...this.#sessionClient(session), callerKey: session.callerKey }, undefined);
  }

  async #run(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      await this.#runRound();
    }
    this.#running = undefined;
  }

  async #runRound(): Promise<void> {
    const { inForce, log } = this.#ports;
    const after = inForce();
    const swap = { before: this.#announced ?? after, after };
    this.#announced = after;
    // The first is taken off the end.
    const left = this.#clients().reverse();
    while (left.length > 0)
      await runInSlices(this.#tellSteps(left, swap)).catch((error: unknown) =>
        log("error", describeError(error)),
      );
  }

  /** A step for each client, up to one that must be waited for. */
  *#tellSteps(left: ListClient[], swap: Swap): Steps<Promise<void> | undefined> {
    for (let client = left.pop(); client !== undefined; client = left.pop()) {
      const told = client.isThere() ? this.#tell(client, swap) : undefined;
      if (told !== undefined) return told;
      yield;
    }
    return undefined;
  }

  /** A change is told after its names are recorded: before that, the list does not contain them. */
  #tell(client: ListClient, swap: Swap | undefined): Promise<void> | undefined {
    const shownBefore = client.seen.shown;
    const offers = prepareSwap(client, swap);
    const tools = this.#prepareTools(client);
    const notify = (view: View | undefined): void => {
      if (!client.isThere()) return;
      // A client that listed its tools meanwhile knows of them.
      if (view !== undefined && client.seen.shown === shownBefore) this.#notifyOfTools(client, view);
      if (swap !== undefined && swap.before !== swap.after) notifyOfOffers(client, swap);
    };
    if (offers.length === 0 && !(tools instanceof Promise)) {
      notify(tools);
      return undefined;
    }
    return Promise.all([this.#newest(client, tools), ...offers]).then(([view]) => notify(view));
  }

  /**
   * The newest view whose tools are made ready, so that views which take effect together are told once (GW-7). Where they take effect
   * all the time, one that is no longer in force is told: there would be no end (SAFE-5).
   */
  async #newest(client: ListClient, tools: View | Promise<View> | undefined): Promise<View | undefined> {
    let view = await tools;
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      const newer = this.#prepareTools(client);
      if (!(newer instanceof Promise)) return newer;
      view = await newer;
    }
    return view;
  }

  /** Records the client's names and makes the digest of its tools. The view that has both; `undefined` if it is not told of tools. */
  #prepareTools(client: ListClient): View | Promise<View> | undefined {
    if (!client.wants(TOOLS)) return undefined;
    const { caller, callerKey } = client;
    const { profile, as } = caller;
    const digested = (view: View): View | Promise<View> =>
      prepareFor(caller, view, this.#ports.settings(), callerKey)?.then(() => view) ?? view;
    const recorded = this.#ports.recordNames({ profile, as, callerKey });
    return recorded instanceof Promise ? recorded.then(digested) : digested(recorded);
  }

  #notifyOfTools(client: ListClient, view: View): void {
    const digest = digestFor(client.caller, view, this.#ports.settings());
    if (digest === client.seen.shown) return;
    client.seen.shown = digest;
    client.notify(TOOLS);
  }

  #clients(): ListClient[] {
    const { sessions, listeners } = this.#ports;
    return [
      ...[...sessions].map((session) => this.#sessionClient(session)),
      ...[...listeners].map((listener) => this.#listenerClient(listener)),
    ];
  }

  #sessionClient(session: Session): ListClient {
    return {
      caller: session,
      seen: session,
      isThere: () => this.#ports.sessions.has(session),
      // A client that never listed tools has no list that could have changed.
      wants: (change) => session.ready && (change !== TOOLS || session.shown !== undefined),
      notify: (method) => session.channel.notify({ method, params: {} }),
    };
  }

  #listenerClient(listener: ListListener): ListClient {
    const { caller, tools, prompts, resourceLists, notify } = listener;
    const wanted = { [TOOLS]: tools, [PROMPTS]: prompts, [RESOURCES]: resourceLists };
    return {
      caller,
      seen: listener,
      isThere: () => this.#ports.listeners.has(listener),
      wants: (change) => wanted[change],
      notify: (method) => notify({ method, params: {} }),
    };
  }
}

/** Makes the digests of what else servers offer, before and after; nothing if that is done. */
function prepareSwap({ caller, wants }: ListClient, swap: Swap | undefined): readonly Promise<unknown>[] {
  if (swap === undefined || !(wants(PROMPTS) || wants(RESOURCES))) return [];
  return [swap.before, swap.after].flatMap((view) => prepareOffers(seenBy(caller, view)) ?? []);
}

function notifyOfOffers(client: ListClient, swap: Swap): void {
  const [before, after] = [swap.before, swap.after].map((view) => offersOf(seenBy(client.caller, view)));
  if (before?.prompts !== after?.prompts && client.wants(PROMPTS)) client.notify(PROMPTS);
  if (before?.resources !== after?.resources && client.wants(RESOURCES)) client.notify(RESOURCES);
}

function seenBy(caller: Caller, view: View): View["snapshot"] {
  return confineView(view, caller).snapshot;
}

/** Makes the digest of the list that this caller would get now; `undefined` if there is nothing to wait for. */
function prepareFor(
  caller: Caller,
  view: View,
  settings: GatewaySettings,
  callerKey: string | undefined,
): Promise<void> | undefined {
  return prepareDigest(caller, confineView(view, caller), confineSettings(settings, view, caller), callerKey);
}

export function digestFor(caller: Caller, view: View, settings: GatewaySettings): string {
  return shownDigest(caller, confineView(view, caller), confineSettings(settings, view, caller));
}

// Digests of the prompts and resources that servers offer, to see whether they changed.

/** Entries that are digested in one step. */
const STEP_ENTRIES = 100;

interface Offered {
  readonly prompts: string;
  readonly resources: string;
}

const made = new WeakMap<GatewaySnapshot, Offered>();

/**
 * What the servers of a view offer beside tools; equal texts mean no change. Servers that offer nothing are
 * left out, so that opening a toolbox changes only the lists it adds to.
 */
function offersOf(snapshot: GatewaySnapshot): Offered {
  return made.get(snapshot) ?? runAtOnce(offerSteps(snapshot));
}

/** Computes it in slices (SAFE-4); `undefined` if there is nothing to wait for. */
function prepareOffers(snapshot: GatewaySnapshot): Promise<unknown> | undefined {
  if (made.has(snapshot)) return undefined;
  const items = snapshot.confinement?.prepareItems();
  return items === undefined
    ? runInSlices(offerSteps(snapshot))
    : items.then(() => runInSlices(offerSteps(snapshot)));
}

function* offerSteps(snapshot: GatewaySnapshot): Steps<Offered> {
  const [prompts, resources] = [createHash("sha256"), createHash("sha256")];
  const owners = new Set<string>();
  for (const owner of snapshot.present) {
    const key = ownerKey(owner.id);
    if (snapshot.promptsOf(owner).length > 0) owners.add(key);
    yield* digestSteps(prompts, key, snapshot.promptsOf(owner));
    yield* digestSteps(resources, `${key} resources`, snapshot.resourcesOf(owner));
    yield* digestSteps(resources, `${key} templates`, snapshot.templatesOf(owner));
  }
  const { tools } = yield* snapshot.prompts.tableSteps("universal");
  const names = tools.flatMap(({ name, tool }) => (owners.has(ownerKey(tool)) ? [name] : []));
  yield* digestSteps(prompts, "names", names);
  const offered = { prompts: prompts.digest("base64url"), resources: resources.digest("base64url") };
  made.set(snapshot, offered);
  return offered;
}

/** A server that offers nothing adds nothing. */
function* digestSteps(hash: Hash, title: string, entries: readonly unknown[]): Steps<void> {
  if (entries.length > 0) hash.update(JSON.stringify([title, entries.length]));
  for (const [index, entry] of entries.entries()) {
    if (index % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
    hash.update(JSON.stringify(entry));
  }
}
