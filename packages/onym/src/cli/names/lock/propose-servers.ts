// Server ids that look changed: one is gone from the config, and another reaches or offers the same (LOCK-5). Only proposed.

import type { Lock, Owner, Tool, ToolKey } from "@onym/core";
import { definitionDigest } from "@onym/core/approvals";
import { partsOf } from "../../store/name-keys.js";

export interface ServerProposal {
  /** The id that is gone. */
  readonly from: string;
  readonly to: string;
  readonly toolbox: string | undefined;
  /** `launch`: it is started or reached in the same way. `tools`: it offers the same tools. */
  readonly why: "launch" | "tools";
  /** What to add to its entry in the config. */
  readonly entry: { readonly formerly: readonly string[] };
}

/** A server of the config. */
export interface PresentServer extends Owner {
  readonly formerly?: readonly string[] | undefined;
  /** Fingerprint of how it is reached; `undefined` where nothing is. */
  readonly launch?: string | undefined;
  /** All its tools; `undefined` where it was not asked. */
  readonly tools?: readonly Tool[] | undefined;
}

export interface ProposeServersInput {
  readonly lock: Lock;
  readonly servers: readonly PresentServer[];
  /** Launches on record, and a tool that was reached by each. */
  readonly launches: Iterable<{ readonly tool: ToolKey; readonly launch: string }>;
}

interface OldServer extends Owner {
  /** By raw name. */
  readonly digests: Map<string, string>;
  readonly launches: Set<string>;
}

/** Tools that say nothing of themselves are alike by chance, unless their names are the same and many. */
const FEW_TOOLS = 3;

/**
 * Where several servers could be meant on either side there is no proposal.
 *
 * @example
 * proposeServers({ lock, servers: [{ server: "sales", tools }], launches: [] })[0]?.entry; // { formerly: ["crm"] }
 */
export function proposeServers(input: ProposeServersInput): readonly ServerProposal[] {
  const old = [...oldServers(input).values()];
  const isClaimed = ({ server, toolbox }: Owner): boolean =>
    input.servers.some((one) => one.toolbox === toolbox && one.formerly?.includes(server) === true);
  const open = old.filter((server) => !isClaimed(server));
  const found = open.flatMap((from) =>
    input.servers.flatMap((to) => {
      const why = to.toolbox === from.toolbox ? likeness(from, to) : undefined;
      return why === undefined ? [] : [{ from, to, why }];
    }),
  );
  return found
    .filter(
      ({ from, to }) =>
        found.filter((other) => other.from === from).length === 1 &&
        found.filter((other) => other.to === to).length === 1,
    )
    .map(({ from, to, why }) => ({
      from: from.server,
      to: to.server,
      toolbox: to.toolbox,
      why,
      entry: { formerly: [...(to.formerly ?? []), from.server] },
    }));
}

/** Those that the lock knows and the config does not have, but for what became of them is on record. */
function oldServers({ lock, servers, launches }: ProposeServersInput): ReadonlyMap<string, OldServer> {
  const present = new Set(servers.map(ownerText));
  const old = new Map<string, OldServer>();
  for (const [key, { digest, successor }] of lock.tools) {
    const { server, toolbox, raw } = partsOf(key);
    const id = ownerText({ server, toolbox });
    if (present.has(id) || successor !== undefined) continue;
    const known = old.get(id) ?? { server, toolbox, digests: new Map(), launches: new Set() };
    known.digests.set(raw, digest);
    old.set(id, known);
  }
  for (const { tool, launch } of launches) old.get(ownerText(partsOf(tool)))?.launches.add(launch);
  return old;
}

function likeness(from: OldServer, { launch, tools }: PresentServer): ServerProposal["why"] | undefined {
  if (launch !== undefined && from.launches.has(launch)) return "launch";
  if (tools === undefined || tools.length === 0) return undefined;
  const isSame = tools.every(({ raw, definition }) => from.digests.get(raw) === definitionDigest(definition));
  const says = tools.some(({ definition }) => (definition.description ?? "") !== "");
  return isSame && (says || tools.length >= FEW_TOOLS) ? "tools" : undefined;
}

function ownerText({ server, toolbox }: Owner): string {
  return JSON.stringify([toolbox ?? null, server]);
}
