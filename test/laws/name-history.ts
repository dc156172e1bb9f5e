// Random histories of a few servers, for laws about names that move: declared and undeclared renames, moves between
// toolboxes, former server ids, servers that leave and others that look like them, pins, styles, servers that do not
// answer. It says who is who; what is made of it is checked elsewhere.

import { NAMING_STYLES, type NamingStyle, type Rename, type ToolKey } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import fc from "fast-check";

const KINDS = [
  "rename",
  "replace",
  "remove",
  "return",
  "add",
  "declare",
  "shorten",
  "server",
  "box",
  "twin",
  "leave",
  "rejoin",
  "down",
  "up",
  "pin",
  "unpin",
  "style",
  "forget",
] as const;

export interface HistoryStep {
  readonly kind: (typeof KINDS)[number];
  /** Which of the tools, servers or names that there are. */
  readonly at: number;
  readonly choice: number;
}

/** What there is at the start, and what happens then. */
export interface HistoryPlan {
  readonly servers: readonly Pick<ServerNow, "id" | "toolbox" | "tools">[];
  readonly steps: readonly HistoryStep[];
}

interface ServerNow {
  readonly id: string;
  readonly toolbox: string | undefined;
  readonly formerly: readonly string[];
  readonly tools: readonly string[];
  /** It does not answer. */
  readonly isDown: boolean;
}

/** What is configured at one moment. */
export interface World {
  readonly servers: readonly ServerNow[];
  readonly renames: readonly Rename[];
  readonly pins: Readonly<Record<string, string>>;
  readonly style: NamingStyle | undefined;
}

export interface History {
  readonly world: () => World;
  readonly apply: (step: HistoryStep) => void;
  /** One text for all identities that are one tool by what was declared. */
  readonly whoIs: (key: ToolKey) => string;
  /**
   * Whether some identity of that tool is there, gone, or of a server that does not answer. Where one came back beside
   * its successor it is `split`: who of them has which name is not said here.
   */
  readonly stateOf: (key: ToolKey) => "there" | "gone" | "away" | "split";
  /** Remembers a name that was shown, so that it may be declared, or pinned to another. */
  readonly show: (name: string, key: ToolKey) => void;
  /** The canonical name of a tool, which depends on who was there before. */
  readonly learn: (canonical: string, key: ToolKey) => void;
}

/** Names that fold onto each other, because that is where numbers are born. */
const STEMS = ["get.x", "get_x", "get-x", "list", "a_list", "get_x_2", "List", "__proto__", "b_get_x"];
/** Some make the same integration, and some the same flat names. */
const IDS = ["a", "b", "A", "a-b", "a_b", "A-b", "a-get"];
const BOXES = [undefined, "dev", "prod"];

const firstServers = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(...IDS),
    toolbox: fc.constantFrom(undefined, undefined, ...BOXES),
    tools: fc.uniqueArray(fc.constantFrom(...STEMS), { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 4, selector: ({ id, toolbox }) => JSON.stringify([id, toolbox]) },
);

export const historyPlans: fc.Arbitrary<HistoryPlan> = fc.record({
  servers: firstServers,
  steps: fc.array(fc.record({ kind: fc.constantFrom(...KINDS), at: fc.nat(30), choice: fc.nat(30) }), {
    minLength: 1,
    maxLength: 10,
  }),
});

/** Two servers outside toolboxes whose tools fold onto each other. */
export const PLAIN_SERVERS: HistoryPlan["servers"] = [
  { id: "a", toolbox: undefined, tools: ["get.x", "list"] },
  { id: "b", toolbox: undefined, tools: ["get_x"] },
];

