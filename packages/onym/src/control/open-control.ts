// The gateway's side: a socket for the user's own commands, and its registration. It changes nothing, and no call
// waits for it.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { unreadBytesOf } from "../mcp/fast-path/unread-object.js";
import { createLineReader } from "../mcp/framing/frames.js";
import { isJsonObject, type JsonObject, parseJson } from "../mcp/json.js";
import {
  type AnswerLine,
  type ControlAsk,
  type GatewayCatalog,
  type GatewayStatus,
  type GatewayTransport,
  MAX_REQUEST_BYTES,
  PROTOCOL,
} from "./protocol.js";
import {
  type Machine,
  preparePrivateFolder,
  realConfigPath,
  registrationName,
  removeDead,
  runFolders,
  sharedFolder,
  writeRegistration,
} from "./registration.js";

export interface ControlAnswers {
  readonly status: () => Promise<GatewayStatus>;
  /** The same, with a link to the console. */
  readonly console?: () => Promise<GatewayStatus>;
  readonly catalog: () => Promise<GatewayCatalog>;
  /** The status, after decisions were read again. */
  readonly decisions: () => Promise<GatewayStatus>;
}

export interface ControlOptions {
  /** The config file that the gateway runs with. */
  readonly config: string;
  readonly transport: GatewayTransport;
  readonly startedAt: number;
  readonly machine: Machine;
  readonly answers: ControlAnswers;
  /** Called with the reason why commands cannot reach this gateway. The gateway still serves its clients. */
  readonly onTrouble: (reason: string) => void;
}

export interface Control {
  readonly close: () => void;
}

/**
 * The maximum length of a socket path in bytes on every Unix: macOS allows 104 including the terminator, Linux 108.
 */
const MAX_SOCKET_PATH = 103;
const MAX_CONNECTIONS = 16;
/** The timeout for receiving a whole request, and for sending an answer. */
const IDLE_MS = 30_000;

/** Resolves when commands can find the gateway, or when that failed. Never rejects. */
export async function openControl(options: ControlOptions): Promise<Control> {
  const { machine, onTrouble } = options;
  const folder = runFolders(machine).find((each) => preparePrivateFolder(each, machine));
  const config = realConfigPath(options.config);
  const socket = folder === undefined ? undefined : socketPath(folder, config, machine);
  if (folder === undefined || socket === undefined) {
    onTrouble("there is no folder for a socket that only you may enter");
    return { close: () => {} };
  }
  removeDead(folder, machine);
  const token = randomBytes(32).toString("hex");
  const sockets = new Set<Socket>();
  const server = createServer((connection) => {
    if (sockets.size >= MAX_CONNECTIONS) return connection.destroy();
    sockets.add(connection);
    connection.once("close", () => sockets.delete(connection));
    serveConnection(connection, token, options.answers);
    return undefined;
  });
  const isPipe = machine.platform === "win32";
  try {
    // An earlier process with this pid ended without removing its socket.
    if (!isPipe) rmSync(socket, { force: true });
    await listen(server, socket);
    if (!isPipe) chmodSync(socket, 0o600);
    const { transport, startedAt } = options;
    const { pid } = process;
    const file = writeRegistration(folder, {
      onym: PROTOCOL,
      host: hostname(),
      pid,
      config,
      transport,
      startedAt,
      socket,
      token,
    });
    const remove = (): void => {
      rmSync(file, { force: true });
      if (!isPipe) rmSync(socket, { force: true });
    };
    process.once("exit", remove);
    return {
      close() {
        process.off("exit", remove);
        remove();
        server.close();
        for (const connection of sockets) connection.destroy();
      },
    };
  } catch (error) {
    server.close();
    onTrouble(error instanceof Error ? error.message : String(error));
    return { close: () => {} };
  }
}

function socketPath(folder: string, config: string, machine: Machine): string | undefined {
  const name = registrationName(config, process.pid);
  if (machine.platform === "win32") return `\\\\.\\pipe\\onym-${name}-${randomBytes(8).toString("hex")}`;
  const near = join(folder, `${name}.sock`);
  if (Buffer.byteLength(near) <= MAX_SOCKET_PATH) return near;
  const shared = sharedFolder(machine.uid);
  return preparePrivateFolder(shared, machine) ? join(shared, `${name}.sock`) : undefined;
}

