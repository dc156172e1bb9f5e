// Which tool a call means, as the test knows it: from the sources and the config alone, never from what Onym says.

/** A tool: its server's id and its raw name there. */
export interface Identity {
  readonly server: string;
  readonly raw: string;
}

/** What canonical names of a server start with, written down by hand (CANON-1). */
const INTEGRATIONS: ReadonlyMap<string, string> = new Map([
  ["docs", "docs@1"],
  ["crm", "crm@1"],
  ["files", "files@1"],
  ["Files 2", "files-2@1"],
  ["日本", "nihon@1"],
  ["docs_search", "docs-search@1"],
  ["__proto__", "proto@1"],
  ["a.b", "a-b@1"],
  ["a b", "a-b@2"],
  ["100%", "100@1"],
  ["onym", "onym@1"],
  ["mcp", "mcp@1"],
]);

/** What the config has to say of a server so that its canonical names are as above. */
export function identityConfig(server: string): { readonly integration?: string; readonly version?: number } {
  const [integration, version] = integrationOf(server).split("@");
  return { ...(integration === undefined ? {} : { integration }), version: Number(version) };
}

export function canonicalOf({ server, raw }: Identity): string {
  return `${integrationOf(server)}/${raw}@1`;
}

export function keyOf({ server, raw }: Identity): string {
  return JSON.stringify([server, raw]);
}

export function isSame(a: Identity, b: Identity): boolean {
  return a.server === b.server && a.raw === b.raw;
}

function integrationOf(server: string): string {
  const known = INTEGRATIONS.get(server);
  if (known === undefined) throw new Error(`no integration for ${server}`);
  return known;
}
