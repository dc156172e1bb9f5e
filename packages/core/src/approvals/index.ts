// @onym/core/approvals: approval keys and decisions, for hosts that ask people before they call a tool.

export {
  type ApprovalKey,
  type ApprovalKeyOptions,
  type ApprovalKeys,
  approvalKeysOfCall,
  approvalKeysOfCatalogTool,
  approvalKeysOfTool,
  formatApprovalKey,
  formatApprovalKeys,
  isBareAliasAllowed,
} from "./approval-keys.js";
export { type ArgumentsDigest, type CallBinding, callBindingOf } from "./call-binding.js";
export { type Approval, decideApproval } from "./decisions/decide-approval.js";
export {
  type ChangedTool,
  type DecidedLineage,
  decideStanding,
  type StandingApproval,
} from "./decisions/decide-standing.js";
export { type Decisions, decideToolCall } from "./decisions/decide-tool-call.js";
export {
  type ApprovalDecision,
  buildDecisionRecord,
  type CallDecision,
  type CallDecisionKey,
  type DecisionRecord,
  recordDecision,
  type Verdict,
} from "./decisions/decision-record.js";
export { formatDecisions } from "./decisions/format-decisions.js";
export { parseDecisions, type RestoredDecisions } from "./decisions/parse-decisions.js";
export {
  buildStandingRecord,
  recordStanding,
  type StandingDecision,
  type StandingKey,
  type StandingRecord,
  withdrawStanding,
} from "./decisions/standing-record.js";
export {
  type DefinitionChange,
  type DefinitionDiff,
  diffDefinitions,
  explainDefinitionDiff,
} from "./definition-diff.js";
export { type DefinitionDigest, definitionDigest } from "./definition-digest.js";
export { type ToolBinding, toolBindingOf } from "./tool-binding.js";
