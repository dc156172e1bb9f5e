// A migration with everything that is printed or written of it, whether it was planned now or read from a table.

import type { Rename } from "@onym/core";
import type { Window } from "./alias-block.js";
import type { NamingContext } from "./build-naming.js";
import type { NamePairs } from "./name-pairs.js";
import type { Migration } from "./plan-migration.js";

export interface PlannedMigration extends Pick<NamingContext, "level"> {
  readonly from: string;
  readonly to: string;
  readonly fromTitle: string;
  readonly toTitle: string;
  /** Whose tools: the id of the server on its level, else the alias of the gateway. */
  readonly owner: string;
  /** Under what clients have registered what gives the new names. */
  readonly as: string;
  readonly pairs: NamePairs;
  readonly migration: Migration;
  readonly renames: readonly Rename[];
  readonly window: Window | undefined;
}
