// The frame of a list: entries as text, and around them what the caller's era requires (GW-4).

import type { Tool } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import { momentOf } from "../../downstream/explain-down.js";
import type { JsonObject } from "../../mcp/json.js";
import { errorReply, type Reply } from "../../mcp/message.js";
import { CODES, META } from "../../mcp/protocol.js";
import type { Caller } from "../caller.js";
import { LARGE_BYTES } from "../listing/shared-texts.js";

/** How long a modern client may cache a list; not at all while servers are missing. */
const TTL_MS = 60_000;

export interface ListFrame {
  /** `tools`, `prompts`, … */
  readonly member: string;
  /** Separated by commas. */
  readonly entries: string | Buffer;
  /** The gateway's own entries, which come first, as text; may be empty. */
  readonly own?: string;
  readonly nextCursor?: string | undefined;
  readonly caller: Pick<Caller, "era">;
  readonly missing: readonly Downstream[];
  /** Tools left out because their names could not be recorded. */
  readonly unrecorded?: readonly Tool[];
  /** What is left out or renamed, as JSON; may be empty (NAME-8). */
  readonly problems?: string;
  readonly serverInfo: JsonObject;
}

export function formatList(frame: ListFrame): Reply {
  const { member, entries, own = "", nextCursor, caller, missing, unrecorded = [], serverInfo } = frame;
  const { problems = "" } = frame;
  const isModern = caller.era === "modern";
  const isWhole = missing.length === 0 && unrecorded.length === 0;
  const meta = [
    ...(isModern ? [`${JSON.stringify(META.serverInfo)}:${JSON.stringify(serverInfo)}`] : []),
    ...(missing.length === 0 ? [] : [`"onym/missing":${JSON.stringify(missing.map(describeMissing))}`]),
    ...(unrecorded.length === 0
      ? []
      : [`"onym/unrecorded":${JSON.stringify(unrecorded.map(({ canonical }) => canonical))}`]),
    ...(problems === "" ? [] : [`"onym/problems":${problems}`]),
  ];
  const start = `{${JSON.stringify(member)}:[${own}${own === "" || entries.length === 0 ? "" : ","}`;
  const end =
    "]" +
    (nextCursor === undefined ? "" : `,"nextCursor":${JSON.stringify(nextCursor)}`) +
    (isModern ? `,"resultType":"complete","ttlMs":${isWhole ? TTL_MS : 0},"cacheScope":"private"` : "") +
    (meta.length === 0 ? "" : `,"_meta":{${meta.join(",")}}`) +
    "}";
  return typeof entries === "string" || entries.length < LARGE_BYTES
    ? { kind: "json", json: `${start}${entries}${end}` }
    : { kind: "bytes", pieces: [Buffer.from(start), entries, Buffer.from(end)] };
}

/** The list of entries that callers share. */
export async function sendEntries(
  take: () => Buffer | Promise<Buffer>,
  frame: Omit<ListFrame, "entries">,
): Promise<Reply> {
  return formatList({ ...frame, entries: await take() });
}

/**
 * A server whose tools are missing in a list. Every caller that may see anything of it gets this, so it has none of the server's own
 * words (SAFE-1): the reason may quote its stderr. A caller of one of its tools is told why it is down.
 */
export function describeMissing({ id, status, down }: Downstream): JsonObject {
  return {
    server: id.server,
    ...(id.toolbox === undefined ? {} : { toolbox: id.toolbox }),
    state: status.kind,
    ...(down === undefined ? {} : { since: momentOf(down.since) }),
    ...(status.kind === "failed" && status.needsSignIn === true ? { needsSignIn: true } : {}),
  };
}

/** The cursor of a list request; a problem if it is not a text. */
export function readCursor(
  params: JsonObject | undefined,
): { cursor: string | undefined } | { refusal: Reply } {
  const cursor = params?.["cursor"];
  if (cursor === undefined || typeof cursor === "string") return { cursor };
  return { refusal: badCursor() };
}

export function badCursor(): Reply {
  return errorReply(
    CODES.invalidParams,
    "Invalid cursor: it was not given out by this list. List again from the start.",
  );
}
