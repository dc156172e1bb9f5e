// The text of a client's file → its servers, or in a few words why it has none that can be read.

import { readDocument, valueAt } from "../documents/edit-document.js";
import type { ClientFile, ClientFormat } from "./client.js";
import { entriesOfGateway } from "./gateway-files.js";
import { type Carried, serverEntryOf } from "./server-entry-of.js";
import {
  excludedTools,
  type FoundEntry,
  fieldOf,
  findEntries,
  objectOf,
  type Settle,
  settingsOf,
  type Toolbox,
} from "./server-maps.js";
import { type ServerSwitch, switchesIn } from "./server-switches.js";

export interface ReadServer {
  readonly id: string;
  readonly carried: Carried;
  readonly toolbox?: Toolbox | undefined;
}

export type ReadFile =
  | { readonly servers: readonly ReadServer[]; readonly value: unknown }
  /** There is nothing wrong, and nothing about servers either. */
  | { readonly servers: undefined; readonly value: unknown }
  | { readonly reason: string };

/** `at` says where servers stand, where it is known whose file it is; `switches` are those of the client's other files. */
export function readClientFile(
  text: string,
  {
    format,
    project,
    at,
    switches = [],
  }: {
    readonly format: ClientFormat;
    readonly project?: string;
    readonly at?: Pick<ClientFile, "servers" | "isList">;
    readonly switches?: readonly ServerSwitch[];
  },
): ReadFile {
  const parsed = readDocument(text, format);
  if (!parsed.ok) return { reason: parsed.reason };
  const { value } = parsed;
  // A config for one folder: what is off there is off in it.
  const counting = [...switchesIn(value), ...switches].filter(
    ({ folder }) => folder === undefined || folder === project,
  );
  const isOff = (id: string): boolean => counting.some((one) => one.isOff(id));
  const settle = settingsOf({ isOff, hidden: excludedTools(value) });
  const entries =
    entriesOfGateway(value) ?? findEntries(value, { project, settle }) ?? entriesAt(value, at, settle);
  return {
    value,
    servers: entries?.map((found) => ({ id: found.id, carried: carriedOf(found), toolbox: found.toolbox })),
  };
}

/** What becomes of one entry, with what its file says of it. */
export function carriedOf({ raw, reason, mentions = [], shownAs = [] }: Omit<FoundEntry, "id">): Carried {
  const carried = reason === undefined ? serverEntryOf(raw) : { reason };
  if ("reason" in carried) return carried;
  const known = [...new Set([...carried.mentions, ...mentions, ...shownAs.map(([tool]) => tool)])];
  return { ...carried, mentions: known, shownAs };
}

function entriesAt(
  value: unknown,
  at: Pick<ClientFile, "servers" | "isList"> | undefined,
  settle: Settle,
): ReturnType<typeof findEntries> {
  const found = at === undefined ? undefined : valueAt(value, at.servers);
  if (at?.isList === true && Array.isArray(found))
    return found.flatMap((raw: unknown) => {
      const id = fieldOf(raw, "name");
      return typeof id === "string" ? [{ id, ...settle(id, raw) }] : [];
    });
  const map = objectOf(found);
  return map === undefined ? undefined : Object.entries(map).map(([id, raw]) => ({ id, ...settle(id, raw) }));
}
