// Finds tools that no longer exist by a canonical name, or by a recorded public name.

import type { Catalog } from "../../catalog/build-catalog.js";
import { integrationIn, outsideIntegrations } from "../../catalog/find-canonical.js";
import type { Tool } from "../../catalog/tool.js";
import { partsOfKey, type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { formatCanonicalName, parseToolName, withoutToolbox } from "../../names/canonical-name.js";
import type { Lock } from "../../naming/lock/lock.js";

export interface OldTools {
  /**
   * All tools that a text may mean. Only those of `successor`'s server if there are any, otherwise only those of
   * its toolbox.
   */
  readonly find: (text: string, successor?: Tool) => readonly ToolKey[];
  /** The canonical form of a text, with any version spelling. */
  readonly canonicalOf: (text: string) => string | undefined;
}

export function createOldTools({
  catalog,
  lock,
}: {
  readonly catalog: Catalog;
  readonly lock: Lock;
}): OldTools {
  const isGone = (key: ToolKey): boolean => catalog.toolWithKey(key) === undefined;
  const byCanonical = new Map<string, ToolKey[]>();
  const unboxed = new Map<string, ToolKey[]>();
  for (const [key, { canonical }] of lock.tools) {
    if (!isGone(key)) continue;
    byCanonical.set(canonical, [...(byCanonical.get(canonical) ?? []), key]);
    const plain = withoutToolbox(canonical);
    if (plain !== canonical) unboxed.set(plain, [...(unboxed.get(plain) ?? []), key]);
  }
  const outside = outsideIntegrations(lock.tools, catalog.servers);
  for (const plain of unboxed.keys()) if (outside.has(integrationIn(plain))) unboxed.delete(plain);
  return {
    find(text, successor) {
      const written = readCanonical(text)?.canonical ?? text;
      const publicly = publicKeys(text, lock).filter(isGone);
      // A name without its toolbox is accepted too, if no server outside toolboxes has that integration (CANON-7).
      const onRecord = [...(byCanonical.get(written) ?? unboxed.get(written) ?? []), ...publicly];
      const found =
        onRecord.length > 0 ? onRecord : impliedKeys(text, { catalog, outside, successor }).filter(isGone);
      const keys = [...new Set(found)];
      return successor === undefined || keys.length < 2 ? keys : nearest(keys, successor);
    },
    canonicalOf: (text) => readCanonical(text)?.canonical,
  };
}

/**
 * A public name may have belonged to different tools in two profiles. Servers rename their own tools, so the
 * nearest one counts.
 */
function nearest(keys: readonly ToolKey[], { server, toolbox }: Tool): readonly ToolKey[] {
  const here = keys.filter((key) => partsOfKey(key).toolbox === toolbox);
  const own = here.filter((key) => partsOfKey(key).server === server);
  return [own, here, keys].find(({ length }) => length > 0) ?? keys;
}

function publicKeys(name: string, { profiles }: Lock): readonly ToolKey[] {
  return [...profiles.values()].flatMap(({ names }) => names.get(name)?.key ?? []);
}

/** The identities that an unrecorded canonical name implies: those of present servers. */
function impliedKeys(
  text: string,
  {
    catalog: { servers },
    outside,
    successor,
  }: {
    readonly catalog: Catalog;
    readonly outside: ReadonlySet<string>;
    readonly successor: Tool | undefined;
  },
): readonly ToolKey[] {
  const read = readCanonical(text);
  if (read === undefined) return [];
  // A server with canonical names has them as raw names.
  if (successor !== undefined && successor.raw === withoutToolbox(successor.canonical))
    return [toolKeyOf({ ...successor, raw: read.plain })];
  const named = servers.filter(
    ({ integration, version }) => integration === read.integration && version === read.version,
  );
  const isAnywhere = read.toolbox === undefined && !outside.has(`${read.integration}@${read.version}`);
  return named
    .filter(({ toolbox }) => isAnywhere || toolbox === read.toolbox)
    .map(({ server, toolbox }) => toolKeyOf({ server, toolbox, raw: read.tool }));
}

interface ReadName {
  readonly toolbox: string | undefined;
  readonly integration: string;
  readonly version: number;
  readonly tool: string;
  /** The full name, with its toolbox and without. */
  readonly canonical: string;
  readonly plain: string;
}

function readCanonical(text: string): ReadName | undefined {
  const parsed = parseToolName(text);
  if (!parsed.ok) return undefined;
  const { toolbox, integration, integrationVersion: version, tool, toolVersion } = parsed.value;
  if (version === "latest" || toolVersion === "latest") return undefined;
  const canonical = formatCanonicalName({
    toolbox,
    integration,
    integrationVersion: version,
    tool,
    toolVersion,
  });
  return { toolbox, integration, version, tool, plain: withoutToolbox(canonical), canonical };
}
