// A naming: what every tool is called in one system. `--from` and `--to` each name one.

import {
  aliasTools,
  findProfile,
  listProfiles,
  NAMING_STYLES,
  type NamingStyle,
  type OnymError,
  type Profile,
  quoteText,
  type Snapshot,
  sentName,
  type Tool,
} from "@onym/core";
import { isNamingStyle } from "@onym/core/naming";
import { didYouMean } from "../../../config/json/near-text.js";
import { usageError } from "../../usage-error.js";
import { GATEWAY_SYSTEMS } from "../systems/gateway-systems.js";
import { type NamingSystem, namesIn } from "../systems/naming-system.js";

export interface Naming {
  /** As it was asked for. */
  readonly id: string;
  /** In words: `names of metamcp`. */
  readonly title: string;
  /** What each tool is called; a tool that has no name there is left out. */
  readonly names: ReadonlyMap<Tool, string>;
  /** The name each tool would have if it were alone, where that is not the one it has. */
  readonly wishes: ReadonlyMap<Tool, string>;
  /** Further names that the system showed. */
  readonly others: ReadonlyMap<Tool, readonly string[]>;
  /** The names are as this client shows them, its own prefix included. */
  readonly client?: Profile;
  /** The names in another profile, where each has its own: a style is in force for all of them. */
  readonly namesIn?: (profile: Profile) => ReadonlyMap<Tool, string>;
}

/** What is in force: the style of the config, and names on record. */
export const IN_FORCE = "now";

export interface NamingContext {
  readonly snapshot: Snapshot;
  /** Whose rules names keep to where only a style is said. */
  readonly profile: string;
  /**
   * `server`: the tools of one server are renamed where they are made, so that names are raw ones. `gateway`: what Onym
   * shows changes, and servers know nothing of it.
   */
  readonly level: "server" | "gateway";
}

/** Where the separator of a style is a character that names may have. */
const NATIVE_PROFILES: ReadonlyMap<NamingStyle, string> = new Map([
  ["dotted", "mcp"],
  ["slashed", "sep-986"],
  ["canonical", "canonical"],
]);

const OLD_TOOLBOX: NamingSystem = {
  id: "old-toolbox",
  title: "toolbox names before three parts",
  forms: [{ template: "{toolbox}__{server}_{tool}" }],
  source: "https://www.npmjs.com/package/mcp-workbench",
  asOf: "2026-11-17",
};

const SYSTEMS: readonly NamingSystem[] = [...GATEWAY_SYSTEMS, OLD_TOOLBOX];

/** For people: what may stand after `--from` and `--to`. */
export const NAMING_KINDS = [
  "now                the names that Onym gives, in the style in force",
  "raw                the names as servers list them",
  "underscores        raw names, each dot and slash an underscore",
  "PROFILE            the names that Onym gives there: openai, claude-code; sep-986 is the draft, mcp the specification",
  `STYLE              ${NAMING_STYLES.join(", ")}`,
  "PROFILE:STYLE      both: mcp:dotted",
  `GATEWAY            ${SYSTEMS.map(({ id }) => id).join(", ")}`,
  "client:PROFILE     as the client shows servers that are registered in it without Onym",
];

/** @throws OnymError `usage` for a naming that is not known, with the nearest. */
export function buildNaming(id: string, context: NamingContext): Naming {
  const { tools } = context.snapshot.catalog;
  if (id === IN_FORCE) {
    const naming = ofStyle(id, { profile: profileNamed(context.profile, id) }, context);
    return { ...naming, title: `today's names of ${context.profile}` };
  }
  if (id === "raw") return ofTools(id, "raw names", tools, ({ raw }) => raw);
  if (id === "underscores")
    return ofTools(id, "raw names with underscores", tools, ({ raw }) => raw.replace(/[./]/g, "_"));
  const system = SYSTEMS.find((one) => one.id === id);
  if (system !== undefined) return ofSystem(system, tools);
  const [first = "", second, ...more] = id.split(":");
  if (more.length > 0) throw unknownNaming(id);
  if (first === "client") return ofClient(id, profileNamed(second ?? "", id), tools);
  if (second !== undefined) {
    if (!isNamingStyle(second)) throw unknownNaming(id);
    return ofOnym(id, { profile: profileNamed(first, id), style: second }, context);
  }
  if (isNamingStyle(id)) {
    const profile = profileNamed(NATIVE_PROFILES.get(id) ?? context.profile, id);
    return ofStyle(id, { profile, style: id }, context);
  }
  return ofOnym(id, { profile: profileNamed(id, id) }, context);
}