function listen(server: Server, path: string): Promise<void> {
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path }, () => {
      server.off("error", reject);
      // An error of one connection affects only that connection.
      server.on("error", () => {});
      resolve();
    });
  });
}

/** Handles one request, then closes the connection. */
function serveConnection(connection: Socket, token: string, answers: ControlAnswers): void {
  connection.on("error", () => {});
  connection.setTimeout(IDLE_MS, () => connection.destroy());
  let isAsked = false;
  const reader = createLineReader({
    frameBytes: MAX_REQUEST_BYTES,
    onLine(line) {
      if (isAsked) return;
      isAsked = true;
      void answer(connection, line, { token, answers }).catch(() => connection.destroy());
    },
    onBroken: () => void connection.destroy(),
  });
  connection.on("data", (chunk) => {
    if (reader.push(chunk) !== undefined) connection.destroy();
  });
}

async function answer(
  connection: Socket,
  line: string,
  { token, answers }: { readonly token: string; readonly answers: ControlAnswers },
): Promise<void> {
  const parsed = parseJson(line);
  const request = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  // Without the token, the connection is closed without an answer.
  if (!isToken(request["token"], token)) return void connection.destroy();
  if (request["onym"] !== PROTOCOL)
    return send(connection, [{ error: `this gateway speaks protocol ${PROTOCOL}` }]);
  const { ask } = request;
  return isKnownAsk(ask)
    ? SENDERS[ask](connection, answers)
    : send(connection, [{ error: "this gateway does not know that question" }]);
}

const SENDERS: Readonly<Record<ControlAsk, (connection: Socket, answers: ControlAnswers) => Promise<void>>> =
  {
    status: async (connection, answers) => sendStatus(connection, await answers.status()),
    console: async (connection, answers) =>
      sendStatus(connection, await (answers.console ?? answers.status)()),
    catalog: async (connection, answers) => sendCatalog(connection, await answers.catalog()),
    decisions: async (connection, answers) => sendStatus(connection, await answers.decisions()),
  };

function isKnownAsk(ask: unknown): ask is ControlAsk {
  return typeof ask === "string" && Object.hasOwn(SENDERS, ask);
}

function sendStatus(connection: Socket, status: GatewayStatus): Promise<void> {
  return send(connection, [{ onym: PROTOCOL, status }, { end: true }]);
}

/** The maximum number of characters of tools per line. Calls are served between lines. */
const LINE_LENGTH = 262_144;

async function sendCatalog(connection: Socket, { status, tools }: GatewayCatalog): Promise<void> {
  await write(connection, formatLine({ onym: PROTOCOL, status }));
  for (const [server, listed] of tools.entries()) {
    let texts: string[] = [];
    let length = 0;
    for (const tool of listed) {
      const text = formatTool(tool);
      texts.push(text);
      length += text.length;
      if (length < LINE_LENGTH) continue;
      await write(connection, `{"server":${server},"tools":[${texts.join(",")}]}\n`);
      texts = [];
      length = 0;
    }
    if (texts.length > 0) await write(connection, `{"server":${server},"tools":[${texts.join(",")}]}\n`);
  }
  await send(connection, [{ end: true }]);
}

/** Uses the original text if the tool was never parsed. */
function formatTool(tool: JsonObject): string {
  return unreadBytesOf(tool)?.toString("utf8") ?? JSON.stringify(tool);
}

async function send(connection: Socket, lines: readonly AnswerLine[]): Promise<void> {
  await write(connection, lines.map(formatLine).join(""));
  connection.end();
}

function formatLine(line: AnswerLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Resolves in a later turn of the event loop, after earlier writes were sent. */
function write(connection: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.write(text, (error) => (error ? reject(error) : setImmediate(resolve)));
  });
}

function isToken(given: unknown, token: string): boolean {
  if (typeof given !== "string") return false;
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
