// Finds the owners of the templates that match a URI. Templates are indexed by their literal start. However many there are, and
// however long their starts, one binary search finds the longest start that a URI begins with; the others are its own starts.

import { literalStart, matchesTemplate, type TemplatePart } from "./match-template.js";

/** Maximum characters times parts per lookup: about a millisecond. */
const MAX_STEPS = 100_000;

export interface OwnedTemplate<O> {
  readonly parts: readonly TemplatePart[];
  readonly owners: readonly O[];
}

/** The templates with one literal start. */
interface Start<O> {
  readonly text: string;
  readonly templates: readonly OwnedTemplate<O>[];
  /** The longest other start that this one begins with. */
  readonly shorter: Start<O> | undefined;
  /** Parts of the templates with this start, and with all shorter ones. */
  readonly parts: number;
  /** The owners of all of these templates. */
  readonly owners: ReadonlySet<O>;
}

/**
 * If there are too many templates to try, all count as matches: a URI of two servers is then ambiguous, never given to the wrong
 * one.
 */
export function indexTemplates<O>(templates: readonly OwnedTemplate<O>[]): (uri: string) => readonly O[] {
  const starts = buildStarts(templates);
  return (uri) => {
    const longest = findLongest(starts, uri);
    if (longest === undefined) return [];
    if (longest.parts * uri.length > MAX_STEPS) return [...longest.owners];
    const matching = new Set<O>();
    for (let each: Start<O> | undefined = longest; each !== undefined; each = each.shorter)
      for (const { parts, owners } of each.templates)
        if (matchesTemplate(uri, parts)) for (const owner of owners) matching.add(owner);
    return [...matching];
  };
}

/** In the order of their texts, so that each stands behind those that it begins with. */
function buildStarts<O>(templates: readonly OwnedTemplate<O>[]): readonly Start<O>[] {
  const byText = new Map<string, OwnedTemplate<O>[]>();
  for (const template of templates) {
    const text = literalStart(template.parts);
    const same = byText.get(text);
    if (same === undefined) byText.set(text, [template]);
    else same.push(template);
  }
  const starts: Start<O>[] = [];
  let before: Start<O> | undefined;
  for (const text of [...byText.keys()].sort()) {
    while (before !== undefined && !text.startsWith(before.text)) before = before.shorter;
    before = buildStart(text, byText.get(text) ?? [], before);
    starts.push(before);
  }
  return starts;
}

function buildStart<O>(
  text: string,
  templates: readonly OwnedTemplate<O>[],
  shorter: Start<O> | undefined,
): Start<O> {
  const own = templates.flatMap(({ owners }) => owners);
  const known = shorter?.owners;
  const owners =
    known !== undefined && own.every((owner) => known.has(owner))
      ? known
      : new Set([...(known ?? []), ...own]);
  const parts = templates.reduce((sum, each) => sum + each.parts.length, shorter?.parts ?? 0);
  return { text, templates, shorter, parts, owners };
}

/** The last start that is not behind the URI begins with all starts that the URI begins with. */
function findLongest<O>(starts: readonly Start<O>[], uri: string): Start<O> | undefined {
  let from = 0;
  let to = starts.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((starts[middle] as Start<O>).text <= uri) from = middle + 1;
    else to = middle;
  }
  let start = starts[from - 1];
  const shared = start === undefined ? 0 : sharedLength(start.text, uri);
  while (start !== undefined && start.text.length > shared) start = start.shorter;
  return start;
}

function sharedLength(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let length = 0;
  while (length < max && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}
