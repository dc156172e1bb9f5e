/** Entry point of @onym/core → its source file. */
export function coreSources(root?: string): Record<string, string>;
