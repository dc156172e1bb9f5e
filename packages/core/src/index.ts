// @onym/core: tools → names, and names → tools. The subpaths approvals, identity, naming, profiles and resolve, and one
// per SDK, export what only some users need.

export type { Catalog } from "./catalog/build-catalog.js";
export type { CatalogProblem } from "./catalog/catalog-problem.js";
export type { CatalogServer, ListedTool, ToolSource } from "./catalog/source.js";
export type { Tool, ToolDefinition } from "./catalog/tool.js";
export type { Owner, ToolKey } from "./identity/tool-key.js";
export {
  type CanonicalName,
  formatCanonicalName,
  type ParsedToolName,
  parseToolName,
  withoutToolbox,
} from "./names/canonical-name.js";
export { decodeTransport } from "./names/decode-transport.js";
export { escapeText, quoteText } from "./names/escape-text.js";
export { OnymError } from "./names/onym-error.js";
export type { ParseResult, Problem, Severity } from "./names/problem.js";
export {
  formatToolboxName,
  isToolboxId,
  type ParsedToolboxName,
  parseToolboxName,
  type ToolboxNameVerdict,
  validateToolboxName,
} from "./names/toolbox-name.js";
export type { VersionRequest } from "./names/version.js";
export { type AliasedTool, type AliasedTools, type AliasOptions, aliasTools } from "./naming/alias-tools.js";
export type { NamedTool } from "./naming/assign/assign-names.js";
export type { LockScope, NamingTable } from "./naming/build-naming-table.js";
export {
  diffLocks,
  type HandedOnName,
  type LockDiff,
  type MovedNameChange,
  type NameChange,
} from "./naming/lock/diff-locks.js";
export type { WrittenLock } from "./naming/lock/fast-path/change-lock-lines.js";
export { formatLock } from "./naming/lock/format-lock.js";
export {
  EMPTY_LOCK,
  type Lock,
  type LockedName,
  type LockedTool,
  type ProfileLock,
} from "./naming/lock/lock.js";
export { parseLock } from "./naming/lock/parse-lock.js";
export { NAMING_STYLES, type NamingStyle } from "./naming/wish/style.js";
export { explainWhy, type Why } from "./naming/wish/why.js";
export { type CheckNameOptions, checkName } from "./profiles/check-name.js";
export { defineProfile } from "./profiles/define/define-profile.js";
export type { ProfileInput } from "./profiles/define/profile-input.js";
export { findProfile, listProfiles } from "./profiles/find-profile.js";
export type { ClientTransformation, Confidence, NameRules, NameShape, Profile } from "./profiles/profile.js";
export { sentName } from "./profiles/sent/sent-name.js";
export type { Resolver } from "./resolve/create-resolver.js";
export type { Rename } from "./resolve/renames/rename-window.js";
export type {
  Ambiguous,
  Resolution,
  ResolveContext,
  Resolved,
  ResolveStep,
  Retired,
  StepTaken,
  StructuredName,
  Unknown,
} from "./resolve/resolution.js";
export {
  buildSnapshot,
  type ResolveOptions,
  type ResolverChoice,
  type Snapshot,
  type SnapshotOptions,
  snapshotSteps,
  type TableChoice,
  type ToolIdentity,
  type ToolLineage,
} from "./snapshot/build-snapshot.js";