export function startHistory(first: HistoryPlan["servers"]): History {
  let servers: readonly ServerNow[] = first.map((server) => ({ ...server, formerly: [], isDown: false }));
  let renames: readonly Rename[] = [];
  let style: NamingStyle | undefined;
  const pins = new Map<string, string>();
  const shown = new Map<string, Set<ToolKey>>();
  const canonicals = new Map<ToolKey, string>();
  const lines = new Lines();
  const places = new Places();
  /** By the first id that their servers had. */
  const seen = new Set<ToolKey>();
  const split = new Set<ToolKey>();
  let departed: readonly ServerNow[] = [];
  let count = 0;

  const keyOf = ({ id, toolbox }: Place, raw: string): ToolKey => toolKeyOf({ server: id, toolbox, raw });
  const tools = () =>
    servers.flatMap((server) => server.tools.map((raw) => ({ server, raw, key: keyOf(server, raw) })));
  /** A tool under the first id that its server had, by what was declared. */
  const firstOf = (key: ToolKey): ToolKey => places.firstOf(key);
  const isLive = (key: ToolKey): boolean => tools().some((tool) => firstOf(tool.key) === firstOf(key));
  const put = (server: ServerNow, next: ServerNow): void => {
    servers = servers.map((one) => (one === server ? next : one));
    see(next);
  };
  const see = (server: ServerNow): void => {
    for (const raw of server.tools) seen.add(places.see(keyOf(server, raw)));
  };
  /** Somebody is there, or is declared to be who was there: `formerly` would make a newcomer the same, too. */
  const hasPlace = ({ id, toolbox }: Place): boolean =>
    servers.some((one) => one.toolbox === toolbox && (one.id === id || one.formerly.includes(id)));
  /** Raw names that a server ever had. */
  const rawsOf = (place: Place): readonly string[] =>
    [...seen].flatMap((key) => {
      const raw = rawOf(key);
      return key === firstOf(keyOf(place, raw)) ? [raw] : [];
    });
  const freshRaw = (server: ServerNow, choice: number): string => {
    const stem = STEMS[choice % STEMS.length] as string;
    count += 1;
    return seen.has(firstOf(keyOf(server, stem))) ? `new_${count}` : stem;
  };
  /** What a tool beside one of a known canonical name is called. */
  const beside = (canonical: string, raw: string): string =>
    `${canonical.slice(0, canonical.indexOf("/"))}/${raw}@1`;
  /** A name that was shown for one tool alone: what two profiles called two tools does not say which is meant. */
  const onlyNames = (key: ToolKey): readonly string[] =>
    [...shown].filter(([, owners]) => owners.has(firstOf(key)) && owners.size === 1).map(([name]) => name);
  const declare = (from: ToolKey, to: ToolKey, entry: Rename): void => {
    if (!lines.join(firstOf(from), firstOf(to))) return;
    renames = [...renames, entry];
  };

  const exchange = ({ at, choice }: HistoryStep, isDeclared: boolean): void => {
    const tool = pick(tools(), at);
    if (tool === undefined) return;
    const { server, raw, key } = tool;
    const next = freshRaw(server, choice);
    put(server, { ...server, tools: server.tools.map((each) => (each === raw ? next : each)) });
    const canonical = canonicals.get(key);
    if (!isDeclared || canonical === undefined) return;
    const from = choice % 3 === 0 ? pick(onlyNames(key), at) : undefined;
    declare(key, keyOf(server, next), { from: from ?? canonical, to: beside(canonical, next) });
  };

  const applyTo: Record<HistoryStep["kind"], (step: HistoryStep) => void> = {
    rename: (step) => exchange(step, true),
    replace: (step) => exchange(step, false),
    remove({ at }) {
      const tool = pick(tools(), at);
      if (tool === undefined) return;
      put(tool.server, { ...tool.server, tools: tool.server.tools.filter((raw) => raw !== tool.raw) });
    },
    return({ at, choice }) {
      const server = pick(servers, at);
      const raw = pick(server === undefined ? [] : rawsOf(server), choice);
      if (server === undefined || raw === undefined || server.tools.includes(raw)) return;
      put(server, { ...server, tools: [...server.tools, raw] });
    },
    add({ at, choice }) {
      const server = pick(servers, at);
      if (server !== undefined)
        put(server, { ...server, tools: [...server.tools, freshRaw(server, choice)] });
    },
    /** A tool that is gone is said to be one that is there already, wherever that is. */
    declare({ at, choice }) {
      const gone = pick(
        [...canonicals.keys()].filter((key) => !isLive(key) && !lines.hasNext(firstOf(key))),
        choice,
      );
      const tool = pick(tools(), at);
      const to = tool === undefined ? undefined : canonicals.get(tool.key);
      const from = gone === undefined ? undefined : canonicals.get(gone);
      if (gone === undefined || tool === undefined || from === undefined || to === undefined) return;
      // One whose server is away may still be there, and one name for two tools says nothing of either.
      const isOthers = [...canonicals].some(([key, name]) => name === from && firstOf(key) !== firstOf(gone));
      // Its server's former id hands on a tool of its own already.
      if (stateOf(gone) === "away" || isOthers || places.hasMoved(tool.key)) return;
      // Without its toolbox, what the old one became is called the same: then the record says who is meant, or nobody is.
      const line = new Set([...canonicals.keys()].filter((key) => whoIs(key) === whoIs(gone)));
      const isDoubtful = [...line].some((key) => canonicals.get(key)?.endsWith(`:${to}`));
      declare(gone, tool.key, { from, to });
      if (isDoubtful) split.add(whoIs(gone));
    },
    /** Names in toolboxes are written without them, where one tool alone can be meant. */
    shorten() {
      const shorten = (name: string): string => {
        const short = name.slice(name.indexOf(":") + 1);
        const meant = [...canonicals.values()].filter((each) => each === short || each.endsWith(`:${short}`));
        return servers.some(({ isDown }) => isDown) || new Set(meant).size !== 1 ? name : short;
      };
      renames = renames.map((entry) => ({ ...entry, to: shorten(entry.to) }));
      for (const [name, canonical] of pins) pins.set(name, shorten(canonical));
    },
    server({ at, choice }) {
      const server = pick(servers, at);
      if (server === undefined) return;
      count += 1;
      const isDeclared = choice % 2 === 0;
      const id = choice % 3 === 0 ? lookAlikeOf(server.id) : `s${count}`;
      if (hasPlace({ ...server, id }) || rawsOf({ ...server, id }).length > 0) return;
      if (isDeclared) places.move(server, id, rawsOf(server));
      put(server, { ...server, id, formerly: isDeclared ? [server.id] : [] });
    },
    box({ at, choice }) {
      const server = pick(servers, at);
      if (server === undefined) return;
      const next = { ...server, toolbox: BOXES[choice % 3], formerly: [] };
      if (!hasPlace(next)) put(server, next);
    },
    /** The same id elsewhere, or one that makes the same integration, with tools that have the other's raw names. */
    twin({ at, choice }) {
      const server = pick([...departed, ...servers], at);
      if (server === undefined) return;
      const toolbox = [server.toolbox, ...BOXES][choice % 4];
      const id = toolbox === server.toolbox ? lookAlikeOf(server.id) : server.id;
      if (hasPlace({ id, toolbox })) return;
      const raws = rawsOf(server).filter((_, index) => index % 2 === choice % 2);
      const next = { id, toolbox, formerly: [], tools: raws, isDown: false };
      servers = [...servers, next];
      see(next);
    },
    leave({ at }) {
      const server = pick(servers, at);
      if (server === undefined || servers.length === 1) return;
      departed = [...departed, server];
      servers = servers.filter((one) => one !== server);
    },
    rejoin({ at }) {
      const server = pick(departed, at);
      if (server === undefined || hasPlace(server)) return;
      departed = departed.filter((one) => one !== server);
      servers = [...servers, { ...server, formerly: [], isDown: false }];
    },
    down({ at }) {
      const server = pick(servers, at);
      if (server !== undefined) put(server, { ...server, isDown: true });
    },
    up() {
      servers = servers.map((server) => ({ ...server, isDown: false }));
    },
    pin({ at, choice }) {
      const tool = pick(tools(), at);
      const canonical = tool === undefined ? undefined : canonicals.get(tool.key);
      if (canonical === undefined) return;
      pins.set(pick([`pin_${choice % 4}`, ...shown.keys()], choice) ?? "pin", canonical);
    },
    unpin: ({ at }) => void pins.delete(pick([...pins.keys()], at) ?? ""),
    style({ choice }) {
      style = choice % 4 === 0 ? undefined : NAMING_STYLES[choice % NAMING_STYLES.length];
    },
    // What was declared is on record by now, but for what servers that do not answer may have.
    forget() {
      if (servers.some(({ isDown }) => isDown)) return;
      renames = [];
      servers = servers.map((server) => ({ ...server, formerly: [] }));
    },
  };

  const whoIs = (key: ToolKey): ToolKey => lines.whoIs(firstOf(key));
  const stateOf = (key: ToolKey): ReturnType<History["stateOf"]> => {
    const who = whoIs(key);
    const line = tools().filter((tool) => whoIs(tool.key) === who);
    const keys = [...seen].filter((each) => whoIs(each) === who);
    if (line.length > 1 || keys.some((each) => places.isLoose(each))) split.add(who);
    if (split.has(who)) return "split";
    if (line.some(({ server }) => !server.isDown)) return "there";
    const owners = servers.filter(({ isDown }) => isDown);
    const isAway = keys.some((each) => owners.some((owner) => each === firstOf(keyOf(owner, rawOf(each)))));
    return isAway ? "away" : "gone";
  };

  for (const server of servers) see(server);
  return {
    world: () => ({ servers, renames, style, pins: Object.fromEntries(pins) }),
    apply(step) {
      applyTo[step.kind](step);
      for (const key of seen) stateOf(key);
    },
    whoIs,
    stateOf,
    show: (name, key) => void shown.set(name, (shown.get(name) ?? new Set()).add(firstOf(key))),
    learn: (canonical, key) => void canonicals.set(key, canonical),
  };
}

