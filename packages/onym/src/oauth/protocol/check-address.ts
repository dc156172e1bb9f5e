// Addresses that a server or its authorization server hands out: over https, and never nearer than the server itself.

import { BlockList, isIPv4, isIPv6 } from "node:net";
import { quoteText } from "@onym/core";
import { OnymError } from "../../model/onym-error.js";

const REACHES = ["loopback", "private", "public"] as const;
/** How far away an address is. */
export type Reach = (typeof REACHES)[number];

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");
const PRIVATE = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  PRIVATE.addSubnet(net, bits, "ipv4");
for (const [net, bits] of [
  // Forms that hold an IPv4 address, which may lead to it: compatible, translated, behind a translator, tunnelled.
  ["::", 96],
  ["::ffff:0:0:0", 96],
  ["2002::", 16],
  ["2001::", 32],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const)
  PRIVATE.addSubnet(net, bits, "ipv6");

/**
 * An address that `server` or its authorization server named. A server out on the network must not make Onym ask
 * something on this machine or in its own network. Names are taken by what they say here: what they resolve to is checked
 * when they are connected to (`fetchJson`).
 *
 * @throws OnymError `sign-in-failed`.
 */
export function checkAddress(address: unknown, what: string, server: URL): URL {
  const url = typeof address === "string" && URL.canParse(address) ? new URL(address) : undefined;
  const shown = typeof address === "string" ? ` ${quoteText(address, 120)}` : "";
  const refuse = (why: string) =>
    signInError(`${what}${shown} ${why}.`, "Ask the operator of the server; nothing was sent there.");
  if (url === undefined) throw refuse("is not a valid address");
  if (url.username !== "" || url.password !== "") throw refuse("holds a user name");
  const reach = reachOf(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && reach === "loopback"))
    throw refuse("is not https, so that tokens could be read on the way");
  if (isNearer(reach, reachOf(server.hostname)))
    throw refuse("leads into this machine or its network, although the server is outside");
  return url;
}

export function isNearer(reach: Reach, than: Reach): boolean {
  return REACHES.indexOf(reach) < REACHES.indexOf(than);
}

/** Of several addresses of one name; `public` where there are none. */
export function farthestReach(addresses: readonly string[]): Reach {
  const reaches = addresses.map(reachOf);
  return REACHES.findLast((reach) => reaches.includes(reach)) ?? "public";
}

/** Of an address in digits; a name that does not say otherwise is public. */
export function reachOf(hostname: string): Reach {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    // The zone of a link-local address.
    .replace(/%.*/, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  const family = isIPv4(host) ? "ipv4" : isIPv6(host) ? "ipv6" : undefined;
  if (family === undefined) return "public";
  if (LOOPBACK.check(host, family)) return "loopback";
  return PRIVATE.check(host, family) ? "private" : "public";
}

// A sign-in that did not come about: the other side refused it, did not answer, or is not to be trusted.

export function signInError(message: string, hint: string): OnymError {
  return new OnymError("sign-in-failed", message, hint);
}
