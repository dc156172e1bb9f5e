// What a client's own permission lists say about MCP tools, in one shape for all clients, and how an entry is written anew.

import type { Edit } from "../../../../documents/edit.js";

export type Effect = "allow" | "ask" | "deny";

/** What an entry of a list is about, in the client's own words. */
type Target =
  /** A name as the client shows it to the model, with `*` and `?`. */
  | { readonly kind: "name"; readonly pattern: string }
  /** A server as it is registered there, and one of its tools or, where it is `undefined`, all of them; with `*` and `?`. */
  | { readonly kind: "tool"; readonly server: string; readonly tool: string | undefined }
  /** A raw name, of whichever server has it; the name may be that of a tool of the client itself. */
  | { readonly kind: "raw"; readonly tool: string };

export interface OwnRule {
  readonly effect: Effect;
  readonly target: Target;
  /** As it stands in the list. */
  readonly text: string;
  /** It holds for a part of the client's work alone, such as one agent: Onym cannot tell that from the rest. */
  readonly within?: string;
}

/** One entry that goes on under a new name. */
export interface Change {
  readonly rule: OwnRule;
  /** As Onym lists the tool. */
  readonly name: string;
  /** As the client shows it then. */
  readonly sent: string;
}

/** One file with permission lists of a client. */
export interface PermissionForm {
  /** Absent: the file that the servers stand in. `{project}`: the folder of that file, where it is a project's. */
  readonly place?: string;
  readonly format: "json" | "toml";
  readonly read: (value: unknown, servers: ReadonlyMap<string, unknown>) => readonly OwnRule[];
  /** Entries about these servers that the client does not follow, or that Onym cannot: in a few words each. */
  readonly notes?: (value: unknown, servers: ReadonlyMap<string, unknown>) => readonly string[];
  /** Where in it lists of texts are expected. */
  readonly lists?: readonly (readonly string[])[];
  /** Effects that it can hold for one tool of a gateway; the others become rules of Onym. */
  readonly holds: readonly Effect[];
  /** What to write there. `alias` is the name under which Onym is registered. */
  readonly edits?: (value: unknown, changes: readonly Change[], alias: string) => readonly Edit[];
  /** What to add to the entry of Onym itself. */
  readonly entry?: (changes: readonly Change[]) => Readonly<Record<string, unknown>>;
}

export function textsIn(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : []).filter((item) => typeof item === "string");
}
