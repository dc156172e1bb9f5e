// The documentation site: what is on it, in which order, and how links between files become links between pages.

import { defineConfig } from "vitepress";
import { sitePages } from "./pages.mjs";
import { resolveLinks } from "./resolve-links.mjs";

export default defineConfig({
  title: "Onym",
  description: "One identity for every AI tool, and a name for it that is valid in every client.",
  lang: "en",
  cleanUrls: true,
  lastUpdated: false,
  // Every page says everything itself: the site loads nothing from anywhere else.
  head: [["link", { rel: "icon", href: "/mark.svg", type: "image/svg+xml" }]],
  srcExclude: ["node_modules/**", "api/**/_media/**"],
  markdown: { config: (md) => md.use(resolveLinks) },
  themeConfig: {
    logo: "/mark.svg",
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/start" },
      { text: "Guides", link: "/guides/many-servers", activeMatch: "^/guides/" },
      { text: "Clients", link: "/clients-and-providers/all", activeMatch: "^/clients-and-providers/" },
      { text: "Reference", link: "/reference/commands", activeMatch: "^/(reference|api)/" },
      { text: "Contribute", link: "/architecture" },
    ],
    sidebar: sitePages,
    docFooter: { prev: "Before", next: "Next" },
  },
});
