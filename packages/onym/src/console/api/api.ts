// The console's API: JSON for signed-in viewers, from the same origin only. Its type is what the page is checked against.

import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono, type Next, type TypedResponse } from "hono";
import { bodyLimit } from "hono/body-limit";
import { validator } from "hono/validator";
import type { DownstreamId } from "../../downstream/downstream.js";
import { bearerOf } from "../../gateway/auth/authenticate.js";
import type { Authenticator } from "../../gateway/auth/create-authenticator.js";
import type { EdgeCallers } from "../../gateway/http/create-http-edge.js";
import { runInSlices } from "../../model/run-slices.js";
import type { Answer, ConsoleContext } from "../console-context.js";
import { createSignIns } from "../sign-ins.js";
import type { ConsoleSessions, Viewer } from "../viewer.js";
import { type Decision, decide, readApprovals } from "./approvals.js";
import { callsSteps } from "./calls.js";
import { readConnect } from "./connect.js";
import { findViewer, type SignedIn } from "./find-viewer.js";
import { formatSteps } from "./format-report.js";
import { columnSteps, namesRevision, namesSteps } from "./names.js";
import { resolveText } from "./resolve.js";
import { readServers, restartServer, serversFor, setToolbox } from "./servers.js";
import { createCallStreams } from "./stream-calls.js";
import { tooMany } from "./too-many.js";
import { readTool } from "./tool.js";

export interface ApiOptions {
  readonly context: ConsoleContext;
  readonly sessions: ConsoleSessions;
  readonly authenticator: Pick<Authenticator, "authenticate">;
  readonly callers: EdgeCallers;
  /** Aborted when the gateway ends. */
  readonly closing: AbortSignal;
}

const MAX_BODY = 16_384;
const BASE = "/console/api";
const STREAM = "/calls/stream";
const SIGN_OUT = "/sign-out";

type Env = {
  Bindings: HttpBindings;
  /** `left`: aborted when the client has its answer, or is gone. */
  Variables: { viewer: Viewer; signedIn: SignedIn; left: AbortSignal };
};

