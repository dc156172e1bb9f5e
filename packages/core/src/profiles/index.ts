// @onym/core/profiles: client detection, and the rules of clients and providers.

export { correctProfile, exportProfile } from "./define/export-profile.js";
export { PROFILE_WORDS } from "./define/profile-input.js";
export {
  type Detection,
  type DetectionConfidence,
  type DetectionEvidence,
  detectProfile,
} from "./detect/detect-profile.js";
export type { DetectionHints } from "./detect/read-hints.js";
export { createProfileSet, type ProfileSet } from "./profile-set.js";
export { nameRulesFor } from "./sent/name-budget.js";
export { matchesProfile } from "./sent/sent-name.js";
