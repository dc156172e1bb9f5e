// Makes callers: a session from an `initialize` request, or the caller of one modern request from its envelope.

import { randomUUID } from "node:crypto";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { RpcRequest } from "../../mcp/message.js";
import {
  isLogLevel,
  LATEST_LEGACY_REVISION,
  LEGACY_REVISIONS,
  META,
  MODERN_REVISION,
} from "../../mcp/protocol.js";
import { LOCAL_PRINCIPAL } from "../../model/auth-settings.js";
import type { Caller, ClientChannel, Session } from "../caller.js";
import {
  type AdmitAlias,
  admitChoice,
  chooseProfile,
  clientInfoOf,
  createDetectionLog,
  type ProfileChoice,
} from "../choose-profile.js";
import type { GatewayContext } from "../gateway-context.js";
import type { CallerHints } from "../router.js";
import type { ChangeFeed } from "../view/change-feed.js";

export interface CallersOptions {
  readonly context: Pick<GatewayContext, "settings" | "log">;
  readonly feed: Pick<ChangeFeed, "followers">;
  readonly admitAlias: AdmitAlias;
}

export interface Callers {
  /** A session, not yet open: nothing keeps it. */
  readonly openSession: (params: JsonObject, hints: CallerHints, channel: ClientChannel) => OpenedSession;
  readonly identify: (request: RpcRequest, hints: CallerHints) => Caller;
  /** Why every request of this caller is refused: it requested something that it cannot have. */
  readonly problemOf: (caller: Caller) => string | undefined;
}

type OpenedSession =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly problem: string };

/** Sessions keep what a client says of itself; 500 of one caller kept 4 MB each (SAFE-5). */
const MAX_INTRODUCTION_LENGTH = 65_536;
const LONG_INTRODUCTION = `"clientInfo" and "capabilities" have more than ${MAX_INTRODUCTION_LENGTH} characters together.`;

export function createCallers({ context, feed, admitAlias }: CallersOptions): Callers {
  const logDetected = createDetectionLog(context.log);
  const problems = new WeakMap<Caller, string>();
  const choose = (hints: CallerHints, clientInfo: JsonObject | undefined): ProfileChoice => {
    const { profiles, naming } = context.settings();
    const { profile: configured, detect } = naming;
    const choice = chooseProfile({ hints, clientInfo, configured, detect, profiles });
    return admitChoice(choice, hints, (as) =>
      admitAlias({ as, profile: choice.profile.id }, callerKeyOf(hints)),
    );
  };
  return {
    openSession({ protocolVersion: wished, capabilities, clientInfo }, hints, channel) {
      if (typeof wished !== "string" || !isJsonObject(capabilities))
        return refuse('initialize needs "protocolVersion", "capabilities" and "clientInfo".');
      if (isLongIntroduction(clientInfo, capabilities)) return refuse(LONG_INTRODUCTION);
      const info = clientInfoOf(clientInfo);
      const choice = choose(hints, info);
      if (choice.problem !== undefined) return refuse(choice.problem);
      const callerKey = callerKeyOf(hints);
      const session: Session = {
        id: randomUUID(),
        principal: hints.principal ?? LOCAL_PRINCIPAL,
        isAnonymous: hints.isAnonymous,
        callerKey,
        confinedTo: hints.terms?.toolboxes,
        era: "legacy",
        revision: LEGACY_REVISIONS.find((known) => known === wished) ?? LATEST_LEGACY_REVISION,
        clientInfo: info,
        capabilities,
        profile: choice.profile,
        chosenBy: choice.chosenBy,
        as: choice.alias,
        logLevel: undefined,
        ready: false,
        toolboxes: new Set(),
        resources: feed.followers.createSetOf(callerKey),
        approvedResources: new Map(),
        shown: undefined,
        channel,
        session: undefined,
      };
      session.session = session;
      return { ok: true, session };
    },

    identify(request, hints) {
      const meta = isJsonObject(request.params?.["_meta"]) ? request.params["_meta"] : {};
      const isLong = isLongIntroduction(meta[META.clientInfo], meta[META.clientCapabilities]);
      const clientInfo = isLong ? undefined : clientInfoOf(meta[META.clientInfo]);
      const choice = choose(hints, clientInfo);
      const capabilities = isLong ? undefined : meta[META.clientCapabilities];
      const level = meta[META.logLevel];
      const caller: Caller = {
        id: randomUUID(),
        principal: hints.principal ?? LOCAL_PRINCIPAL,
        isAnonymous: hints.isAnonymous,
        callerKey: callerKeyOf(hints),
        confinedTo: hints.terms?.toolboxes,
        era: "modern",
        revision: MODERN_REVISION,
        clientInfo,
        capabilities: isJsonObject(capabilities) ? capabilities : {},
        profile: choice.profile,
        chosenBy: choice.chosenBy,
        as: choice.alias,
        logLevel: isLogLevel(level) ? level : undefined,
        session: undefined,
      };
      const problem = isLong ? LONG_INTRODUCTION : choice.problem;
      if (problem !== undefined) problems.set(caller, problem);
      else logDetected(caller, hints);
      return caller;
    },

    problemOf: (caller) => problems.get(caller),
  };
}

export function callerKeyOf({ callerKey, principal }: CallerHints): string {
  return callerKey ?? principal ?? LOCAL_PRINCIPAL;
}

function isLongIntroduction(...values: readonly unknown[]): boolean {
  return JSON.stringify(values).length > MAX_INTRODUCTION_LENGTH;
}

function refuse(problem: string): OpenedSession {
  return { ok: false, problem };
}
