// What clients do with a name that is too long with their prefix: cut it, or replace a part with a digest.

import { md5, sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { NameCut } from "../profile.js";

/** A name while the client prepares it for the model. */
export interface Framed {
  /** The tool's name as Onym assigned it, and the alias as the user registered it. */
  readonly name: string;
  readonly alias: string;
  /** Prefix, rewritten name and suffix together. */
  readonly joined: string;
  /** The prefix alone. */
  readonly prefix: string;
}

type Cut = (framed: Framed, limit: number) => string;

const CHERRY_BODY = 42;

const CUTS: Readonly<Record<NameCut, Cut>> = {
  slice: ({ joined }, limit) => joined.slice(0, limit),
  middle: ({ joined }, limit) =>
    joined.length > limit ? `${joined.slice(0, 30)}...${joined.slice(-30)}` : joined,
  "sha1-8": ({ name, alias, joined }, limit) => {
    const wished = `${alias}__${name}`;
    if (joined === wished && joined.length <= limit) return joined;
    return `${joined.slice(0, limit - 9)}_${hex(sha1, wished, 8)}`;
  },
  "sha1-12": ({ name, alias, joined, prefix }, limit) => {
    if (joined.length <= limit) return joined;
    const digest = `_${codexDigest(alias, name)}`;
    const room = limit - digest.length;
    if (prefix.length <= room) return joined.slice(0, room) + digest;
    // The namespace is cut if it leaves no room for the digest.
    return `${prefix.slice(0, room - "__".length)}__${digest}`;
  },
  "sha256-8": ({ joined }, limit) =>
    joined.length > limit
      ? `${joined.slice(0, limit - 9).replace(/_$/, "")}_${hex(sha256, joined, 8)}`
      : joined,
  "sha256-20": ({ name, alias, joined }) => {
    const body = joined.slice(0, -"_".length - 20).slice(0, CHERRY_BODY);
    return `${body.replace(/_{1,2}$/, "")}_${hex(sha256, `${alias}\0${name}`, 20)}`;
  },
  "fnv-7": ({ name, alias, joined }, limit) => {
    const wished = `mcp__${alias}__${name}`;
    if (joined === wished && joined.length <= limit) return joined;
    return `${joined.slice(0, limit - 8)}_${(fnv1a(wished) >>> 0).toString(36).padStart(7, "0")}`;
  },
  "fnv-hex": ({ joined }, limit) => {
    if (joined.length <= limit) return joined;
    const digest = fnv1a(joined).toString(16).padStart(8, "0");
    return `${joined.slice(0, limit - 1 - digest.length)}_${digest}`;
  },
  "md5-12": ({ name, alias, joined, prefix }, limit) => {
    if (joined.length <= limit) return joined;
    const tool = `MD5HASH_${hex(md5, name, 12)}`;
    const short = prefix + tool;
    return short.length <= limit ? short : `MD5HASH_${hex(md5, alias, 12)}____${tool}`;
  },
};

/** The name after the client's shortening; unchanged if it fits. */
export function cutSentName(framed: Framed, cut: NameCut, limit: number): string {
  return CUTS[cut](framed, limit);
}

function hex(hash: (message: Uint8Array) => Uint8Array, text: string, digits: number): string {
  return bytesToHex(hash(utf8ToBytes(text))).slice(0, digits);
}

/** 32-bit FNV-1a, as a signed number. */
function fnv1a(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  return state;
}

/** Codex hashes the server as registered (twice), an absent connector, and the tool as listed (twice). */
function codexDigest(alias: string, name: string): string {
  return hex(sha1, `${alias}\0${alias}\0\0${name}\0${name}`, 12);
}
