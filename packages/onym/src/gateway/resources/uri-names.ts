// Keeps the resource URIs of several servers apart (GW-5). A URI that one server offers is shown unchanged. A
// URI that several offer is shown as `onym://KEY/URI` for each; its bare form resolves to none. A server that is
// down keeps what it offered last, so that nothing of it becomes another server's. While one is down that has
// listed nothing since the gateway started, or in a closed toolbox that was open before, every URI is shown wrapped: any of them may be
// its own (docs/decisions/0182, 0207).

import { encodeUriText } from "../../model/encode-text.js";
import { indexTemplates, type OwnedTemplate } from "./index-templates.js";
import { MAX_URI_LENGTH, parseTemplate } from "./match-template.js";

export interface ResourceOffer<T> {
  /** From `formatResourceKey`; unique. */
  readonly key: string;
  readonly owner: T;
  /** The server is down. */
  readonly isAbsent?: boolean;
  readonly resources: readonly string[];
  /** The pages that its tools name (MCP Apps), listed or not. */
  readonly pages?: readonly string[];
  readonly templates: readonly string[];
}

type ResourceResolution<T> =
  | {
      /** `absent`: its server is down. */
      readonly outcome: "resolved" | "absent";
      readonly owner: T /** As the server knows it. */;
      readonly uri: string;
    }
  | {
      readonly outcome: "ambiguous";
      /** Wrapped forms, in order. */
      readonly candidates: readonly string[];
      /** Another server may mean it, too, so that even a single candidate is not the one meant. */
      readonly isUncertain: boolean;
    }
  | { readonly outcome: "unknown" };

export interface ResourceTable<T> {
  /** What callers see; `resolve` returns this owner for it, listed or not. */
  readonly publicUri: (owner: T, uri: string) => string;
  readonly publicTemplate: (owner: T, template: string) => string;
  /** The only normalized addresses that can resolve to this owner and URI. */
  readonly addressesOf: (owner: T, uri: string) => readonly string[];
  readonly resolve: (uri: string) => ResourceResolution<T>;
  /**
   * The server that a page belongs to, as proof of where a call comes from. A bare URI proves nothing while any server that
   * should be up has listed nothing yet, because the page may be that server's.
   */
  readonly resolveOrigin: (page: string) => ResourceResolution<T>;
  /** For completion, which names a template by its text. */
  readonly resolveTemplate: (template: string) => ResourceResolution<T>;
  /**
   * The table of a caller from whom tools may be hidden. A page is there if its server lists it or a tool that the caller sees
   * names it. Any other address of a page means nothing, so that guesses neither find the page of a hidden tool nor tell that
   * it exists.
   */
  readonly seenBy: (sees: SeesPage<T>) => ResourceTable<T>;
}

/** Whether a caller sees a tool of this server that names the page. */
type SeesPage<T> = (owner: T, page: string) => boolean;

export interface UnlistedServers {
  /** Some server has not listed yet what it offers. */
  readonly hasUnlisted?: boolean;
  /** One of them should be up, or has names on record and its toolbox is closed: it may have offered anything before. */
  readonly hasUnlistedDown?: boolean;
}

/**
 * Builds the table; the order of offers does not matter. Listed URIs are looked up first, then templates. A
 * URI that matches nothing goes to the only server with resources, if there is just one and all have listed theirs.
 * @example
 * const table = buildResourceTable([{ key: "fs", owner: fs, resources: ["file:///a"], templates: [] }]);
 * table.resolve("onym://fs/file:///b"); // { outcome: "resolved", owner: fs, uri: "file:///b" }
 */
export function buildResourceTable<T>(
  offers: readonly ResourceOffer<T>[],
  { hasUnlisted = false, hasUnlistedDown = false }: UnlistedServers = {},
): ResourceTable<T> {
  const indexes = {
    offers,
    unlisted: { hasUnlisted, hasUnlistedDown },
    byKey: groupOffers(offers, ({ key }) => [key]),
    byUri: groupOffers(offers, ({ resources }) => resources),
    byPage: groupOffers(offers, ({ pages = [] }) => pages),
    byTemplate: groupOffers(offers, ({ templates }) => templates),
    keys: new Map(offers.map(({ owner, key }) => [owner, key])),
  };
  return tableOver(
    { ...indexes, findMatching: indexTemplates(readTemplates(indexes.byTemplate)) },
    undefined,
  );
}

