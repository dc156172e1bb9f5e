// One thing that doctor looked at: how it stands, and what to do where it does not stand well.

export type CheckStatus = "ok" | "warning" | "error";

export interface Check {
  readonly group: "Onym" | "Servers" | "Names" | "Policy" | "Lock" | "Store" | "Clients" | "Gateway";
  /** What was looked at, such as a server's id. Foreign text is escaped when it is shown. */
  readonly name: string;
  readonly status: CheckStatus;
  /** For people; foreign text in it is escaped already. */
  readonly message: string;
  readonly fix?: string;
}

export function countChecks(checks: readonly Check[], status: CheckStatus): number {
  return checks.filter((check) => check.status === status).length;
}
