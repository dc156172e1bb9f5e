// What is known about a profile row beyond its fields: its sources, and remarks that fit no field.

/** Sources and remarks of one profile. */
export interface Evidence {
  readonly id: string;
  /** The row's sources, most relevant first. */
  readonly sources: readonly string[];
  readonly notes?: string;
  /** The formula for the length of a name, as its source states it. `server` is the gateway's alias. */
  readonly budgetFormula?: string;
  /** Fields whose confidence differs from the row's. */
  readonly confidenceByField?: Readonly<Record<string, string>>;
  /** Reserved names, as text. */
  readonly reserved?: readonly string[];
  /** The protocol revisions that the client supports. */
  readonly protocol?: string;
  /** A prefix that the client adds only if configured. */
  readonly optionalPrefix?: string;
  readonly maxDescriptionLength?: number;
  /** Whether two tools may share a name. */
  readonly unique?: string;
  /** How the combined limit is counted. */
  readonly combinedCounts?: string;
  readonly maxToolsHistorical?: readonly number[];
  /** Where Onym deviates from the row, and why. */
  readonly ours?: string;
}
