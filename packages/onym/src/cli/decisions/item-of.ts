// A prompt or resource of a server of the config, as rules take it, for commands (POL-9).

import { type Lock, parseToolName, quoteText, type Snapshot } from "@onym/core";
import { buildCatalog } from "@onym/core/naming";
import type { Config } from "../../config/config.js";
import type { PolicyItem } from "../../policy/compile-rule.js";
import type { IdleRulesInput } from "../../policy/find-idle-rules.js";
import type { LiveServer } from "../catalog/live-servers.js";
import { type ContextOptions, contextOf } from "../names/context-of.js";
import { usageError } from "../usage-error.js";

export interface NamedItem {
  readonly kind: PolicyItem["kind"];
  readonly server: string;
  readonly toolbox: string | undefined;
  /** The raw name of a prompt, or the address of a resource as its server knows it. */
  readonly text: string;
}

/** The other servers are there for their ids: which integration one has may depend on them (NAME-8). */
export function itemOf(named: NamedItem, { servers }: Config, recorded?: Lock["tools"]): PolicyItem {
  const { kind, server, toolbox, text } = named;
  const isOwner = (each: { readonly server: string; readonly toolbox?: string | undefined }): boolean =>
    each.server === server && each.toolbox === toolbox;
  const catalog = buildCatalog(
    servers.map(({ source }) => ({ ...source, tools: isOwner(source) ? [text] : [] })),
    recorded === undefined ? {} : { recorded },
  );
  const prompt = catalog.tools.find(isOwner);
  if (kind === "prompt" && prompt !== undefined) return { kind, prompt };
  const owner = catalog.servers.find(isOwner) ?? { server, toolbox, integration: "" };
  return { kind: "resource", owner, uri: text };
}

/**
 * Whose prompt or resource is meant: by the options, by a canonical name of a prompt, or because there is one server.
 *
 * @throws OnymError `usage` where that leaves several.
 */
export function ownerOfItem(
  kind: NamedItem["kind"],
  text: string,
  options: ContextOptions,
  config: Config,
): NamedItem {
  const context = contextOf(options, config);
  const parsed = kind === "prompt" && text.includes("/") ? parseToolName(text) : undefined;
  const name = parsed?.ok === true ? parsed.value : undefined;
  const { servers } = buildCatalog(config.servers.map(({ source }) => ({ ...source, tools: [] })));
  const meant = servers.filter(
    ({ server, toolbox, integration, version }) =>
      (context.server === undefined || context.server === server) &&
      (context.toolbox === undefined || context.toolbox === toolbox) &&
      (name === undefined ||
        (name.integration === integration &&
          name.integrationVersion === version &&
          (name.toolbox === undefined || name.toolbox === toolbox))),
  );
  const [only, another] = meant;
  if (only === undefined || another !== undefined)
    throw usageError(
      `${only === undefined ? "No server" : "More than one server"} can have the ${kind} ${quoteText(text)}.`,
      "Say which server is meant with --server, and --toolbox where it is in one.",
    );
  return { kind, server: only.server, toolbox: only.toolbox, text: name?.tool ?? text };
}

/** What servers that were asked list beside tools. */
export function listedItems(
  asked: readonly LiveServer[],
  { catalog }: Pick<Snapshot, "catalog">,
): IdleRulesInput["items"] {
  const inventories = asked.flatMap(({ server: { source }, state }) =>
    state.kind === "ready" ? [{ source, inventory: state.inventory }] : [],
  );
  const prompts = buildCatalog(
    inventories.map(({ source, inventory }) => ({
      ...source,
      tools: inventory.prompts.map(({ name }) => String(name)),
    })),
  ).tools;
  const resources = inventories.flatMap(({ source, inventory }) => {
    const owner = catalog.servers.find(
      ({ server, toolbox }) => server === source.server && toolbox === source.toolbox,
    );
    if (owner === undefined) return [];
    const uris = [
      ...inventory.resources.map(({ uri }) => String(uri)),
      ...inventory.templates.map(({ uriTemplate }) => String(uriTemplate)),
    ];
    return uris.map((uri) => ({ kind: "resource" as const, owner, uri }));
  });
  return { prompts, resources };
}
