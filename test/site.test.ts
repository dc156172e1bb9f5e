// The documentation site: every page has a place in the sidebar, and every place has a page.

import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { sitePages } from "../docs/.vitepress/pages.mjs";
import { resolveLink } from "../docs/.vitepress/resolve-links.mjs";
import { listFiles, projectRoot } from "./project-files.js";

interface Place {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Place[];
}

/** Made from the program, the types and the files beside docs/ when the site is built. */
const GENERATED = /^\/(api\/|clients-and-providers\/all$|reference\/|project\/|decisions\/all$)/;

const links = placesIn(sitePages).flatMap(({ link }) => (link === undefined ? [] : [link]));

it("has a page for every place in the sidebar", () => {
  const lost = links.filter((link) => !GENERATED.test(link) && !existsSync(`${projectRoot}docs${link}.md`));
  expect(lost).toEqual([]);
});

it("has a place in the sidebar for every page but the decisions, which have a list", () => {
  const pages = listFiles("docs", ".md")
    .filter((path) => !/\/(decisions|api)\/|\[|\/index\.md$/.test(path))
    .map((path) => path.slice("docs".length, -".md".length));
  expect(pages.filter((page) => !links.includes(page))).toEqual([]);
});

it("has no page in two places", () => {
  expect(links.filter((link, index) => links.indexOf(link) !== index)).toEqual([]);
});

it.each([
  ["concepts.md", "names.md", "/names"],
  ["guides/recipes.md", "../deploy.md#upgrade", "/deploy#upgrade"],
  ["deploy.md", "../CHANGELOG.md", "/project/changelog"],
  ["../CONTRIBUTING.md", "docs/decisions/0001-order-of-names.md", "/decisions/0001-order-of-names"],
  ["deploy.md", "../deploy/kubernetes.yaml", undefined],
  ["concepts.md", "https://example.com/", "https://example.com/"],
  ["concepts.md", "#words", "#words"],
])("leads from %s by %s to %s", (file, href, page) => {
  expect(resolveLink(href, file)).toBe(page);
});

function placesIn(places: readonly Place[]): readonly Place[] {
  return places.flatMap((place) => [place, ...placesIn(place.items ?? [])]);
}
