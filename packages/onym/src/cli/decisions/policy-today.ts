// What the policy says today about an approval request that waits: the config may have changed since it was asked, or its tool have
// been admitted.

import type { Lock, Tool, ToolKey } from "@onym/core";
import { buildCatalog } from "@onym/core/naming";
import type { Config, ConfigServer } from "../../config/config.js";
import { policyOf, subjectNamed } from "../../configured/policy-of.js";
import { readItemKey } from "../../gateway/calls/guarded-item.js";
import type { PolicyDecision } from "../../policy/decide-call.js";
import { buildKnownTools } from "../../policy/new-tools.js";
import type { PendingApproval, Store } from "../../store/store.js";
import { givenNamesIn } from "../names/lock/given-names.js";
import { partsOf, presentKeyIn } from "../store/name-keys.js";
import { isReached } from "./find-newness.js";
import { itemOf } from "./item-of.js";

/** `undefined` for a tool whose server the config does not have. */
export type PolicyToday = (pending: PendingApproval) => PolicyDecision | undefined;

export async function loadPolicyToday(config: Config, store: Store): Promise<PolicyToday> {
  const policy = policyOf(config);
  const known = buildKnownTools(await store.known.load());
  const lock = await givenNamesIn(store, config);
  const { tools: recorded } = lock;
  const presentKeyOf = presentKeyIn(lock, config);
  const earlierKeysOf = earlierKeysIn(lock);
  return (asked) => {
    const pending = asked.isOfLine === true ? { ...asked, tool: presentKeyOf(asked.tool) } : asked;
    const { server, toolbox } = partsOf(pending.tool);
    const found = config.servers.find(({ source }) => source.server === server && source.toolbox === toolbox);
    if (found === undefined) return undefined;
    const subject = subjectNamed(pending.principal, config);
    const item = readItemKey(pending.tool);
    if (item !== undefined) return policy.decideItem(itemOf(item, config, recorded), subject);
    const tool = toolOf(found, pending, { config, recorded });
    if (tool === undefined) return undefined;
    const isNew = () =>
      isReached(found) && earlierKeysOf(pending.tool).every((key) => known.isNew(key, pending.launch));
    return policy.decide(tool, subject, isNew);
  };
}

/** The tool's own key and those before it: a tool that was known before it was renamed is not new (LOCK-5). */
function earlierKeysIn({ tools }: Pick<Lock, "tools">): (key: ToolKey) => readonly ToolKey[] {
  const before = new Map<ToolKey, ToolKey>();
  for (const [key, { successor }] of tools) if (successor !== undefined) before.set(successor, key);
  return (key) => {
    const keys = [key];
    for (let at = before.get(key); at !== undefined && !keys.includes(at); at = before.get(at)) keys.push(at);
    return keys;
  };
}

/** As the person who decides saw it: rules may use its annotations. */
function toolOf(
  { source }: ConfigServer,
  { tool: key, definition }: PendingApproval,
  { config, recorded }: { readonly config: Config; readonly recorded: Lock["tools"] },
): Tool | undefined {
  const { raw } = partsOf(key);
  const listed = source.tools.find((tool) => (typeof tool === "string" ? tool : tool.name) === raw);
  const version = typeof listed === "object" ? listed.version : undefined;
  const tool = { ...definition, name: raw, ...(version === undefined ? {} : { version }) };
  // The other servers are there for their ids: which integration one has may depend on them (NAME-8).
  const sources = config.servers.map((server) =>
    server.source === source ? { ...source, tools: [tool] } : { ...server.source, tools: [] },
  );
  return buildCatalog(sources, { recorded }).toolWithKey(key);
}