interface Chosen {
  readonly profile: Profile;
  readonly style?: NamingStyle;
}

/** In force for every client, and shown for one profile. */
function ofStyle(id: string, chosen: Chosen, context: NamingContext): Naming {
  const naming = ofOnym(id, chosen, context);
  if (context.level === "server") return naming;
  const made = new Map<string, ReadonlyMap<Tool, string>>([[chosen.profile.id, naming.names]]);
  return {
    ...naming,
    namesIn(profile) {
      const names = made.get(profile.id) ?? ofOnym(id, { ...chosen, profile }, context).names;
      made.set(profile.id, names);
      return names;
    },
  };
}

function ofOnym(id: string, { profile, style }: Chosen, { snapshot, level }: NamingContext): Naming {
  const title = style === undefined ? `names of ${profile.id}` : `${style} names of ${profile.id}`;
  // A server has no gateway whose names it would have to leave alone, and no lock.
  if (level === "server" && (style === undefined || style === "bare"))
    return ofServer(id, profile, snapshot.catalog.tools);
  const table = snapshot.namesFor(profile, style === undefined ? {} : { style });
  const wishes = table.tools.flatMap(({ tool, why }) =>
    why.kind === "numbered" ? [[tool, why.wish] as const] : [],
  );
  return {
    id,
    title,
    names: new Map(table.tools.map(({ tool, name }) => [tool, name])),
    wishes: new Map(wishes),
    others: new Map(),
  };
}

/** Raw names made legal in a profile: those that are stay (RULE-3). */
function ofServer(id: string, profile: Profile, tools: readonly Tool[]): Naming {
  const named = (some: readonly Tool[]): ReadonlyMap<string, string> => {
    const made = aliasTools(
      some.map(({ raw }) => ({ name: raw })),
      { profile: profile.id },
    );
    return new Map(
      some.flatMap(({ raw }) => {
        const name = made.find(raw)?.name;
        return name === undefined ? [] : [[raw, name]];
      }),
    );
  };
  const together = named(tools);
  const wishes = tools.flatMap((tool) => {
    // Only a name that ends in a number may be one that was numbered.
    const name = together.get(tool.raw);
    if (name === undefined || name === tool.raw || !/_\d+$/.test(name)) return [];
    const alone = named([tool]).get(tool.raw);
    return alone === undefined || alone === together.get(tool.raw) ? [] : [[tool, alone] as const];
  });
  return {
    id,
    title: `raw names that ${profile.id} takes`,
    names: new Map(
      tools.flatMap((tool) => {
        const name = together.get(tool.raw);
        return name === undefined ? [] : [[tool, name]];
      }),
    ),
    wishes: new Map(wishes),
    others: new Map(),
  };
}

function ofSystem(system: NamingSystem, tools: readonly Tool[]): Naming {
  const names = new Map<Tool, string>();
  const others = new Map<Tool, readonly string[]>();
  for (const tool of tools) {
    const [first, ...rest] = namesIn(system, tool);
    if (first === undefined) continue;
    names.set(tool, first);
    if (rest.length > 0) others.set(tool, rest);
  }
  return { id: system.id, title: `names of ${system.title}`, names, wishes: new Map(), others };
}

function ofClient(id: string, client: Profile, tools: readonly Tool[]): Naming {
  const naming = ofTools(id, `names that ${client.title} shows without Onym`, tools, ({ server, raw }) =>
    sentName(raw, client, server),
  );
  return { ...naming, client };
}

function ofTools(id: string, title: string, tools: readonly Tool[], nameOf: (tool: Tool) => string): Naming {
  return {
    id,
    title,
    names: new Map(tools.map((tool) => [tool, nameOf(tool)])),
    wishes: new Map(),
    others: new Map(),
  };
}

function profileNamed(id: string, asked: string): Profile {
  const profile = findProfile(id);
  if (profile === undefined) throw unknownNaming(asked);
  return profile;
}

function unknownNaming(id: string): OnymError {
  const known = [
    IN_FORCE,
    "raw",
    "underscores",
    ...NAMING_STYLES,
    ...SYSTEMS.map((system) => system.id),
    ...listProfiles().map((profile) => profile.id),
  ];
  return usageError(
    `There is no naming ${quoteText(id)}.`,
    `${didYouMean(id, known)}onym migrate --help says what can be named.`,
  );
}
