// Real SDK clients, old and new, over HTTP and stdio, connected to Onym.

import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as SseV1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as TransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ONYM_BIN, onymEnvironment } from "./harness.js";

type ClientEra = "legacy" | "modern";

/** What a client says of itself. */
export interface ClientSetup {
  readonly clientName?: string;
  readonly clientVersion?: string;
  readonly capabilities?: ConstructorParameters<typeof ClientV2>[1] extends infer Options
    ? Options extends { capabilities?: infer Capabilities }
      ? NonNullable<Capabilities>
      : never
    : never;
  /** Called before the connection is made, to set handlers for what servers ask. */
  readonly prepareV2?: (client: ClientV2) => void;
  readonly prepareV1?: (client: ClientV1) => void;
}

export interface HttpSetup extends ClientSetup {
  /** The endpoint without a profile: `http://HOST:PORT/mcp`. */
  readonly url: string;
  /** `/mcp/PROFILE`. */
  readonly profile?: string;
  /** `?as=ALIAS`. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StdioSetup extends ClientSetup {
  /** The folder with `onym.json`. */
  readonly dir: string;
  /** After `serve --stdio --config onym.json`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface EraSetup {
  readonly era?: ClientEra;
}

/** SDK v2 over Streamable HTTP; in the modern era without falling back. */
export async function connectV2(setup: HttpSetup & EraSetup): Promise<ClientV2> {
  const transport = new HttpV2(endpoint(setup), { requestInit: { headers: { ...setup.headers } } });
  return connectClientV2(transport, setup);
}

export async function connectV2Stdio(setup: StdioSetup & EraSetup): Promise<ClientV2> {
  return connectClientV2(new StdioV2(stdioCommand(setup)), setup);
}

/** SDK v1 over Streamable HTTP. */
export async function connectV1(setup: HttpSetup): Promise<ClientV1> {
  // The v1 transport types a property as optional that its interface wants present or absent.
  const transport = new HttpV1(endpoint(setup), { requestInit: { headers: { ...setup.headers } } });
  return connectClientV1(transport as TransportV1, setup);
}

/** SDK v1 over HTTP+SSE of 2024-11-05; the endpoint is the stream's. */
export async function connectV1Sse(setup: HttpSetup): Promise<ClientV1> {
  return connectClientV1(new SseV1(endpoint(setup)), setup);
}

export async function connectV1Stdio(setup: StdioSetup): Promise<ClientV1> {
  return connectClientV1(new StdioV1(stdioCommand(setup)), setup);
}

async function connectClientV2(
  transport: Parameters<ClientV2["connect"]>[0],
  setup: ClientSetup & EraSetup,
): Promise<ClientV2> {
  const { era = "legacy", capabilities = {}, prepareV2 } = setup;
  const client = new ClientV2(identity(setup), {
    capabilities,
    versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
  });
  prepareV2?.(client);
  await client.connect(transport);
  return client;
}

async function connectClientV1(transport: TransportV1, setup: ClientSetup): Promise<ClientV1> {
  const { capabilities = {}, prepareV1 } = setup;
  const client = new ClientV1(identity(setup), {
    capabilities: { ...capabilities } as Record<string, never>,
  });
  prepareV1?.(client);
  await client.connect(transport);
  return client;
}

function identity({ clientName = "onym-test", clientVersion = "1.0.0" }: ClientSetup) {
  return { name: clientName, version: clientVersion };
}

function endpoint({ url, profile, as }: HttpSetup): URL {
  const address = new URL(profile === undefined ? url : `${url}/${encodeURIComponent(profile)}`);
  if (as !== undefined) address.searchParams.set("as", as);
  return address;
}

function stdioCommand({ dir, args = [], env = {} }: StdioSetup) {
  return {
    command: process.execPath,
    args: [ONYM_BIN, "serve", "--stdio", "--config", "onym.json", ...args],
    env: onymEnvironment(dir, env),
    cwd: dir,
    stderr: "ignore" as const,
  };
}
