// The console's API: JSON for signed-in viewers, from the same origin only. Its type is what the page is checked against.

import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono, type TypedResponse } from "hono";
import { bodyLimit } from "hono/body-limit";
import { streamSSE } from "hono/streaming";
import { validator } from "hono/validator";
import type { DownstreamId } from "../../downstream/downstream.js";
import { bearerOf } from "../../gateway/auth/authenticate.js";
import type { Authenticator } from "../../gateway/auth/create-authenticator.js";
import type { EdgeCallers } from "../../gateway/http/create-http-edge.js";
import type { Refusal } from "../../gateway/http/responses/refusal.js";
import { type CallerShare, callerKey } from "../../gateway/sessions/edge-callers.js";
import { LOCAL_PRINCIPAL } from "../../model/auth-settings.js";
import type { CallReport } from "../../model/call-report.js";
import { runInSlices } from "../../model/run-slices.js";
import type { Answer, ConsoleContext } from "../console-context.js";
import { createSignIns } from "../sign-ins.js";
import type { ConsoleSessions, Viewer } from "../viewer.js";
import { type Decision, decide, readApprovals } from "./approvals.js";
import { callsSteps, seesCall, showCall } from "./calls.js";
import { readConnect } from "./connect.js";
import { formatSteps } from "./format-report.js";
import { columnSteps, namesRevision, namesSteps } from "./names.js";
import { resolveText } from "./resolve.js";
import { readServers, restartServer, serversFor, setToolbox } from "./servers.js";
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
const KEEP_ALIVE_MS = 15_000;
/** Of events that a page has not read yet; beyond, it has to read all again. */
const MAX_QUEUED = 1_000;
/** Pages of one caller that watch calls: each call is sent to all of them. */
const MAX_PAGES = 32;
const BASE = "/console/api";
const STREAM = "/calls/stream";
const SIGN_OUT = "/sign-out";

/** A viewer, its share of the gateway, and until when it is signed in. */
interface SignedIn {
  readonly viewer: Viewer;
  readonly share: CallerShare;
  /** Calls `end` when it is no longer let in; returns a function that stops that. */
  readonly hold: (end: () => void) => () => void;
  readonly isSignedIn: () => boolean;
}

type Env = {
  Bindings: HttpBindings;
  /** `left`: aborted when the client has its answer, or is gone. */
  Variables: { viewer: Viewer; signedIn: SignedIn; left: AbortSignal };
};

export function createApi({ context, sessions, authenticator, callers, closing }: ApiOptions) {
  const { quotas, admissions, clock, unread, streams, reads } = callers;
  const pages = new WeakMap<CallerShare, number>();
  const signIns = createSignIns(context);
  const profileNamed = (id: string) =>
    context.gateway.snapshot().tools.profiles.find((profile) => profile.id === id);
  const whoLooks = async (headers: ReadonlyMap<string, string>): Promise<SignedIn | undefined> => {
    const token = bearerOf(headers);
    if (token === undefined) return undefined;
    if (sessions.isSession(token))
      return {
        viewer: { principal: LOCAL_PRINCIPAL, confinedTo: undefined, isOperator: true },
        share: quotas.of({ key: "console", isShared: false }),
        hold: () => () => {},
        isSignedIn: () => sessions.isSession(token),
      };
    // Without "auth" everybody is let in as a caller. Here that takes the link.
    if (context.config().auth === undefined) return undefined;
    const who = await authenticator.authenticate(headers);
    if (who.outcome === "refused" || who.isAnonymous) return undefined;
    return {
      viewer: { principal: who.principal, confinedTo: who.toolboxes, isOperator: false },
      share: quotas.of(callerKey(who.principal, undefined)),
      hold: (end) => admissions.hold(who.proof, "proof", end),
      isSignedIn: () => true,
    };
  };

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
    .use(async (c, next) => {
      const signedIn = await whoLooks(new Map(Object.entries(c.req.header())));
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
    })
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
    .get(STREAM, (c) => {
      const { viewer, share, hold, isSignedIn } = c.get("signedIn");
      const watching = pages.get(share) ?? 0;
      if (watching >= MAX_PAGES) return c.json({ error: "Too many pages watch already." }, 429, RETRY);
      let isLetIn = true;
      let wake = (): void => {};
      const giveWay = (): void => {
        isLetIn = false;
        wake();
      };
      const refusal = streams.take(share, giveWay);
      if (refusal !== undefined) return tooMany(c, refusal);
      pages.set(share, watching + 1);
      const sees = seesCall(viewer);
      return streamSSE(c, async (stream) => {
        const queue: CallReport[] = [];
        const stop = context.calls.listen((report) => {
          if (!sees(report)) return;
          if (queue.length < MAX_QUEUED) queue.push(report);
          setImmediate(() => wake());
        });
        const end = (): void => wake();
        const release = hold(giveWay);
        closing.addEventListener("abort", end);
        stream.onAbort(end);
        try {
          await stream.writeSSE({ event: "hello", data: "{}" });
          while (isLetIn && isSignedIn() && !stream.aborted && !stream.closed && !closing.aborted) {
            const report = queue.shift();
            if (report !== undefined) {
              const data = JSON.stringify(showCall(context, report, viewer));
              await stream.writeSSE({ event: "call", data });
            } else if (!(await waitFor((go) => (wake = go), KEEP_ALIVE_MS)))
              await stream.writeSSE({ event: "beat", data: "{}" });
          }
        } finally {
          pages.set(share, (pages.get(share) ?? 1) - 1);
          streams.release(share, giveWay);
          release();
          stop();
          closing.removeEventListener("abort", end);
        }
      });
    })
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

const RETRY = { "retry-after": "1" };

/** A limit of this caller, or of all. */
function tooMany(c: Context, { code, message, headers }: Refusal) {
  const status = code === "busy" ? 503 : 429;
  return c.json({ error: message }, status, { "retry-after": String(headers?.["retry-after"] ?? 1) });
}

type Read<Report> = (viewer: Viewer, signal: AbortSignal) => Promise<Report | undefined>;

/** Its type is what the page is checked against. */
function sendFormatted<Report>(c: Context, bytes: Uint8Array<ArrayBuffer>) {
  const sent = c.body(bytes, 200, { "content-type": "application/json" });
  return sent as Response as Response & TypedResponse<Report, 200, "json">;
}

async function readMe(context: ConsoleContext, viewer: Viewer) {
  const { principal, isOperator } = viewer;
  const { problemCount, startedAt } = context.status();
  const waiting = isOperator ? await context.store?.approvals.countPending().catch(() => 0) : 0;
  const down = serversFor(context, viewer).filter(({ state }) => state === "failed" || state === "unhealthy");
  return {
    principal,
    isOperator,
    canChange: isOperator && !context.isReadOnly(),
    version: context.version,
    startedAt,
    waiting: waiting ?? 0,
    down: down.length,
    problems: isOperator ? problemCount : 0,
    clients: isOperator ? context.gateway.load().sessions.length : 0,
    namesRevision: namesRevision(context, viewer),
  };
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

/** `false` where nobody woke it in time. */
function waitFor(arm: (go: () => void) => void, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    arm(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