export function createApi(options: ApiOptions) {
  const { context, sessions, callers, closing } = options;
  const { streams, reads } = callers;
  const streamCalls = createCallStreams({ context, streams, closing });
  const signIns = createSignIns(context);
  const profileNamed = (id: string) =>
    context.gateway.snapshot().tools.profiles.find((profile) => profile.id === id);

  /** In the caller's turn, and only while the client is there (SAFE-5). */
  const send = async <Report extends object>(c: Context<Env>, read: Read<Report>) => {
    const [viewer, { share }, left] = [c.get("viewer"), c.get("signedIn"), c.get("left")];
    const done = await reads.run(share, left, async () => {
      const report = await read(viewer, left);
      return report === undefined ? undefined : runInSlices(formatSteps(report), { signal: left });
    });
    if (done.outcome === "refused") return tooMany(c, done.refusal);
    if (done.outcome === "left") return c.json({ error: "The client has left." }, 503);
    if (done.value === undefined) return c.json({ error: "There is no such tool." }, 404);
    return sendFormatted<Report>(c, done.value);
  };

  const open = new Hono().post("/session", bodyLimit({ maxSize: MAX_BODY }), async (c) => {
    const { key } = await readBody(c);
    const token = typeof key === "string" ? sessions.redeem(key) : undefined;
    return token === undefined
      ? c.json({ error: "This link was used already, or is too old. onym status prints a new one." }, 401)
      : c.json({ token }, 200);
  });

  const signedIn = new Hono<Env>()
    .use((c, next) => admit(c, next, options))
    .get("/me", (c) => send(c, (viewer) => readMe(context, viewer)))
    .get("/names", (c) => send(c, (viewer, signal) => runInSlices(namesSteps(context, viewer), { signal })))
    .get("/names/:profile", (c) => {
      const profile = profileNamed(c.req.param("profile"));
      return profile === undefined
        ? c.json({ error: "There is no such profile." }, 404)
        : send(c, (viewer, signal) => runInSlices(columnSteps(context, viewer, profile), { signal }));
    })
    .get("/tool", validator("query", readToolQuery), (c) => {
      const { key } = c.req.valid("query");
      return send(c, (viewer, signal) => readTool(context, viewer, { key, signal }));
    })
    .get("/resolve", validator("query", readResolveQuery), (c) => {
      const { text, profile: id } = c.req.valid("query");
      const profile = profileNamed(id);
      return profile === undefined
        ? c.json({ error: "There is no such profile." }, 400)
        : send(c, (viewer) => resolveText(context, viewer, { text, profile }));
    })
    .get("/calls", (c) => send(c, (viewer, signal) => runInSlices(callsSteps(context, viewer), { signal })))
    .get(STREAM, (c) => streamCalls(c, c.get("signedIn")))
    .get("/approvals", validator("query", readPageQuery), (c) => {
      const { after } = c.req.valid("query");
      return send(c, (viewer, signal) => readApprovals(context, viewer, { after, signal }));
    })
    .post("/approvals/:id", bodyLimit({ maxSize: MAX_BODY }), async (c) => {
      const decision = readDecision(await readBody(c));
      if (decision === undefined) return c.json({ error: "That is no decision." }, 400);
      return sendAnswer(c, await decide(context, Number(c.req.param("id")), decision));
    })
    .get("/servers", (c) => send(c, (viewer, signal) => readServers(context, viewer, { signIns, signal })))
    .post("/servers/restart", bodyLimit({ maxSize: MAX_BODY }), async (c) => {
      const id = readServerId(await readBody(c));
      return id === undefined
        ? c.json({ error: "Name a server." }, 400)
        : sendAnswer(c, restartServer(context, id));
    })
    .post("/servers/sign-in", bodyLimit({ maxSize: MAX_BODY }), async (c) => {
      const id = readServerId(await readBody(c));
      return id === undefined
        ? c.json({ error: "Name a server." }, 400)
        : sendAnswer(c, await signIns.begin(id));
    })
    .post("/toolboxes", bodyLimit({ maxSize: MAX_BODY }), async (c) => {
      const { id, isOpen } = await readBody(c);
      if (typeof id !== "string" || typeof isOpen !== "boolean")
        return c.json({ error: "Name a toolbox, and whether to open it." }, 400);
      return sendAnswer(c, await setToolbox(context, { id, isOpen }));
    })
    .get("/connect", (c) => send(c, async () => readConnect(context)))
    .post(SIGN_OUT, (c) => {
      sessions.end(bearerOf(new Map(Object.entries(c.req.header()))) ?? "");
      return c.json({}, 200);
    });

  return new Hono()
    .basePath(BASE)
    .onError((error, c) => {
      context.log("error", `the console failed: ${error instanceof Error ? (error.stack ?? "") : ""}`);
      return c.json({ error: "Internal error; see the gateway's log." }, 500);
    })
    .notFound((c) => c.json({ error: "There is nothing here." }, 404))
    .use(async (c, next) => {
      // No cookie is ever used, so no other site can act for anybody; it may not even ask.
      if (isForeign(c)) return c.json({ error: "Only the console itself may ask." }, 403);
      await next();
      c.header("cache-control", "no-store");
      c.header("x-content-type-options", "nosniff");
    })
    .route("/", open)
    .route("/", signedIn);
}

/** What the page is checked against. */
export type ConsoleApi = ReturnType<typeof createApi>;

