// One built-in row: what its source says, and where Onym is stricter.

import type { ClientTransformation, Confidence } from "../profile.js";

/** The characters that every hosted model provider accepts. Clients that pass names through get this limit. */
export const PROVIDER_FLOOR = "^[a-zA-Z0-9_-]{1,64}$";

/** Members of every JavaScript object. Clients that look up names on a plain object lose such tools or crash. */
export const PROTOTYPE_NAMES: readonly string[] = Object.getOwnPropertyNames(Object.prototype);

/** A built-in row. Absent fields are unknown or do not apply; `prefixAddedByClient: ""` means no prefix. */
export interface ProfileRow {
  readonly id: string;
  readonly kind?: "provider" | "specification";
  readonly title: string;
  readonly pattern: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly safeMaxLength?: number;
  readonly firstChar?: string;
  readonly prefixAddedByClient?: string;
  readonly suffixAddedByClient?: string;
  readonly combinedMaxLength?: number;
  readonly safeCombinedMaxLength?: number;
  readonly maxTools?: number;
  readonly caseSensitive?: false;
  readonly clientInfoNames?: readonly string[];
  readonly userAgentHints?: readonly string[];
  readonly listChanged?: boolean;
  readonly onViolation: string;
  readonly confidence: Confidence;
  readonly asOf: string;
  readonly version?: string;
  readonly retired?: true;
  readonly lockedBefore?: { readonly id: string; readonly aliasMattered: boolean };
  /** The pattern for assigned names, if it is narrower than `pattern`. */
  readonly emit?: string;
  /** As in `NameRules`. */
  readonly partSeparator?: "__";
  /** Whole names that are never assigned. */
  readonly reserved?: readonly string[];
  /** What the client does, beyond what the fields above say. */
  readonly client?: Partial<ClientTransformation>;
  readonly unrestricted?: true;
}
