// @onym/core: everything public, and nothing else.

export {
  type ApprovalKey,
  type ApprovalKeyOptions,
  type ApprovalKeys,
  approvalKeysOfCall,
  approvalKeysOfCatalogTool,
  approvalKeysOfTool,
} from "./approvals/approval-keys.js";
export { isBareAliasAllowed } from "./approvals/bare-alias.js";
export { type ArgumentsDigest, type CallBinding, callBindingOf } from "./approvals/call-binding.js";
export { type Approval, decideApproval } from "./approvals/decide-approval.js";
export {
  type ChangedTool,
  decideStanding,
  type StandingApproval,
} from "./approvals/decide-standing.js";
export { type Decisions, decideToolCall } from "./approvals/decide-tool-call.js";
export {
  type ApprovalDecision,
  buildDecisionRecord,
  type CallDecision,
  type CallDecisionKey,
  type DecisionRecord,
  recordDecision,
  type Verdict,
} from "./approvals/decision-record.js";
export {
  type DefinitionChange,
  type DefinitionDiff,
  diffDefinitions,
} from "./approvals/definition-diff.js";
export { type DefinitionDigest, definitionDigest } from "./approvals/definition-digest.js";
export { explainDefinitionDiff } from "./approvals/explain-definition-diff.js";
export { formatApprovalKey, formatApprovalKeys } from "./approvals/format-approval-keys.js";
export { formatDecisions } from "./approvals/format-decisions.js";
export { parseDecisions, type RestoredDecisions } from "./approvals/parse-decisions.js";
export {
  buildStandingRecord,
  recordStanding,
  type StandingDecision,
  type StandingKey,
  type StandingRecord,
  withdrawStanding,
} from "./approvals/standing-record.js";
export { type ToolBinding, toolBindingOf } from "./approvals/tool-binding.js";
export { buildCatalog, type Catalog } from "./catalog/build-catalog.js";
export type { CatalogProblem } from "./catalog/catalog-problem.js";
export { plainIntegration } from "./catalog/integration-of.js";
export { findLookAlikes, type LookAlikeFinding } from "./catalog/look-alikes.js";
export type { CatalogServer, ListedTool, ToolSource } from "./catalog/source.js";
export type { Tool, ToolDefinition } from "./catalog/tool.js";
export { type CallId, callIdOf } from "./identity/call-id.js";
export { canonicalJson } from "./identity/canonical-json.js";
export {
  type CallFingerprint,
  callFingerprintOf,
  checkReplay,
  type Replay,
} from "./identity/check-replay.js";
export { type DispatchName, dispatchNameOfCall, dispatchNameOfTool } from "./identity/dispatch-name.js";
export { handoffNameOf } from "./identity/handoff-name.js";
export { type LookupKey, lookupKeyOfCall, lookupKeyOfTool } from "./identity/lookup-key.js";
export { type FunctionTool, type Namespace, type PublicName, publicNameOf } from "./identity/name-parts.js";
export { normalizeCall } from "./identity/normalize-call.js";
export { prefixedNameOf } from "./identity/prefixed-name.js";
export { type QualifiedName, qualifiedNameOf } from "./identity/qualified-name.js";
export { type CallResolution, resolveCall } from "./identity/resolve-call.js";
export { type Owner, type ToolKey, toolKeyOf } from "./identity/tool-key.js";
export { buildToolSet, type ToolSet } from "./identity/tool-set.js";
export {
  spanNameOf,
  type TraceAttributes,
  type TracedCall,
  type TracedToolType,
  traceAttributesOf,
} from "./identity/trace-attributes.js";
export { type TraceName, traceNameOfCall, traceNameOfTool } from "./identity/trace-name.js";
export { type ToolSetFinding, type ToolSetPolicy, validateToolSet } from "./identity/validate-tool-set.js";
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
} from "./names/toolbox-name.js";
export { type ToolboxNameVerdict, validateToolboxName } from "./names/validate-toolbox-name.js";
export type { VersionRequest } from "./names/version.js";
export { type AliasedTool, type AliasedTools, aliasTools } from "./naming/alias-tools.js";
export type { NamedTool } from "./naming/assign-names.js";
export {
  buildNamingTable,
  type LockScope,
  type NamingOptions,
  type NamingTable,
} from "./naming/build-naming-table.js";
export type { WrittenLock } from "./naming/change-lock-lines.js";
export {
  diffLocks,
  type HandedOnName,
  type LockDiff,
  type MovedNameChange,
  type NameChange,
} from "./naming/diff-locks.js";
export { formatLock, formatLockSteps } from "./naming/format-lock.js";
export {
  DEFAULT_ALIAS,
  EMPTY_LOCK,
  type Lock,
  type LockedName,
  type LockedTool,
  type ProfileLock,
  readLockedTool,
} from "./naming/lock.js";
export { parseLock } from "./naming/parse-lock.js";
export { isNamingStyle, NAMING_STYLES, type NamingStyle } from "./naming/style.js";
export { explainWhy, type Why } from "./naming/why.js";
export { type CheckNameOptions, checkName } from "./profiles/check-name.js";
export { defineProfile } from "./profiles/define-profile.js";
export {
  type Detection,
  type DetectionConfidence,
  type DetectionEvidence,
  detectProfile,
} from "./profiles/detect-profile.js";
export { findProfile, listProfiles } from "./profiles/find-profile.js";
export { nameRulesFor } from "./profiles/name-budget.js";
export type { ClientTransformation, Confidence, NameRules, NameShape, Profile } from "./profiles/profile.js";
export type { ProfileInput } from "./profiles/profile-input.js";
export type { DetectionHints } from "./profiles/read-hints.js";
export { matchesProfile, sentName } from "./profiles/sent-name.js";
export type { Resolver } from "./resolve/create-resolver.js";
export type { Rename } from "./resolve/former-names.js";
export { type RenameWindow, renameWindow } from "./resolve/rename-window.js";
export {
  type Ambiguous,
  RESOLVE_STEPS,
  type Resolution,
  type ResolveContext,
  type Resolved,
  type ResolveStep,
  type Retired,
  type StepTaken,
  type StructuredName,
  type Unknown,
} from "./resolve/resolution.js";
export { createSuggest, type Suggest } from "./resolve/suggest-names.js";
export {
  buildSnapshot,
  type ResolveOptions,
  type Snapshot,
  type SnapshotOptions,
  type TableChoice,
  type ToolLineage,
} from "./snapshot/build-snapshot.js";
