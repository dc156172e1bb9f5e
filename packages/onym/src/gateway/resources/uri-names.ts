// Resource addresses of several downstreams, kept apart (GW-5). An address that one downstream offers is shown as it
// is; one that several offer is shown as `onym://KEY/URI` for each, and bare it is nobody's.

import { literalStart, matchesTemplate, parseTemplate, type TemplatePart } from "./match-template.js";
import { isOwnScheme, unwrapUri, wrapUri } from "./resource-key.js";

export interface ResourceOffer<T> {
  /** From `formatResourceKey`; unique. */
  readonly key: string;
  readonly owner: T;
  readonly resources: readonly string[];
  readonly templates: readonly string[];
}

type ResourceResolution<T> =
  | {
      readonly outcome: "resolved";
      readonly owner: T /** As the downstream knows it. */;
      readonly uri: string;
    }
  /** Wrapped forms, in order. */
  | { readonly outcome: "ambiguous"; readonly candidates: readonly string[] }
  | { readonly outcome: "unknown" };

export interface ResourceTable<T> {
  /** What callers see; `resolve` leads back to this owner, listed or not. */
  readonly publicUri: (owner: T, uri: string) => string;
  readonly publicTemplate: (owner: T, template: string) => string;
  readonly resolve: (uri: string) => ResourceResolution<T>;
  /** For completion, which names a template by its text. */
  readonly resolveTemplate: (template: string) => ResourceResolution<T>;
}

/**
 * Builds the table; the order of offers does not matter. The address of a listed resource is looked up first, then
 * templates are tried. What fits nothing goes to the one downstream that has resources, where there is only one.
 *
 * @example
 * const table = buildResourceTable([{ key: "fs", owner: fs, resources: ["file:///a"], templates: [] }]);
 * table.resolve("onym://fs/file:///b"); // { outcome: "resolved", owner: fs, uri: "file:///b" }
 */
export function buildResourceTable<T>(offers: readonly ResourceOffer<T>[]): ResourceTable<T> {
  const byKey = groupOffers(offers, ({ key }) => [key]);
  const byUri = groupOffers(offers, ({ resources }) => resources);
  const byTemplate = groupOffers(offers, ({ templates }) => templates);
  const keys = new Map(offers.map(({ owner, key }) => [owner, key]));
  const findMatching = indexTemplates(byTemplate);
  const offering = offers.filter(({ resources, templates }) => resources.length + templates.length > 0);

  const choose = (found: readonly ResourceOffer<T>[], uri: string): ResourceResolution<T> => {
    const [only] = found;
    if (only === undefined) return { outcome: "unknown" };
    if (found.length === 1) return { outcome: "resolved", owner: only.owner, uri };
    return { outcome: "ambiguous", candidates: found.map(({ key }) => wrapUri(key, uri)).sort() };
  };
  const resolveBy = (
    text: string,
    find: (uri: string) => readonly ResourceOffer<T>[],
  ): ResourceResolution<T> => {
    // Bare, Onym's own scheme is nobody's: what downstreams offer in it is always wrapped.
    if (isOwnScheme(text)) {
      const wrapped = unwrapUri(text);
      return wrapped === undefined
        ? { outcome: "unknown" }
        : choose(byKey.get(wrapped.key) ?? [], wrapped.uri);
    }
    return choose(find(text), text);
  };
  const resolve = (text: string): ResourceResolution<T> =>
    resolveBy(text, (uri) => {
      const listed = byUri.get(uri);
      if (listed !== undefined) return listed;
      const matching = findMatching(uri);
      return matching.length > 0 || offering.length !== 1 ? matching : offering;
    });
  const resolveTemplate = (text: string): ResourceResolution<T> =>
    resolveBy(text, (template) => byTemplate.get(template) ?? []);
  /** Bare where that leads back to the owner without trying a template: servers may name any number of addresses. */
  const show = (listedBy: readonly ResourceOffer<T>[] | undefined, owner: T, text: string): string => {
    const key = keys.get(owner);
    const [only, second] = listedBy ?? offering;
    const leadsBack = only?.owner === owner && second === undefined && !isOwnScheme(text);
    return key === undefined || leadsBack ? text : wrapUri(key, text);
  };

  return {
    publicUri: (owner, uri) => show(byUri.get(uri), owner, uri),
    publicTemplate: (owner, template) => show(byTemplate.get(template) ?? [], owner, template),
    resolve,
    resolveTemplate,
  };
}

/** Text → who has it; a downstream that says it twice counts once. */
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

/** Characters times parts that one look-up may try: some milliseconds. */
const MAX_STEPS = 400_000;

interface Pattern<T> {
  readonly parts: readonly TemplatePart[];
  readonly owners: readonly ResourceOffer<T>[];
}

/**
 * Whose templates an address fits. Templates are found by the text they start with. Where there are too many of them to
 * try, all count as fitting: the address of two servers is then ambiguous, never given to the wrong one.
 */
function indexTemplates<T>(
  byTemplate: ReadonlyMap<string, readonly ResourceOffer<T>[]>,
): (uri: string) => readonly ResourceOffer<T>[] {
  const byStart = new Map<string, Pattern<T>[]>();
  for (const [template, owners] of byTemplate) {
    const parts = isOwnScheme(template) ? undefined : parseTemplate(template);
    if (parts === undefined) continue;
    const start = literalStart(parts);
    const same = byStart.get(start);
    if (same === undefined) byStart.set(start, [{ parts, owners }]);
    else same.push({ parts, owners });
  }
  const lengths = [...new Set([...byStart.keys()].map((start) => start.length))];

  return (uri) => {
    const candidates = lengths.flatMap((length) =>
      length > uri.length ? [] : (byStart.get(uri.slice(0, length)) ?? []),
    );
    const steps = candidates.reduce((sum, { parts }) => sum + parts.length * uri.length, 0);
    const fitting =
      steps > MAX_STEPS ? candidates : candidates.filter(({ parts }) => matchesTemplate(uri, parts));
    return [...new Set(fitting.flatMap(({ owners }) => owners))];
  };
}
