// Pages from files beside docs/, and the list of decisions.

import { readdirSync, readFileSync } from "node:fs";
import { PROJECT_PAGES, resolveLink } from "../resolve-links.mjs";

const root = new URL("../../../", import.meta.url);

export function projectPages() {
  return Object.entries(PROJECT_PAGES)
    .filter(([, page]) => page.startsWith("/project/"))
    .map(([file, page]) => ({
      page: page.slice("/project/".length),
      content: linksFrom(file, readFileSync(new URL(file.slice(3), root), "utf8")),
    }));
}

export function decisionsPage() {
  const folder = new URL("docs/decisions/", root);
  const rows = readdirSync(folder)
    .filter((name) => /^\d{4}-.*\.md$/.test(name))
    .sort()
    .map((name) => {
      const title = /^# (.*)$/m.exec(readFileSync(new URL(name, folder), "utf8"))?.[1] ?? name;
      return `- [${title}](/decisions/${name.slice(0, -3)})`;
    });
  return ["# Decisions", "Why things are as they are, one page each.", rows.join("\n")].join("\n\n");
}

/** The text with its links as they lead on the site. */
function linksFrom(file, text) {
  return text.replaceAll(/\[([^\]]*)\]\(([^()\s]+)\)/g, (_, label, href) => {
    const to = resolveLink(href, file);
    return to === undefined ? label : `[${label}](${to})`;
  });
}
