// The shape of what is known about a row of the profiles: where it comes from and what did not fit its fields.

/** Sources and remarks of one profile. */
export interface Evidence {
  readonly id: string;
  /** Where the row comes from, most telling first. */
  readonly sources: readonly string[];
  readonly notes?: string;
  /** How many characters a name may have, in the words of the research. `server` is the gateway's alias. */
  readonly budgetFormula?: string;
  /** Where single fields are surer, or less sure, than the row. */
  readonly confidenceByField?: Readonly<Record<string, string>>;
  /** Names that are taken, in words. */
  readonly reserved?: readonly string[];
  /** Protocol revisions that the client speaks. */
  readonly protocol?: string;
  /** A prefix that the client adds only when told to. */
  readonly optionalPrefix?: string;
  readonly maxDescriptionLength?: number;
  /** Whether two tools may share a name. */
  readonly unique?: string;
  /** How the combined limit is counted. */
  readonly combinedCounts?: string;
  readonly maxToolsHistorical?: readonly number[];
  /** Where Onym does other than the row says, and why. */
  readonly ours?: string;
}
