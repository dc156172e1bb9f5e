// @onym/core/identity: the layers of a tool's identity, for hosts that build, match and trace calls themselves.

export { canonicalJson } from "./canonical-json.js";
export { type CallId, callIdOf } from "./layers/call-id.js";
export { type DispatchName, dispatchNameOfCall, dispatchNameOfTool } from "./layers/dispatch-name.js";
export { handoffNameOf } from "./layers/handoff-name.js";
export { type LookupKey, lookupKeyOfCall, lookupKeyOfTool } from "./layers/lookup-key.js";
export { prefixedNameOf } from "./layers/prefixed-name.js";
export { type QualifiedName, qualifiedNameOf } from "./layers/qualified-name.js";
export {
  spanNameOf,
  type TraceAttributes,
  type TracedCall,
  type TracedToolType,
  traceAttributesOf,
} from "./layers/trace-attributes.js";
export { type TraceName, traceNameOfCall, traceNameOfTool } from "./layers/trace-name.js";
export { type FunctionTool, type Namespace, type PublicName, publicNameOf } from "./name-parts.js";
export { type Owner, ownerTextOf, parseToolKey, type ToolKey, toolKeyOf } from "./tool-key.js";
export {
  type CallFingerprint,
  callFingerprintOf,
  checkReplay,
  type Replay,
} from "./tool-set/check-replay.js";
export { normalizeCall } from "./tool-set/normalize-call.js";
export { type CallResolution, resolveCall } from "./tool-set/resolve-call.js";
export { buildToolSet, type ToolSet } from "./tool-set/tool-set.js";
export { type ToolSetFinding, type ToolSetPolicy, validateToolSet } from "./tool-set/validate-tool-set.js";
