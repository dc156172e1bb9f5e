// A decision about a tool that stands until it expires or is revoked (POL-2), as it is stored and decided by.

import type { ToolDefinition, ToolKey } from "@onym/core";

export interface Approval {
  /** Given by the store; later ones are greater. */
  readonly id: number;
  readonly verdict: "approved" | "rejected";
  readonly principal: string;
  /** The tool that was shown. */
  readonly tool: ToolKey;
  readonly launch: string;
  readonly digest: string;
  /** What was shown when it was decided. */
  readonly definition: ToolDefinition;
  /** ms since 1970. */
  readonly expiresAt: number | undefined;
  /** Equal to `expiresAt` if the expiry is recorded. */
  readonly revokedAt: number | undefined;
  /** For one call: the call that revokes it first runs. */
  readonly isOnce?: true;
  /** Made when decisions were stored under the first key of a line of renames: it is for one tool of that line. */
  readonly isOfLine?: true;
}
