// Clients that call without end, by every kind of name there is, and have every answer judged.

import { type Chance, createChance } from "./chance.js";
import type { Fleet, Server } from "./fleet.js";
import { canonicalOf, type Identity, isSame, keyOf } from "./identity.js";
import { type Judged, judge, type Verdict } from "./judge.js";
import type { Ledger } from "./ledger.js";
import type { LoadClient } from "./load-client.js";
import { nonsense } from "./nonsense.js";

export interface Traffic {
  /** Of workers; sweeps come on top. */
  readonly calls: () => number;
  readonly byKind: ReadonlyMap<string, number>;
  readonly outcomes: ReadonlyMap<string, number>;
  /** What a client is shown now. */
  readonly list: (client: LoadClient) => Promise<ReadonlyMap<string, Identity>>;
  /** Calls every tool that a client is shown, and wants every one to answer. */
  readonly sweep: (client: LoadClient) => Promise<number>;
  /** A tool of the server, called by its canonical name, answers. */
  readonly isAnswering: (client: LoadClient, server: Server) => Promise<boolean>;
  /** Calls until told to stop. */
  readonly work: (client: LoadClient, seed: number, isOver: () => boolean) => Promise<void>;
  /** Cancels about half of what waits for a server. */
  readonly cancelSome: (server: Server) => void;
}

interface Wish {
  readonly kind: string;
  readonly name: unknown;
  readonly expected: Identity;
  /** It has to be found while its server is well. */
  readonly certain: boolean;
}

interface Waiting {
  readonly cancel: () => void;
}

/** A call that takes longer hangs. */
const HANG_MS = 90_000;
const STUCK_CALLS = 6;
const ID_FORMS: readonly ((count: number) => unknown)[] = [
  (count) => count,
  (count) => String(count),
  (count) => -count,
  (count) => count + 0.5,
  (count) => `__proto__${count}`,
  (count) => `\u202e\u0000"${count}`,
  (count) => "i".repeat(300) + count,
];

