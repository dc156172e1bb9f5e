// A provider's request for approval to run a tool of an MCP server that the provider itself connects to. Reads both
// the provider's own format and the OpenAI Agents SDK's: a hosted call with the request in its provider data.

import { ownField, type PublicName, publicNameOf } from "../name-parts.js";

export interface HostedRequest {
  /** Where its id can be; the first one present counts. */
  readonly ids: readonly unknown[];
  /** The provider's label for the server. */
  readonly server: PublicName | undefined;
  readonly name: PublicName | undefined;
}

const TYPE = "mcp_approval_request";

/** `undefined` for any other call. */
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
  // Without a type, only a request with a server and an id of its own counts as an approval request.
  const asks =
    kind === TYPE || (kind === undefined && (wire ?? (publicNameOf(itemId) && label)) !== undefined);
  if (!asks) return undefined;
  // If the SDK has no tool name for a request, it uses the request's type as the name.
  const own = (name as string | undefined) === TYPE ? undefined : name;
  return {
    ids: [ownField(data, "id"), itemId, ownField(call, "id")],
    server: wire ?? label,
    name: publicNameOf(ownField(data, "name")) ?? own,
  };
}
