// The text of a client's file → its servers, or in a few words why it has none that can be read.

import { readDocument, valueAt } from "../edit/edit-document.js";
import type { ClientFile, ClientFormat } from "./client.js";
import { entriesOfGateway } from "./gateway-files.js";
import { type Carried, serverEntryOf } from "./server-entry-of.js";
import { fieldOf, findEntries, objectOf, type Toolbox } from "./server-maps.js";

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

/** `at` says where servers stand, where it is known whose file it is. */
export function readClientFile(
  text: string,
  {
    format,
    project,
    at,
  }: {
    readonly format: ClientFormat;
    readonly project?: string;
    readonly at?: Pick<ClientFile, "servers" | "isList">;
  },
): ReadFile {
  const parsed = readDocument(text, format);
  if (!parsed.ok) return { reason: parsed.reason };
  const { value } = parsed;
  const entries = entriesOfGateway(value) ?? findEntries(value, project) ?? entriesAt(value, at);
  return {
    value,
    servers: entries?.map(({ id, raw, toolbox, reason, mentions = [], shownAs = [] }) => {
      const carried = reason === undefined ? serverEntryOf(raw) : { reason };
      if ("reason" in carried) return { id, carried, toolbox };
      const known = [...new Set([...carried.mentions, ...mentions, ...shownAs.map(([tool]) => tool)])];
      return { id, carried: { ...carried, mentions: known, shownAs }, toolbox };
    }),
  };
}

function entriesAt(
  value: unknown,
  at: Pick<ClientFile, "servers" | "isList"> | undefined,
): ReturnType<typeof findEntries> {
  const found = at === undefined ? undefined : valueAt(value, at.servers);
  if (at?.isList === true && Array.isArray(found))
    return found.flatMap((raw: unknown) => {
      const id = fieldOf(raw, "name");
      return typeof id === "string" ? [{ id, raw }] : [];
    });
  const map = objectOf(found);
  return map === undefined ? undefined : Object.entries(map).map(([id, raw]) => ({ id, raw }));
}
