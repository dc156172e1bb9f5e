// The address on this machine that a browser is sent back to with the code. It takes one answer, and only with our state.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { signInError } from "./check-address.js";

export interface Callback {
  readonly redirectUri: string;
  /** The parameters of the first request that carries the state. */
  readonly received: Promise<URLSearchParams>;
  readonly close: () => void;
}

export interface CallbackOptions {
  readonly state: string;
  /** 0 for any that is free. */
  readonly port: number;
}

const HOST = "127.0.0.1";
const PATH = "/callback";

/** `undefined` where something else listens on the port. @throws OnymError where none can be opened. */
export async function receiveCallback({ state, port }: CallbackOptions): Promise<Callback | undefined> {
  let receive: (parameters: URLSearchParams) => void = () => {};
  const received = new Promise<URLSearchParams>((resolve) => {
    receive = resolve;
  });
  const server = createServer((request, response) => {
    const url = URL.canParse(request.url ?? "", `http://${HOST}`)
      ? new URL(request.url ?? "", `http://${HOST}`)
      : undefined;
    if (request.method !== "GET" || url?.pathname !== PATH)
      return show(response, 404, "There is nothing here.");
    // Any program on this machine can send requests here. Only the browser that was sent to sign in knows the state.
    if (url.searchParams.get("state") !== state)
      return show(response, 400, "This does not belong to a sign-in in progress.");
    show(
      response,
      200,
      url.searchParams.has("code")
        ? "Onym got the answer. You can close this window; the terminal says how it went."
        : "You were not signed in. The terminal says more.",
    );
    receive(url.searchParams);
  });
  const listening = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once("error", resolve);
    server.listen(port, HOST, () => resolve(undefined));
  });
  if (listening?.code === "EADDRINUSE") return undefined;
  if (listening !== undefined)
    throw signInError(
      `No port can be opened on ${HOST} (${listening.code}).`,
      "See what keeps Onym from it.",
    );
  return {
    redirectUri: `http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`,
    received,
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

/** Nothing of what was sent is shown. */
function show(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(`<!doctype html><title>Onym</title><p>${text}</p>\n`);
}
