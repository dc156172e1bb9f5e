// @onym/core/resolve: how a text led to a tool, how long an old name works, and which names are similar to a wrong one.

export { explainStep } from "./explain-resolution.js";
export { type RenameWindow, renameWindow } from "./renames/rename-window.js";
export { RESOLVE_STEPS } from "./resolution.js";
export { createSuggest, createSuggester, type Suggest } from "./suggest-names.js";
