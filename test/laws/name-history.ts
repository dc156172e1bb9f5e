// Random histories of a few servers, for laws about names that move: declared and undeclared renames, former server ids,
// pins, styles, toolboxes, tools that go and come back. It says who is who; what is made of it is checked elsewhere.

import { NAMING_STYLES, type NamingStyle, type Rename, type ToolKey, toolKeyOf } from "@onym/core";
import fc from "fast-check";

export interface HistoryStep {
  readonly kind:
    | "rename"
    | "replace"
    | "remove"
    | "return"
    | "add"
    | "server"
    | "box"
    | "twin"
    | "leave"
    | "pin"
    | "unpin"
    | "style"
    | "forget";
  /** Which of the tools, servers or names that there are. */
  readonly at: number;
  readonly choice: number;
}

const KINDS: readonly HistoryStep["kind"][] = [
  "rename",
  "rename",
  "replace",
  "remove",
  "return",
  "add",
  "server",
  "box",
  "twin",
  "leave",
  "pin",
  "unpin",
  "style",
  "forget",
];

export const historySteps: fc.Arbitrary<readonly HistoryStep[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), at: fc.nat(30), choice: fc.nat(30) }),
  { minLength: 1, maxLength: 8 },
);

interface ServerNow {
  readonly id: string;
  readonly toolbox: string | undefined;
  readonly formerly: readonly string[];
  readonly tools: readonly string[];
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
  /** Whether some identity of that tool is there. */
  readonly isThere: (key: ToolKey) => boolean;
  /** Remembers a name that was shown, so that it may be declared, or pinned to another. */
  readonly show: (name: string, key: ToolKey) => void;
}

/** Names that fold onto each other, because that is where numbers are born. */
const STEMS = ["get.x", "get_x", "get-x", "list", "a_list", "get_x_2", "List", "__proto__"];

/** Another id that makes the same integration. */
const lookAlikeOf = (id: string): string => (id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase());

