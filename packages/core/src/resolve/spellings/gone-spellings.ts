// Spellings of tools that are gone or whose server does not answer. They stay reserved, so that no other server can
// receive those calls by listing a tool of that name (RES-1, NAME-4).

import type { Catalog } from "../../catalog/build-catalog.js";
import { partsOfKey, type ToolKey } from "../../identity/tool-key.js";
import { foldAscii } from "../../names/ascii-fold.js";
import { parseToolName, withoutToolbox } from "../../names/canonical-name.js";
import { eachInSteps, eachPairInSteps, type Steps } from "../../names/steps.js";
import type { NamingTable } from "../../naming/build-naming-table.js";
import type { Lineage } from "../../naming/lock/lineage.js";
import type { Lock } from "../../naming/lock/lock.js";
import { flatten } from "../../naming/wish/wish-name.js";
import type { FormerName } from "../renames/former-names.js";
import { sentFormsOf } from "./sent-forms.js";
import { serverStarts } from "./server-forms.js";

export interface GoneSpellings {
  readonly byText: ReadonlyMap<string, FormerName>;
  /** By the canonical name in lower case. */
  readonly byFolded: ReadonlyMap<string, FormerName>;
  /** By the canonical name without its toolbox, as written and in lower case. */
  readonly unboxed: ReadonlyMap<string, readonly FormerName[]>;
}

/** For the tools that are in the lock but not in the catalog. */
export function* goneSpellingSteps(input: {
  readonly catalog: Catalog;
  readonly lock: Lock;
  readonly lineage: Lineage;
  readonly isAbsent: (key: ToolKey) => boolean;
}): Steps<GoneSpellings> {
  const byText = new Map<string, FormerName>();
  const byFolded = new Map<string, FormerName>();
  const unboxed = new Map<string, FormerName[]>();
  const flats = new Map<string, FormerName>();
  const labels = new Map<string, string>();
  yield* eachInSteps(input.catalog.tools, ({ integration, label }) => labels.set(integration, label));
  yield* eachPairInSteps(input.lock.tools, (key, { canonical }) => {
    if (input.catalog.toolWithKey(key) !== undefined) return;
    // It may be another tool now, through a declared rename (LOCK-5).
    const present = input.lineage.presentKeyOf(key);
    const tool = input.catalog.toolWithKey(present);
    const isAbsent = tool === undefined && input.isAbsent(present);
    const gone: FormerName = {
      tool,
      canonical: tool?.canonical ?? canonical,
      policy: "warn",
      ...(isAbsent ? { isAbsent } : {}),
    };
    byText.set(canonical, gone);
    const owner = partsOfKey(key);
    for (const start of serverStarts(owner)) byText.set(start + owner.raw, gone);
    byFolded.set(foldAscii(canonical), gone);
    if (owner.toolbox === undefined) {
      for (const flat of flatNames(canonical, labels)) flats.set(flat, gone);
      return;
    }
    const short = withoutToolbox(canonical);
    for (const text of new Set([short, foldAscii(short)])) {
      const others = unboxed.get(text);
      if (others === undefined) unboxed.set(text, [gone]);
      else others.push(gone);
    }
  });
  yield* eachPairInSteps(flats, (flat, gone) => {
    if (!byText.has(flat)) byText.set(flat, gone);
  });
  return { byText, byFolded, unboxed };
}

/** The flat names of a tool outside toolboxes if nothing else is recorded about it. */
function flatNames(canonical: string, labels: ReadonlyMap<string, string>): readonly string[] {
  const parsed = parseToolName(canonical);
  if (!parsed.ok) return [];
  const { integration, tool } = parsed.value;
  return [integration, labels.get(integration) ?? integration].map((owner) => `${owner}_${flatten(tool)}`);
}

/** What clients send for names that a table no longer has. */
export function* goneFormSteps(
  table: NamingTable,
  former: ReadonlyMap<string, FormerName>,
): Steps<ReadonlyMap<string, FormerName>> {
  const forms = new Map<string, FormerName>();
  yield* eachPairInSteps(former, (name, entry) => {
    // The tool may have the name again.
    if (table.indexOf(name) !== undefined) return;
    for (const form of sentFormsOf(name, table)) forms.set(form, entry);
  });
  return forms;
}
