// The key of a caller's quota: the proved identity, else the network address (SAFE-5).

import { isIPv6 } from "node:net";
import type { CallerHints } from "../router.js";

export interface CallerKey {
  readonly key: string;
  /** Without authentication, all local clients look alike and share one key. */
  readonly isShared: boolean;
}

/**
 * @example
 * callerKey("ci", "203.0.113.7").key; // "caller:ci"
 * callerKey(undefined, "2001:db8:1:2:3:4:5:6").key; // "address:2001:db8:1:2"
 */
export function callerKey(principal: string | undefined, address: string | undefined): CallerKey {
  if (principal !== undefined) return { key: `caller:${principal}`, isShared: false };
  const network = networkOf(address ?? "");
  return { key: `address:${network}`, isShared: isLoopback(network) };
}

/** The address; for IPv6 the first 64 bits, because one host usually has all addresses of its network. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!isIPv6(address) || address === "::1") return address;
  const [head = "", tail] = (address.split("%", 1)[0] ?? "").toLowerCase().split("::");
  const first = head === "" ? [] : head.split(":");
  if (tail === undefined) return first.slice(0, 4).join(":");
  const last = tail === "" ? [] : tail.split(":");
  const gap = Math.max(0, 8 - first.length - last.length);
  return [...first, ...new Array<string>(gap).fill("0"), ...last].slice(0, 4).join(":");
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^127\./.test(address);
}

export function sessionOwnerOf({ principal, terms }: Pick<CallerHints, "principal" | "terms">): string {
  return principal === undefined ? "" : JSON.stringify([principal, terms?.toolboxes ?? null]);
}
