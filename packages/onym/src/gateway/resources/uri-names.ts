// Resource addresses of several downstreams, kept apart (GW-5). An address that one downstream offers is shown as it
// is; one that several offer is shown as `onym://KEY/URI` for each, and bare it is nobody's.

import { matchesTemplate, parseTemplate, type TemplatePart } from "./match-template.js";
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
  const patterns = [...byTemplate].flatMap(([template, owners]) => {
    const parts = isOwnScheme(template) ? undefined : parseTemplate(template);
    return parts === undefined ? [] : [{ parts, owners }];
  });
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
      const matching = findMatching(uri, patterns);
      return matching.length > 0 || offering.length !== 1 ? matching : offering;
    });
  const resolveTemplate = (text: string): ResourceResolution<T> =>
    resolveBy(text, (template) => byTemplate.get(template) ?? []);
  const show = (resolution: ResourceResolution<T>, owner: T, text: string): string => {
    const key = keys.get(owner);
    const leadsBack =
      resolution.outcome === "resolved" && resolution.owner === owner && resolution.uri === text;
    return key === undefined || leadsBack ? text : wrapUri(key, text);
  };

  return {
    publicUri: (owner, uri) => show(resolve(uri), owner, uri),
    publicTemplate: (owner, template) => show(resolveTemplate(template), owner, template),
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

function findMatching<T>(
  uri: string,
  patterns: readonly {
    readonly parts: readonly TemplatePart[];
    readonly owners: readonly ResourceOffer<T>[];
  }[],
): readonly ResourceOffer<T>[] {
  const found = new Set<ResourceOffer<T>>();
  for (const { parts, owners } of patterns) {
    if (owners.every((owner) => found.has(owner)) || !matchesTemplate(uri, parts)) continue;
    for (const owner of owners) found.add(owner);
  }
  return [...found];
}