/** Lets in who is signed in, may do this, and has not done too much. */
async function admit(c: Context<Env>, next: Next, options: ApiOptions) {
  const { context, callers } = options;
  const { clock, unread } = callers;
  const headers = new Map(Object.entries(c.req.header()));
  const signedIn = await findViewer(headers, options);
  if (signedIn === undefined) return c.json({ error: "Sign in first." }, 401);
  const { viewer, share } = signedIn;
  c.set("viewer", viewer);
  c.set("signedIn", signedIn);
  const tooFast = share.countRequest(clock.elapsed());
  if (tooFast !== undefined) return tooMany(c, tooFast);
  const isChange = c.req.method !== "GET" && !isAt(c, SIGN_OUT);
  if (isChange && !viewer.isOperator)
    return c.json({ error: "Only an operator changes anything here: sign in by the link." }, 403);
  if (isChange && context.isReadOnly())
    return c.json({ error: "This console is read-only, by the config." }, 403);
  const { incoming, outgoing } = c.env;
  // The client has disconnected: there will be no later `close` event.
  if (outgoing.destroyed || outgoing.closed) return c.body(null, 503);
  unread.watch(incoming.socket, share);
  // A stream counts as one.
  if (isAt(c, STREAM)) return next();
  if (!share.take("pending")) return tooMany(c, share.refusal("pending"));
  const left = new AbortController();
  c.set("left", left.signal);
  // In flight until the client has read it.
  outgoing.once("close", () => {
    share.release("pending");
    left.abort();
  });
  return next();
}

/** What every page shows beside what it is about. */
async function readMe(context: ConsoleContext, viewer: Viewer) {
  const { principal, isOperator } = viewer;
  const { problemCount, startedAt } = context.status();
  const waiting = isOperator ? await context.store?.approvals.countPending().catch(() => 0) : 0;
  return {
    principal,
    isOperator,
    canChange: isOperator && !context.isReadOnly(),
    version: context.version,
    startedAt,
    waiting: waiting ?? 0,
    down: serversFor(context, viewer).filter(({ state }) => state === "failed" || state === "unhealthy")
      .length,
    problems: isOperator ? problemCount : 0,
    clients: isOperator ? context.gateway.load().sessions.length : 0,
    namesRevision: namesRevision(context, viewer),
  };
}

/** The whole path: what ends with a route may be another one. */
function isAt(c: Context, route: string): boolean {
  return c.req.path === `${BASE}${route}`;
}

function isForeign(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  const origin = c.req.header("origin");
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host !== c.req.header("host");
}

type Read<Report> = (viewer: Viewer, signal: AbortSignal) => Promise<Report | undefined>;

/** Its type is what the page is checked against. */
function sendFormatted<Report>(c: Context, bytes: Uint8Array<ArrayBuffer>) {
  const sent = c.body(bytes, 200, { "content-type": "application/json" });
  return sent as Response as Response & TypedResponse<Report, 200, "json">;
}

type Query = Readonly<Record<string, string | string[] | undefined>>;

function readToolQuery({ key }: Query): { key: string } {
  return { key: String(key ?? "") };
}

function readPageQuery({ after }: Query): { after: number } {
  const id = Number(after ?? 0);
  return { after: Number.isSafeInteger(id) ? id : 0 };
}

function readResolveQuery({ text, profile }: Query): { text: string; profile: string } {
  return { text: String(text ?? ""), profile: String(profile ?? "universal") };
}

function readServerId(body: Readonly<Record<string, unknown>>): DownstreamId | undefined {
  const { server, toolbox } = body;
  if (typeof server !== "string") return undefined;
  return { server, toolbox: typeof toolbox === "string" ? toolbox : undefined };
}

async function readBody(c: Context): Promise<Readonly<Record<string, unknown>>> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) return {};
  const body: unknown = await c.req.json().catch(() => undefined);
  return typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
}

function readDecision(body: Readonly<Record<string, unknown>>): Decision | undefined {
  const { verdict, digest, how, until } = body;
  if (verdict !== "approved" && verdict !== "rejected") return undefined;
  if (how !== "once" && how !== "always" && how !== "until") return undefined;
  if (typeof digest !== "string") return undefined;
  if (until !== undefined && (typeof until !== "number" || !Number.isFinite(until))) return undefined;
  return { verdict, digest, how, until };
}

function sendAnswer<Value extends object>(c: Context, answer: Answer<Value>) {
  return answer.ok ? c.json(answer.value, 200) : c.json({ error: answer.error }, answer.status);
}
