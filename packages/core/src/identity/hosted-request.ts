// A provider's question whether it may run a tool of an MCP server that it reaches itself. As the provider sends it, and
// as the OpenAI Agents SDK keeps it: a hosted call with the question in its provider data.

import { ownField, type PublicName, publicNameOf } from "./name-parts.js";

export interface HostedRequest {
  /** Where its id may stand, the first that is there counts. */
  readonly ids: readonly unknown[];
  /** The label that the provider knows the server by. */
  readonly server: PublicName | undefined;
  readonly name: PublicName | undefined;
}

const TYPE = "mcp_approval_request";

/** Nothing for any other call. */
export function readHostedRequest(call: unknown): HostedRequest | undefined {
  const type = ownField(call, "type");
  const name = publicNameOf(ownField(call, "name"));
  if (type === TYPE) {
    return { ids: [ownField(call, "id")], server: publicNameOf(ownField(call, "server_label")), name };
  }
  if (type !== "hosted_tool_call") return undefined;
  const data = ownField(call, "providerData");
  const [kind, itemId] = [ownField(data, "type"), ownField(data, "itemId")];
  const [wire, label] = [ownField(data, "server_label"), ownField(data, "serverLabel")].map(publicNameOf);
  // Without a kind, only what has a server and an id of its own asks.
  const asks =
    kind === TYPE || (kind === undefined && (wire ?? (publicNameOf(itemId) && label)) !== undefined);
  if (!asks) return undefined;
  // A question that the SDK has no tool name for is named after its kind.
  const own = (name as string | undefined) === TYPE ? undefined : name;
  return {
    ids: [ownField(data, "id"), itemId, ownField(call, "id")],
    server: wire ?? label,
    name: publicNameOf(ownField(data, "name")) ?? own,
  };
}