export function createTraffic(fleet: Fleet, ledger: Ledger, wrongs: string[]): Traffic {
  let count = 0;
  let idCount = 0;
  const byKind = new Map<string, number>();
  const outcomes = new Map<string, number>();
  const waiting = new Map<string, Set<Waiting>>();

  const list = async (client: LoadClient): Promise<ReadonlyMap<string, Identity>> => {
    const { messages, status } = await client.send({
      id: `list ${++idCount}`,
      method: "tools/list",
      params: {},
    });
    const tools = messages.at(-1)?.result?.["tools"];
    if (Array.isArray(tools)) return ledger.read(client.profile, tools);
    wrongs.push(`${client.label}: no list came, HTTP ${status}: ${JSON.stringify(messages).slice(0, 300)}`);
    return new Map();
  };

  /**
   * A text that is made of one name may be another's own name since a moment ago, and then it is his (RES-1, step 1):
   * a list says so.
   */
  const isShownFor = async (
    client: LoadClient,
    text: unknown,
    by: Identity | undefined,
  ): Promise<boolean> => {
    if (by === undefined || typeof text !== "string") return false;
    await list(client);
    const owner =
      ledger.ownerOf(client.profile, text) ??
      ledger.ownerOf("openai", text) ??
      ledger.ownerOf("cursor", text);
    return owner !== undefined && isSame(owner, by);
  };

  const call = async (client: LoadClient, wish: Wish, chance: Chance): Promise<void> => {
    const { kind, name, expected } = wish;
    const server = fleet.serverOf(expected.server);
    const before = server.epoch;
    const wasWell = isWell(server, expected);
    count += 1;
    const nonce = `${count}-${chance.below(1e9).toString(36)}`;
    const id = ID_FORMS[count % ID_FORMS.length]?.(count) ?? count;
    const progressToken = chance.next() < 0.25 ? (chance.next() < 0.5 ? count : nonce) : undefined;
    const controller = new AbortController();
    let cancelled = false;
    const cancel = (): void => {
      cancelled = true;
      if (client.endsToCancel) controller.abort();
      else void client.notify("notifications/cancelled", { requestId: id });
    };
    const mine = { cancel };
    const there = waiting.get(server.id) ?? new Set();
    waiting.set(server.id, there.add(mine));
    const hang = setTimeout(() => {
      wrongs.push(`a call hangs: ${client.label} ${kind} ${JSON.stringify(name)}`);
      controller.abort();
    }, HANG_MS);
    const params = {
      name,
      arguments: { nonce },
      ...(progressToken === undefined ? {} : { _meta: { progressToken } }),
    };
    const came = client
      .send({ id, method: "tools/call", params, signal: controller.signal })
      .catch((error) => {
        if (!cancelled) wrongs.push(`${client.label} ${kind}: the request broke: ${String(error)}`);
        return { status: 0, messages: [] };
      });
    if (kind !== "sweep" && chance.next() < 0.02) setImmediate(cancel);
    const answer = await came;
    clearTimeout(hang);
    there.delete(mine);
    const judged: Judged = {
      id,
      nonce,
      expected,
      cancelled,
      ...(progressToken === undefined ? {} : { progressToken }),
    };
    let verdict = judge(judged, answer);
    if (verdict.kind === "misroute" && !wish.certain && (await isShownFor(client, name, verdict.by)))
      verdict = { kind: "right" };
    add(byKind, kind);
    add(outcomes, verdict.kind);
    const stayedWell = wasWell && server.epoch === before && isWell(server, expected);
    const wrong = wrongIn(verdict, wish, stayedWell);
    if (wrong !== undefined)
      wrongs.push(`${client.label} ${kind} ${JSON.stringify(name)} for ${keyOf(expected)}: ${wrong}`);
  };

  const choose = (
    client: LoadClient,
    shown: ReadonlyMap<string, Identity>,
    chance: Chance,
  ): Wish | undefined => {
    const { profile } = client;
    const [name, identity] = chance.pick([...shown]) ?? [];
    if (name === undefined || identity === undefined) return undefined;
    const own = (text: string, otherwise: Identity): Identity => ledger.ownerOf(profile, text) ?? otherwise;
    const kind = chance.next();
    if (kind < 0.45) return { kind: "public", name, expected: identity, certain: true };
    if (kind < 0.57) {
      const old = chance.pick(ledger.namesOf(profile)) ?? name;
      return { kind: "ever seen", name: old, expected: own(old, identity), certain: true };
    }
    if (kind < 0.7)
      return { kind: "canonical", name: canonicalOf(identity), expected: identity, certain: true };
    if (kind < 0.82) {
      const other = chance.pick(ledger.profiles()) ?? profile;
      const text = chance.pick(ledger.namesOf(other)) ?? name;
      const theirs = ledger.ownerOf(other, text) ?? identity;
      const beside = ledger.ownerOf("openai", text) ?? ledger.ownerOf("cursor", text) ?? theirs;
      return { kind: "other profile", name: text, expected: own(text, beside), certain: false };
    }
    if (kind < 0.92) {
      const bare = chance.next() < 0.8 ? name : (chance.pick(ledger.namesOf(profile)) ?? name);
      const text = `${chance.next() < 0.7 ? "mcp__onym__" : "mcp_onym_"}${bare}`;
      return { kind: "prefixed", name: text, expected: own(text, own(bare, identity)), certain: false };
    }
    if (client.isSdk) return undefined;
    const { server, raw } = identity;
    return { kind: "structured", name: { server, name: raw }, expected: identity, certain: true };
  };

  const sendNonsense = async (client: LoadClient, chance: Chance): Promise<void> => {
    count += 1;
    add(byKind, "nonsense");
    const { status, messages } = await client.sendText(nonsense(chance, client.era));
    const code = messages.at(-1)?.error?.code;
    const isClean = code !== undefined && [-32700, -32600, -32602, -32020].includes(code);
    add(outcomes, isClean ? "nonsense refused" : "unclean");
    if (!isClean)
      wrongs.push(`${client.label}: nonsense got HTTP ${status} ${JSON.stringify(messages).slice(0, 300)}`);
  };

  return {
    calls: () => count - (byKind.get("sweep") ?? 0),
    byKind,
    outcomes,
    list,
    async sweep(client) {
      const shown = [...(await list(client))];
      const chance = createChance(count);
      const next = async (): Promise<void> => {
        for (let each = shown.pop(); each !== undefined; each = shown.pop()) {
          const [name, expected] = each;
          await call(client, { kind: "sweep", name, expected, certain: true }, chance);
        }
      };
      const size = shown.length;
      await Promise.all(Array.from({ length: 8 }, next));
      return size;
    },
    async isAnswering(client, server) {
      const [raw] = server.tools.keys();
      if (raw === undefined) return true;
      const expected = { server: server.id, raw };
      const id = `probe ${++idCount}`;
      const params = { name: canonicalOf(expected), arguments: { nonce: id } };
      const came = await client.send({ id, method: "tools/call", params });
      return judge({ id, nonce: id, expected, cancelled: false }, came).kind === "right";
    },
    async work(client, seed, isOver) {
      const chance = createChance(seed);
      let shown: ReadonlyMap<string, Identity> = new Map();
      for (let turn = 0; !isOver(); turn += 1) {
        if (turn % 40 === 0) shown = await list(client);
        if (chance.next() < 0.02 && !client.isSdk) await sendNonsense(client, chance);
        const wish = choose(client, shown, chance);
        if (wish === undefined) continue;
        // Not everyone waits for a server that hangs.
        if ((waiting.get(wish.expected.server)?.size ?? 0) < STUCK_CALLS) await call(client, wish, chance);
        else await new Promise((resolve) => setImmediate(resolve));
      }
    },
    cancelSome(server) {
      for (const [index, { cancel }] of [...(waiting.get(server.id) ?? [])].entries())
        if (index % 2 === 0) cancel();
    },
  };
}

/** Up, in the config, and it has the tool: nothing stands between a call and its answer. */
function isWell(server: Server, { raw }: Identity): boolean {
  return server.troubles === 0 && server.present && server.tools.has(raw);
}

function wrongIn(verdict: Verdict, { certain }: Wish, stayedWell: boolean): string | undefined {
  if (verdict.kind === "misroute" || verdict.kind === "unclean") return `${verdict.kind}: ${verdict.why}`;
  const isRefused = ["unknown", "ambiguous", "down", "gone-there"].includes(verdict.kind);
  return isRefused && certain && stayedWell
    ? `refused (${verdict.kind}) although its server is well`
    : undefined;
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
