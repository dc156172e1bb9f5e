// The way to the gateway: a typed client, the token of who is signed in, and whether the gateway answers.

import { signal } from "@preact/signals";
import { hc, type InferResponseType } from "hono/client";
import type { ConsoleApi } from "../../onym/src/console/api/api.js";

const TOKEN = "onym-console-token";

export const token = signal<string | undefined>(localStorage.getItem(TOKEN) ?? undefined);
/** The gateway answered the last time it was asked. */
export const isOnline = signal(true);
/** What went wrong last, for people. */
export const notice = signal<string | undefined>(undefined);

/** Changes when the gateway has other names. */
export const namesRevision = signal("");

/** Whether who looks may change anything. */
export const canChange = signal(false);

export function setToken(next: string | undefined): void {
  token.value = next;
  if (next === undefined) localStorage.removeItem(TOKEN);
  else localStorage.setItem(TOKEN, next);
}

export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function ask(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers);
  if (token.value !== undefined) headers.set("authorization", `Bearer ${token.value}`);
  let response: Response;
  try {
    response = await fetch(input, { ...init, headers, credentials: "omit", referrerPolicy: "no-referrer" });
  } catch (error) {
    if (init?.signal?.aborted !== true) isOnline.value = false;
    throw error;
  }
  isOnline.value = true;
  if (response.ok) return response;
  // The gateway was started anew, or the token ended.
  if (response.status === 401 && token.value !== undefined) setToken(undefined);
  const body: unknown = await response.json().catch(() => ({}));
  const error = (body as { readonly error?: unknown }).error;
  throw new ApiError(response.status, typeof error === "string" ? error : `HTTP ${response.status}`);
}

export const api = hc<ConsoleApi>("/", { fetch: ask }).console.api;

/** What an answer holds where it is one; everything else was thrown. */
export async function read<Answer extends { readonly json: () => Promise<unknown> }>(
  answer: Promise<Answer>,
): Promise<BodyOf<Answer>> {
  return (await (await answer).json()) as BodyOf<Answer>;
}

type BodyOf<Answer> = Answer extends { readonly json: () => Promise<infer Value> }
  ? Exclude<Value, { readonly error: string }>
  : never;

export type Names = InferResponseType<typeof api.names.$get, 200>;
export type Column = InferResponseType<(typeof api.names)[":profile"]["$get"], 200>;
export type Tool = InferResponseType<typeof api.tool.$get, 200>;
export type Resolved = InferResponseType<typeof api.resolve.$get, 200>;
export type Calls = InferResponseType<typeof api.calls.$get, 200>;
export type Call = Calls["calls"][number];
export type Approvals = InferResponseType<typeof api.approvals.$get, 200>;
export type Servers = InferResponseType<typeof api.servers.$get, 200>;
export type Connect = InferResponseType<typeof api.connect.$get, 200>;
export type Me = InferResponseType<typeof api.me.$get, 200>;

export { ask };
