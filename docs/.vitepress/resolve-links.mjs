// Links in the Markdown files are paths in the repository, so that they work there, too. On the site a link to a page leads to
// the page; a link to a file that is no page (source, results) stays as text in code style.

import { existsSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

const docs = fileURLToPath(new URL("../", import.meta.url));

/** Files beside docs/ that are pages of the site. */
export const PROJECT_PAGES = {
  "../README.md": "/",
  "../CHANGELOG.md": "/project/changelog",
  "../CONTRIBUTING.md": "/project/contributing",
  "../SECURITY.md": "/project/security",
  "../CODE_OF_CONDUCT.md": "/project/code-of-conduct",
};

/** A link as it stands in a file (a path from docs/) → where it leads on the site; undefined where there is no page. */
export function resolveLink(href, file) {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [path = "", anchor = ""] = splitAnchor(href);
  // Both are seen from the root, so that a file beside docs/ can lead into it.
  const inRoot = normalize(join("docs", dirname(file), path)).replaceAll("\\", "/");
  const page = PROJECT_PAGES[`../${inRoot}`];
  if (page !== undefined) return page + anchor;
  if (!inRoot.startsWith("docs/")) return undefined;
  const target = inRoot.slice("docs/".length);
  if (target.endsWith(".md") && existsSync(docs + target)) return `/${target.slice(0, -3)}${anchor}`;
  return /\.(svg|png)$/.test(target) ? href : undefined;
}

export function resolveLinks(md) {
  md.core.ruler.push("resolve_links", ({ tokens, env }) => {
    const file = relative(docs, env.path ?? "");
    for (const { children } of tokens) if (children) rewrite(children, file);
  });
}

function rewrite(tokens, file) {
  let depth = 0;
  for (const token of tokens) {
    if (token.type === "link_open") {
      const href = token.attrGet("href") ?? "";
      const to = resolveLink(href, file);
      if (to === undefined) {
        depth = 1;
        token.tag = "span";
        token.attrs = [["class", "no-page"]];
      } else token.attrSet("href", to);
    } else if (token.type === "link_close" && depth > 0) {
      depth = 0;
      token.tag = "span";
    }
  }
}

function splitAnchor(href) {
  const at = href.indexOf("#");
  return at < 0 ? [href, ""] : [href.slice(0, at), href.slice(at)];
}
