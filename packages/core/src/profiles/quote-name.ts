// A name in quotes for a message. Only what the quotation shows is escaped, so a name of any length costs the same.

import { quoteText } from "../names/escape-text.js";

/** More than a quotation shows at either end. */
const END = 200;

export function quoteName(name: string): string {
  return quoteText(name.length > 2 * END ? name.slice(0, END) + name.slice(-END) : name);
}