type Groups<T> = ReadonlyMap<string, readonly ResourceOffer<T>[]>;

/** What the tables of all callers share. */
interface Indexes<T> {
  readonly offers: readonly ResourceOffer<T>[];
  readonly unlisted: Required<UnlistedServers>;
  readonly byKey: Groups<T>;
  readonly byUri: Groups<T>;
  readonly byPage: Groups<T>;
  readonly byTemplate: Groups<T>;
  readonly keys: ReadonlyMap<T, string>;
  readonly findMatching: (uri: string) => readonly ResourceOffer<T>[];
}

/** `sees`: `undefined` if the caller sees every tool. */
function tableOver<T>(indexes: Indexes<T>, sees: SeesPage<T> | undefined): ResourceTable<T> {
  const { offers, byKey, byUri, byPage, byTemplate, keys, findMatching } = indexes;
  const { hasUnlisted, hasUnlistedDown } = indexes.unlisted;
  const hasPage = ({ owner }: ResourceOffer<T>, page: string): boolean => sees?.(owner, page) !== false;
  /** Those that list a URI, or name it as a page. */
  const offersOf = (uri: string): readonly ResourceOffer<T>[] | undefined => {
    const listed = byUri.get(uri);
    const named = byPage.get(uri)?.filter((offer) => hasPage(offer, uri)) ?? [];
    return named.length === 0 ? listed : [...new Set([...(listed ?? []), ...named])];
  };
  const isClosed = (uri: string): boolean => sees !== undefined && mayBePage(uri);
  const offering = offers.filter(
    (offer) =>
      offer.resources.length + offer.templates.length > 0 ||
      offer.pages?.some((page) => hasPage(offer, page)) === true,
  );
  const ownerOfOthers = offering.length === 1 && !hasUnlisted ? offering : [];

  const choose = (found: readonly ResourceOffer<T>[], uri: string): ResourceResolution<T> => {
    const [only] = found;
    if (only === undefined) return { outcome: "unknown" };
    if (found.length === 1)
      return { outcome: only.isAbsent === true ? "absent" : "resolved", owner: only.owner, uri };
    return ambiguous(found, uri, { isUncertain: false });
  };
  const isUncertain = (uri: string): boolean => hasUnlistedDown && !isPage(uri);
  const resolveBy = (
    text: string,
    find: (uri: string) => readonly ResourceOffer<T>[],
  ): ResourceResolution<T> => {
    // A bare URI in Onym's own scheme resolves to none: what servers offer in it is always wrapped.
    if (isOwnScheme(text)) {
      const wrapped = unwrapUri(text);
      if (wrapped === undefined) return { outcome: "unknown" };
      const named = byKey.get(wrapped.key) ?? [];
      const offered = isClosed(wrapped.uri) ? find(wrapped.uri) : named;
      return choose(
        named.filter((offer) => offered.includes(offer)),
        wrapped.uri,
      );
    }
    const found = find(text);
    return isUncertain(text) && found.length > 0
      ? ambiguous(found, text, { isUncertain: true })
      : choose(found, text);
  };
  const resolve = (text: string): ResourceResolution<T> =>
    resolveBy(text, (uri) => {
      const listed = offersOf(uri);
      if (listed !== undefined) return listed;
      const matching = findMatching(uri);
      return matching.length > 0 || isClosed(uri) ? matching : ownerOfOthers;
    });
  const resolveOrigin = (page: string): ResourceResolution<T> =>
    hasUnlistedDown && !isOwnScheme(page) ? { outcome: "unknown" } : resolve(page);
  const resolveTemplate = (text: string): ResourceResolution<T> =>
    resolveBy(text, (template) => byTemplate.get(template) ?? []);
  /** Bare if that resolves to the owner without matching a template: servers may name any number of URIs. */
  const show = (listedBy: readonly ResourceOffer<T>[], owner: T, text: string): string => {
    const key = keys.get(owner);
    const [only, second] = listedBy;
    const isOnly = only?.owner === owner && second === undefined;
    const leadsBack = isOnly && !isOwnScheme(text) && !isUncertain(text);
    return key === undefined || leadsBack ? text : wrapUri(key, text);
  };

  return {
    publicUri: (owner, uri) => show(offersOf(uri) ?? (isClosed(uri) ? [] : ownerOfOthers), owner, uri),
    publicTemplate: (owner, template) => show(byTemplate.get(template) ?? [], owner, template),
    addressesOf(owner, uri) {
      const key = keys.get(owner);
      return key === undefined ? [uri] : [uri, wrapUri(key, uri)];
    },
    resolve,
    resolveOrigin,
    resolveTemplate,
    seenBy: (seesPage) => tableOver(indexes, seesPage),
  };
}

