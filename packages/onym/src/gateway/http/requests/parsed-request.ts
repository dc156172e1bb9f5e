// A request as the parser of `node:http` makes it: the last one that is parsed if its connection has ended.

import { IncomingMessage } from "node:http";

/**
 * For `http.createServer`. Node parses a packet to its end, even if the connection is destroyed at its first request: thousands
 * of requests that nobody will answer. It stops only where a request switches to another protocol, so each request behind
 * the end of its connection says that it does.
 */
export class ParsedRequest extends IncomingMessage {
  declare private switches: boolean | null;

  get upgrade(): boolean | null {
    return this.switches || this.socket.destroyed;
  }

  set upgrade(switches: boolean | null) {
    this.switches = switches;
  }
}
