// A real SDK client in the shape of a load client: slow, strict, and what users have.

import type { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import type { Came, LoadClient, Message } from "./load-client.js";

export function wrapSdkClient(
  client: ClientV2 | ClientV1,
  { profile, era }: Pick<LoadClient, "profile" | "era">,
): LoadClient {
  const ask = async (method: string, params: Readonly<Record<string, unknown>>, signal?: AbortSignal) => {
    if (method === "tools/list") return client.listTools();
    const { name, arguments: args } = params as { name: string; arguments: Record<string, unknown> };
    const options = signal === undefined ? {} : { signal };
    const call = { name, arguments: args };
    return client instanceof ClientV1
      ? client.callTool(call, undefined, options)
      : client.callTool(call, options);
  };
  return {
    label: `${profile}/${era} (SDK)`,
    profile,
    era,
    endsToCancel: true,
    isSdk: true,
    async send({ id, method, params, signal }): Promise<Came> {
      try {
        const result = (await ask(method, params, signal)) as Message["result"];
        return { status: 200, messages: [{ id, ...(result === undefined ? {} : { result }) }] };
      } catch (error) {
        if (signal?.aborted === true) return { status: 0, messages: [] };
        const { code, message, data } = error as { code: number; message: string; data?: unknown };
        const said = message.replace(/^MCP error -?\d+: /, "");
        return { status: 200, messages: [{ id, error: { code, message: said, data } }] };
      }
    },
    sendText: () => Promise.reject(new Error("an SDK client sends no garbage")),
    notify: () => Promise.resolve(),
  };
}
