// Every text beside the public name that must lead to a tool (RES-1, step `spelling`), computed from the tables.

import type { Catalog } from "../catalog/build-catalog.js";
import type { Tool } from "../catalog/tool.js";
import type { Owner } from "../identity/tool-key.js";
import { formatToolboxName } from "../names/toolbox-name.js";
import type { NamingTable } from "../naming/build-naming-table.js";
import type { NameVariant } from "../naming/name-variants.js";
import { wishName } from "../naming/wish-name.js";
import { sentName } from "../profiles/sent-name.js";
import { addClaim, type Claim, type Claims } from "./claims.js";

/**
 * Spellings that any caller may use: names in other profiles, flat names with the full integration, toolbox form,
 * `server.tool`, `server/tool`, and the forms that clients make of a server and a tool.
 */
export function buildSpellings(catalog: Catalog, variants: Iterable<NameVariant>): Claims {
  const claims: Claims = new Map();
  // Step by step through all tools, so that the claims of one text come in the order of the catalog.
  for (const tool of catalog.tools) {
    for (const form of serverForms(tool)) addClaim(claims, form, tool);
    if (tool.raw.includes(".")) addClaim(claims, wishName(tool, "encoded"), tool);
  }
  let flatIsShown = false;
  const pinned = new Map<Tool, NameVariant["style"]>();
  for (const variant of variants) {
    flatIsShown ||= variant.style === "flat";
    addVariant(claims, variant);
    for (const { tool, why } of variant.named) if (why.kind === "pinned") pinned.set(tool, variant.style);
  }
  addPinned(claims, pinned);
  if (!flatIsShown) addFlatWishes(claims, catalog);
  return claims;
}

/** The forms that people and clients make of a server and a tool. */
export function serverForms({ server, raw, toolbox }: Owner & Pick<Tool, "raw">): readonly string[] {
  const forms = [
    `${server}.${raw}`,
    `${server}/${raw}`,
    `mcp__${server}__${raw}`,
    `mcp_${server}__${raw}`,
    `mcp_${server}_${raw}`,
  ];
  if (toolbox !== undefined) forms.push(formatToolboxName({ toolbox, server, originalTool: raw }));
  return forms;
}

/** Names that the client itself, or a model behind it, makes of the names in a table and sends back. */
export function buildSentForms({ tools, profile, as }: NamingTable): (text: string) => Claim | undefined {
  const claims: Claims = new Map();
  const starts = [`mcp__${as}__`, `mcp_${as}_`];
  let common: string | undefined;
  for (const { name, tool } of tools) {
    for (const start of starts) addClaim(claims, start + name, tool);
    const sent = sentName(name, profile, as);
    // A name that is sent as it is was found in the table itself.
    if (sent === name) continue;
    addClaim(claims, sent, tool);
    common = common === undefined ? sent : commonStart(common, sent);
  }
  if (common !== undefined) starts.push(common);
  // Most texts do not start as any of them does, and asking a large map costs more than seeing that.
  return (text) => (starts.some((start) => text.startsWith(start)) ? claims.get(text) : undefined);
}

/** The same for one name. */
export function sentFormsOf(name: string, { profile, as }: NamingTable): readonly string[] {
  return [sentName(name, profile, as), `mcp__${as}__${name}`, `mcp_${as}_${name}`];
}

function commonStart(a: string, b: string): string {
  let end = 0;
  while (end < a.length && a.charCodeAt(end) === b.charCodeAt(end)) end++;
  return a.slice(0, end);
}

function addVariant(claims: Claims, { style, named }: NameVariant): void {
  for (const { name, tool, why } of named) {
    addClaim(claims, name, tool);
    if (tool.label !== tool.integration) addClaim(claims, withFullIntegration(name, tool), tool);
    // A wish that lost to another tool is not this tool's spelling; one that was merely cut is.
    if (why.kind === "cut" || why.kind === "unrepeated" || why.kind === "fitted") {
      addClaim(claims, why.wish, tool);
      if (style === "flat") addClaim(claims, withFullIntegration(why.wish, tool), tool);
    }
  }
}

/** A pin adds a name; the one that the style would give still leads to the tool, unless another has it. */
function addPinned(claims: Claims, pinned: ReadonlyMap<Tool, NameVariant["style"]>): void {
  const added: Claims = new Map();
  for (const [tool, style] of pinned) {
    const wish = wishName(tool, style);
    for (const text of [wish, withFullIntegration(wish, tool)])
      if (!claims.has(text)) addClaim(added, text, tool);
  }
  for (const [text, claim] of added) claims.set(text, claim);
}

/** `sf_create_lead_2` → `salesforce_create_lead_2`: the number belongs to the spelling and stays (RES-2). */
function withFullIntegration(name: string, tool: Tool): string {
  const { label, integration } = tool;
  return label !== integration && name.startsWith(`${label}_`)
    ? integration + name.slice(label.length)
    : name;
}

/** Where no table shows flat names they have no numbers, and two tools with one flat name are ambiguous. */
function addFlatWishes(claims: Claims, catalog: Catalog): void {
  for (const tool of catalog.tools) {
    const flat = wishName(tool, "flat");
    addClaim(claims, flat, tool);
    addClaim(claims, withFullIntegration(flat, tool), tool);
  }
}