export function startHistory(): History {
  let servers: ServerNow[] = [
    { id: "a", toolbox: undefined, formerly: [], tools: ["get.x", "list"] },
    { id: "b", toolbox: undefined, formerly: [], tools: ["get_x"] },
  ];
  let renames: Rename[] = [];
  let style: NamingStyle | undefined;
  const pins = new Map<string, ToolKey>();
  const shown = new Map<string, Set<ToolKey>>();
  const removed: { readonly key: ToolKey; readonly raw: string }[] = [];
  const departed: ServerNow[] = [];
  const parents = new Map<string, string>();
  const seen = new Set(servers.map(({ id, toolbox }) => JSON.stringify([id, toolbox])));
  let count = 0;

  const whoIs = (key: string): string => {
    let root = key;
    for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up;
    return root;
  };
  const becomes = (from: ToolKey, to: ToolKey): void => {
    if (whoIs(from) !== whoIs(to)) parents.set(whoIs(to), whoIs(from));
  };
  const keyOf = ({ id, toolbox }: ServerNow, raw: string): ToolKey => toolKeyOf({ server: id, toolbox, raw });
  const canonicalOf = ({ id, toolbox }: ServerNow, raw: string): string =>
    `${toolbox === undefined ? "" : `${toolbox}:`}${id}@1/${raw}@1`;
  const hasLookAlike = ({ id, toolbox }: ServerNow): boolean =>
    id !== id.toLowerCase() || seen.has(JSON.stringify([lookAlikeOf(id), toolbox]));
  const tools = () => servers.flatMap((server) => server.tools.map((raw) => ({ server, raw })));
  const pick = <T>(items: readonly T[], at: number): T | undefined => items[at % Math.max(1, items.length)];
  const setTools = (server: ServerNow, raws: readonly string[]): ServerNow => {
    const next = { ...server, tools: raws };
    servers = servers.map((one) => (one === server ? next : one));
    return next;
  };
  /** Mostly a stem that nobody had there; else one of its own. */
  const freshRaw = (server: ServerNow, choice: number): string => {
    const stem = STEMS[choice % STEMS.length] as string;
    const key = keyOf(server, stem);
    const isUsed = used.has(key);
    used.add(key);
    count += 1;
    return isUsed ? `new_${count}` : stem;
  };
  const used = new Set<ToolKey>(tools().map(({ server, raw }) => keyOf(server, raw)));

  const exchange = (step: HistoryStep, isDeclared: boolean): void => {
    const tool = pick(tools(), step.at);
    if (tool === undefined) return;
    const { server, raw } = tool;
    const key = keyOf(server, raw);
    const next = freshRaw(server, step.choice);
    const to = canonicalOf(server, next);
    // What two profiles called two tools does not say which of them is meant.
    const names = [...shown]
      .filter(([, owners]) => owners.has(key) && owners.size === 1)
      .map(([name]) => name);
    const from = step.choice % 3 === 0 ? pick(names, step.at) : undefined;
    setTools(
      server,
      server.tools.map((each) => (each === raw ? next : each)),
    );
    // What an id that looks like another's is called in full depends on who was first, so nothing is declared of it.
    if (!isDeclared || hasLookAlike(server)) return;
    renames = [...renames, { from: from ?? canonicalOf(server, raw), to }];
    becomes(key, keyOf(server, next));
  };

  const applyTo: Record<HistoryStep["kind"], (step: HistoryStep) => void> = {
    rename: (step) => exchange(step, true),
    replace: (step) => exchange(step, false),
    remove({ at }) {
      const tool = pick(tools(), at);
      if (tool === undefined) return;
      const { server, raw } = tool;
      removed.push({ key: keyOf(server, raw), raw });
      setTools(
        server,
        server.tools.filter((each) => each !== raw),
      );
    },
    return({ at }) {
      const back = pick(removed, at);
      const server = servers.find((one) => back !== undefined && keyOf(one, back.raw) === back.key);
      if (back === undefined || server === undefined) return;
      // Beside its own successor it would be another tool of the same line, of which nothing is said here.
      if (isThere(back.key)) return;
      setTools(server, [...server.tools, back.raw]);
    },
    add({ at, choice }) {
      const server = pick(servers, at);
      if (server !== undefined) setTools(server, [...server.tools, freshRaw(server, choice)]);
    },
    server({ at, choice }) {
      const server = pick(servers, at);
      if (server === undefined) return;
      count += 1;
      const isDeclared = choice % 2 === 0;
      seen.add(JSON.stringify([`s${count}`, server.toolbox]));
      const next = { ...server, id: `s${count}`, formerly: isDeclared ? [server.id] : [] };
      servers = servers.map((one) => (one === server ? next : one));
      // Raw names that the old id ever had are those of the new one, so none of them is fresh.
      for (const key of [...used]) {
        const raw = (JSON.parse(key) as readonly string[]).at(-1) ?? "";
        if (key === keyOf(server, raw)) used.add(keyOf(next, raw));
      }
      if (isDeclared) for (const raw of server.tools) becomes(keyOf(server, raw), keyOf(next, raw));
    },
    box({ at, choice }) {
      const server = pick(servers, at);
      if (server === undefined) return;
      const toolbox = [undefined, "dev", "prod"][choice % 3];
      const next = { ...server, toolbox, formerly: toolbox === server.toolbox ? server.formerly : [] };
      if (seen.has(JSON.stringify([next.id, toolbox]))) return;
      seen.add(JSON.stringify([next.id, toolbox]));
      servers = servers.map((one) => (one === server ? next : one));
      for (const raw of server.tools) used.add(keyOf(next, raw));
    },
    /** The same id in a toolbox, or one that makes the same integration: with tools that have the other's raw names. */
    twin({ at, choice }) {
      const server = pick([...servers, ...departed], at);
      if (server === undefined) return;
      const toolbox = [server.toolbox, "dev", "prod"][choice % 3];
      const id = toolbox === server.toolbox ? lookAlikeOf(server.id) : server.id;
      // One that was there before comes back as what it was, beside what it may have become: nothing is said of that here.
      if (seen.has(JSON.stringify([id, toolbox]))) return;
      const raws = [...used].flatMap((key) => {
        const raw = (JSON.parse(key) as readonly string[]).at(-1) ?? "";
        return key === keyOf(server, raw) ? [raw] : [];
      });
      const next = { id, toolbox, formerly: [], tools: raws.filter((_, index) => index % 2 === choice % 2) };
      for (const raw of raws) used.add(keyOf(next, raw));
      servers = [...servers, next];
      seen.add(JSON.stringify([id, toolbox]));
    },
    leave({ at }) {
      const server = pick(servers, at);
      if (server === undefined || servers.length === 1) return;
      departed.push(server);
      servers = servers.filter((one) => one !== server);
    },
    pin({ at, choice }) {
      const tool = pick(tools(), at);
      if (tool === undefined || hasLookAlike(tool.server)) return;
      const name = pick([`pin_${choice % 4}`, ...shown.keys()], choice) ?? "pin";
      pins.set(name, keyOf(tool.server, tool.raw));
    },
    unpin: ({ at }) => void pins.delete(pick([...pins.keys()], at) ?? ""),
    style({ choice }) {
      style = choice % 4 === 0 ? undefined : NAMING_STYLES[choice % NAMING_STYLES.length];
    },
    // What was declared is on record by now.
    forget() {
      renames = [];
      servers = servers.map((server) => ({ ...server, formerly: [] }));
    },
  };
  const isThere = (key: ToolKey): boolean =>
    tools().some(({ server, raw }) => whoIs(keyOf(server, raw)) === whoIs(key));

  return {
    world() {
      const live = new Map(tools().map(({ server, raw }) => [keyOf(server, raw), canonicalOf(server, raw)]));
      const pinned = [...pins].map(([name, key]) => [name, live.get(key)] as const);
      return {
        servers,
        renames,
        style,
        pins: Object.fromEntries(
          pinned.flatMap(([name, canonical]) => (canonical === undefined ? [] : [[name, canonical]])),
        ),
      };
    },
    apply: (step) => applyTo[step.kind](step),
    whoIs,
    isThere,
    show: (name, key) => void shown.set(name, (shown.get(name) ?? new Set()).add(key)),
  };
}