type Place = Pick<ServerNow, "id" | "toolbox">;

/** Tools and what they became: nobody becomes two, and no two become one. */
class Lines {
  readonly #next = new Map<ToolKey, ToolKey>();
  readonly #before = new Map<ToolKey, ToolKey>();

  hasNext(key: ToolKey): boolean {
    return this.#next.has(key);
  }

  /** The first of a line. */
  whoIs(key: ToolKey): ToolKey {
    let first = key;
    for (let at = this.#before.get(first); at !== undefined; at = this.#before.get(first)) first = at;
    return first;
  }

  join(from: ToolKey, to: ToolKey): boolean {
    if (this.#next.has(from) || this.#before.has(to) || this.whoIs(from) === this.whoIs(to)) return false;
    this.#next.set(from, to);
    this.#before.set(to, from);
    return true;
  }
}

/** Servers over what their ids were declared to be: all their ids are one server, and its tools are told by raw name. */
class Places {
  /** Encoded server → its first id. */
  readonly #first = new Map<string, string>();
  /** By the key under the first id: every key that the tool had. */
  readonly #keys = new Map<ToolKey, Set<ToolKey>>();
  /** Keys that were known when a server was declared to be another, and those of them that it has since. */
  readonly #linked = new Set<ToolKey>();
  readonly #moved = new Set<ToolKey>();

  firstOf(key: ToolKey): ToolKey {
    const { toolbox, server, raw } = partsOf(key);
    return toolKeyOf({ toolbox, raw, server: this.#first.get(placeText(toolbox, server)) ?? server });
  }

  see(key: ToolKey): ToolKey {
    const first = this.firstOf(key);
    this.#keys.set(first, (this.#keys.get(first) ?? new Set()).add(key));
    return first;
  }

  move({ id, toolbox }: Place, next: string, raws: readonly string[]): void {
    const first = this.#first.get(placeText(toolbox, id)) ?? id;
    this.#first.set(placeText(toolbox, next), first);
    for (const raw of raws) {
      for (const server of [id, next]) {
        const key = toolKeyOf({ server, toolbox, raw });
        this.see(key);
        this.#linked.add(key);
        if (server === next) this.#moved.add(key);
      }
    }
  }

  hasMoved(key: ToolKey): boolean {
    return this.#moved.has(key);
  }

  /** A server took up a former id again, with a tool that it did not have under it: nothing says that it is that one. */
  isLoose(first: ToolKey): boolean {
    const keys = [...(this.#keys.get(first) ?? [])];
    return keys.length > 1 && keys.some((key) => !this.#linked.has(key));
  }
}

function placeText(toolbox: string | undefined, server: string): string {
  return JSON.stringify([toolbox ?? null, server]);
}

function partsOf(key: ToolKey): {
  readonly toolbox: string | undefined;
  readonly server: string;
  readonly raw: string;
} {
  const [raw = "", server = "", toolbox] = (JSON.parse(key) as readonly string[]).slice(1).reverse();
  return { toolbox, server, raw };
}

function rawOf(key: ToolKey): string {
  return partsOf(key).raw;
}

/** Another id that makes the same integration. */
function lookAlikeOf(id: string): string {
  if (id.includes("-")) return id.replaceAll("-", "_");
  return id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase();
}

function pick<T>(items: readonly T[], at: number): T | undefined {
  return items[at % Math.max(1, items.length)];
}