function ambiguous<T>(
  found: readonly ResourceOffer<T>[],
  uri: string,
  { isUncertain }: { readonly isUncertain: boolean },
): ResourceResolution<T> {
  return { outcome: "ambiguous", candidates: found.map(({ key }) => wrapUri(key, uri)).sort(), isUncertain };
}

/**
 * The page of a tool (MCP Apps). Hosts read it under the address in the tool's `_meta`, which is the server's own, so it stays
 * bare. It is no proof of where a call comes from.
 */
function isPage(uri: string): boolean {
  return /^ui:\/\//i.test(uri);
}

/** Whether a server may read it as the address of a page: URL parsers ignore space around it, and line ends in it. */
function mayBePage(uri: string): boolean {
  return isPage(uri) || (URL.canParse(uri) && new URL(uri).protocol === "ui:");
}

/** Text → its owners; a server that lists it twice counts once. */
function groupOffers<T>(
  offers: readonly ResourceOffer<T>[],
  textsOf: (offer: ResourceOffer<T>) => readonly string[],
): ReadonlyMap<string, readonly ResourceOffer<T>[]> {
  const groups = new Map<string, ResourceOffer<T>[]>();
  for (const offer of offers) {
    for (const text of new Set(textsOf(offer))) {
      const group = groups.get(text);
      if (group === undefined) groups.set(text, [offer]);
      else group.push(offer);
    }
  }
  return groups;
}

/** A template in Onym's own scheme matches nothing, as one that is malformed does. */
function readTemplates<T>(byTemplate: Groups<T>): readonly OwnedTemplate<ResourceOffer<T>>[] {
  const read: OwnedTemplate<ResourceOffer<T>>[] = [];
  for (const [template, owners] of byTemplate) {
    const parts = isOwnScheme(template) ? undefined : parseTemplate(template);
    if (parts !== undefined) read.push({ parts, owners });
  }
  return read;
}

// `onym://KEY/URI`: a URI of one server, distinct from the same URI of another.

const SCHEME = "onym://";

/**
 * The KEY of a server: its percent-encoded id, after its toolbox if it has one. Keys are unique: `__` in a
 * server id outside toolboxes is encoded, so it cannot look like a toolbox.
 * @example
 * formatResourceKey({ server: "fs", toolbox: "dev" }); // "dev__fs"
 * formatResourceKey({ server: "my files", toolbox: undefined }); // "my%20files"
 */
export function formatResourceKey(id: {
  readonly server: string;
  readonly toolbox: string | undefined;
}): string {
  const encode = (text: string): string => encodeUriText(text).replaceAll("__", "_%5F");
  return id.toolbox === undefined ? encode(id.server) : `${encode(id.toolbox)}__${encode(id.server)}`;
}

/** The rest stays verbatim, so that templates still work. */
function wrapUri(key: string, uri: string): string {
  return `${SCHEME}${key}/${uri}`;
}

/** Whether the text uses Onym's own scheme, in any case. */
function isOwnScheme(text: string): boolean {
  return text.slice(0, SCHEME.length).toLowerCase() === SCHEME;
}

/** Onym's own scheme in lower case, so that a URI of a server has one wrapped form. */
export function normalizeAddress(text: string): string {
  return isOwnScheme(text) ? SCHEME + text.slice(SCHEME.length) : text;
}

function unwrapUri(text: string): { readonly key: string; readonly uri: string } | undefined {
  if (!isOwnScheme(text)) return undefined;
  const end = text.indexOf("/", SCHEME.length);
  if (end < 0) return undefined;
  return { key: text.slice(SCHEME.length, end), uri: text.slice(end + 1) };
}

/** Whether no server offers a URI of this length: servers' lists are cut there, too. */
export function isLongAddress(text: string): boolean {
  if (text.length <= MAX_URI_LENGTH) return false;
  const { key, uri } = unwrapUri(text) ?? { key: "", uri: text };
  return Math.max(key.length, uri.length) > MAX_URI_LENGTH;
}
