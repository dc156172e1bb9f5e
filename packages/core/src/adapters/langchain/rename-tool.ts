// The same tool under another name. The tool that was given stays as it is.

import { ownField } from "../../identity/name-parts.js";

/**
 * A copy of the object, of the same class: whatever the tool does when it is invoked, it still does. The function
 * inside knows the raw name, so that the downstream does not notice.
 */
export function renameTool<T extends { readonly name: string }>(tool: T, name: string): T {
  const copy = Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool));
  const shown = { value: name, enumerable: true, writable: true, configurable: true };
  Object.defineProperty(copy, "name", shown);
  // What the tool is serialised from.
  const kwargs = ownField(tool, "lc_kwargs");
  if (typeof kwargs === "object" && kwargs !== null) {
    Object.defineProperty(copy, "lc_kwargs", { ...shown, value: { ...kwargs, name } });
  }
  return copy;
}
