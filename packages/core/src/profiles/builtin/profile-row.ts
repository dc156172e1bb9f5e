// One built-in row as it is written down: what its source says, and where Onym keeps to less than that.

import type { ClientTransformation, Confidence } from "../profile.js";

/** Characters that every hosted model provider takes; clients that pass names on are held to it. */
export const PROVIDER_FLOOR = "^[a-zA-Z0-9_-]{1,64}$";

/** Members of every object in JavaScript: clients that look names up on a plain object lose them or end. */
export const PROTOTYPE_NAMES: readonly string[] = Object.getOwnPropertyNames(Object.prototype);

/** A built-in row. Absent fields are unknown or do not apply; `prefixAddedByClient: ""` says there is none. */
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
  /** The pattern that names given out keep to, where it is narrower than `pattern`. */
  readonly emit?: string;
  /** As in `NameRules`. */
  readonly partSeparator?: "__";
  /** Whole names that are never given out. */
  readonly reserved?: readonly string[];
  /** What the client does, where the fields above do not already say it. */
  readonly client?: Partial<ClientTransformation>;
  readonly unrestricted?: true;
}
