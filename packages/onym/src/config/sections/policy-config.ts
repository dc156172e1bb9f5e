// Policy and audit as the rest of the program knows them: patterns taken apart, servers found, defaults filled in.

import type { PolicyInput } from "../../model/policy-rule.js";
import type { ConfigFile } from "../schema/config-schema.js";

export interface PolicyConfig extends Required<PolicyInput> {
  /** For clients that cannot ask their user (POL-3). */
  readonly ask: { readonly when: "wait" | "fail"; readonly waitMs: number };
}

export interface AuditConfig {
  /** Arguments are kept, not only their digest. */
  readonly arguments: boolean;
  /** `undefined`: for good. */
  readonly retentionDays: number | undefined;
  /** Where the ends of its chains are written too; `undefined`: in the state folder. */
  readonly anchor: string | undefined;
  /** The oldest records go where it takes more. */
  readonly maxBytes: number;
  /** What happens to calls that cannot be recorded (POL-4). */
  readonly onFailure: "deny" | "allow";
}

export const NO_POLICY: PolicyConfig = {
  default: "allow",
  rules: [],
  annotations: [],
  trusted: [],
  newTools: "allow",
  ask: { when: "fail", waitMs: 45_000 },
};

/** A million calls or two. */
const DEFAULT_AUDIT_BYTES = 1024 * 1024 * 1024;

export function auditOf(written: ConfigFile["audit"]): AuditConfig {
  return {
    arguments: written?.arguments ?? false,
    retentionDays: written?.retentionDays,
    anchor: written?.anchor,
    maxBytes: written?.maxBytes ?? DEFAULT_AUDIT_BYTES,
    onFailure: written?.onFailure ?? "deny",
  };
}
