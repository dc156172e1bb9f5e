// Directs scripted servers: they call this process when they start, and do what they are told.

import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { type RunningServer, serversFolder, startServer } from "./start-server.js";

/** What a scripted server is to be; see scripted-script.mjs. A tool may be a name alone. */
export interface Script {
  readonly label: string;
  /** What it announces; anything may be sent. */
  readonly version?: string | number;
  readonly tools?: readonly unknown[];
  readonly eras?: readonly ("legacy" | "modern")[];
  readonly prompts?: readonly unknown[];
  readonly resources?: readonly unknown[];
  readonly templates?: readonly unknown[];
  readonly instructions?: string;
  readonly pageSize?: number;
  /** Every page after the first is answered with an error, until it is told to fix. */
  readonly losesPages?: boolean;
  readonly ttlMs?: number;
  readonly behaviours?: readonly CallBehaviour[];
}

/** How calls are answered; see scripted-call.mjs. Without a tool: every call. */
export interface CallBehaviour {
  readonly tool?: string;
  readonly progress?: number;
  readonly log?: readonly string[];
  readonly ask?: readonly ("elicitation/create" | "sampling/createMessage" | "roots/list")[];
  readonly fail?: "error" | "isError";
  readonly bytes?: number;
  readonly delayMs?: number;
  readonly hold?: boolean;
}

/** What a scripted server can be told; see scripted-directions.mjs. */
type Direction =
  | { readonly do: "set" | "add"; readonly tools: readonly unknown[]; readonly quiet?: boolean }
  | { readonly do: "remove"; readonly names: readonly string[]; readonly quiet?: boolean }
  | ({ readonly do: "behave" } & CallBehaviour)
  | { readonly do: "release"; readonly order?: "fifo" | "lifo" }
  | { readonly do: "awaitHeld" | "awaitParked" | "awaitListens"; readonly count: number }
  | { readonly do: "awaitReceived"; readonly method: string; readonly count?: number }
  | { readonly do: "huge"; readonly bytes: number }
  | { readonly do: "tell"; readonly method: string; readonly params: unknown }
  | { readonly do: "touch"; readonly uri: string }
  | { readonly do: "garbage"; readonly text?: string }
  | { readonly do: "stderr"; readonly text: string }
  | { readonly do: "refuse"; readonly status?: number }
  | { readonly do: "exit"; readonly code?: number }
  | {
      readonly do:
        | "announce"
        | "fix"
        | "hang"
        | "resume"
        | "received"
        | "forget"
        | "closeOutput"
        | "dropSessions"
        | "closeStreams";
    };

/** A scripted server that runs. */
export interface Directed {
  readonly label: string;
  readonly pid: number;
  /** Does it, and answers once it is done; `exit` answers when the process is gone. */
  readonly direct: (direction: Direction) => Promise<Readonly<Record<string, unknown>>>;
  readonly gone: Promise<void>;
}

export interface Control {
  /** The server of that label: the one that runs, or the next that starts. */
  readonly server: (label: string) => Promise<Directed>;
  /** What an MCP config says of a stdio server with this script. The script is a file in the folder. */
  readonly stdioEntry: (
    script: Script,
    folder: string,
  ) => { readonly command: string; readonly args: string[] };
  readonly startHttp: (script: Script) => Promise<RunningServer & { readonly control: Directed }>;
  /** Ends every server that still runs. */
  readonly close: () => Promise<void>;
}

export interface ControlOptions {
  /** Waited for before a server that has said who it is goes on; without it, none waits. */
  readonly admit?: (label: string) => Promise<void>;
}

export async function createControl({ admit }: ControlOptions = {}): Promise<Control> {
  const here = new Map<string, Directed>();
  const waiting = new Map<string, ((directed: Directed) => void)[]>();
  const sockets = new Set<Socket>();
  let files = 0;

  const listener = createServer((socket) => {
    sockets.add(socket);
    greet(socket, admit, (directed) => {
      here.set(directed.label, directed);
      directed.gone.then(() => {
        sockets.delete(socket);
        if (here.get(directed.label) === directed) here.delete(directed.label);
      });
      for (const resolve of waiting.get(directed.label) ?? []) resolve(directed);
      waiting.delete(directed.label);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const control = (listener.address() as AddressInfo).port;

  const server = (label: string): Promise<Directed> => {
    const known = here.get(label);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => waiting.set(label, [...(waiting.get(label) ?? []), resolve]));
  };
  return {
    server,
    stdioEntry(script, folder) {
      files += 1;
      const path = join(folder, `script-${files}.json`);
      writeFileSync(path, JSON.stringify({ ...script, control }));
      return { command: process.execPath, args: [join(serversFolder, "scripted-server.mjs"), path] };
    },
    async startHttp(script) {
      const ONYM_TEST_SCRIPT = JSON.stringify({ ...script, control });
      const started = await startServer("scripted-http-server.mjs", [], { ONYM_TEST_SCRIPT });
      return { ...started, control: await server(script.label) };
    },
    async close() {
      const gone = [...here.values()].map((directed) => directed.gone);
      for (const socket of sockets) socket.destroy();
      await Promise.all(gone);
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

interface Told {
  readonly resolve: (done: Readonly<Record<string, unknown>>) => void;
  readonly reject: (error: Error) => void;
}

/** Waits for the server to say who it is. */
function greet(socket: Socket, admit: ControlOptions["admit"], meet: (directed: Directed) => void): void {
  const told = new Map<number, Told>();
  let count = 0;
  const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  gone.then(() => {
    for (const { resolve } of told.values()) resolve({ gone: true });
  });
  socket.on("error", () => {});
  const direct: Directed["direct"] = (order) =>
    new Promise((resolve, reject) => {
      count += 1;
      told.set(count, { resolve, reject });
      socket.write(`${JSON.stringify({ id: count, order })}\n`);
    });
  readLines(socket, (line) => {
    const { hello, pid, id, done, problem } = JSON.parse(line);
    if (hello !== undefined) {
      meet({ label: hello, pid, direct, gone });
      const welcome = () => void socket.write('{"welcome":true}\n');
      return admit === undefined ? welcome() : void admit(hello).then(welcome);
    }
    if (problem === undefined) told.get(id)?.resolve(done);
    else told.get(id)?.reject(new Error(problem));
    told.delete(id);
  });
}

/** Lines end at a line feed and nowhere else; node:readline also ends them at signs that JSON text may hold. */
function readLines(socket: Socket, take: (line: string) => void): void {
  let rest = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
}
