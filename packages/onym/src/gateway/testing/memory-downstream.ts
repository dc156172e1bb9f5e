// A server in memory: the whole `Downstream` contract without a process. Tests define what it offers and
// answers.

import type {
  Downstream,
  DownstreamId,
  DownstreamRequest,
  DownstreamStatus,
  Inventory,
} from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import { type Reply, resultReply } from "../../mcp/message.js";
import type { Era } from "../../mcp/protocol.js";
import { type Launch, launchFingerprint } from "../../model/launch.js";

export interface MemoryDownstream extends Downstream {
  status: DownstreamStatus;
  inventory: Inventory | undefined;
  readonly asked: DownstreamRequest[];
  readonly notified: string[];
  /** Sets the status once `start` was called too. */
  readonly come: (status: DownstreamStatus) => void;
  closed: number;
}

export interface MemoryOptions {
  readonly server?: string;
  readonly toolbox?: string;
  readonly era?: Era;
  readonly launch?: Launch;
  readonly answer?: (request: DownstreamRequest) => Promise<Reply> | Reply;
}

export const READY: DownstreamStatus = { kind: "ready", era: "legacy", revision: "2025-11-25" };

export function failedStatus(attempt: number): DownstreamStatus {
  return { kind: "failed", attempt, reason: "it does not run", hint: "Start it.", retryAt: 0 };
}

export function buildInventory(offer: Partial<Inventory> = {}): Inventory {
  return {
    capabilities: {},
    serverInfo: {},
    instructions: undefined,
    tools: [],
    resources: [],
    templates: [],
    prompts: [],
    problems: [],
    ...offer,
  };
}

export function toolsNamed(...names: readonly string[]): readonly JsonObject[] {
  return names.map((name) => ({ name, description: `Does ${name}`, inputSchema: { type: "object" } }));
}

export function createMemoryDownstream(
  offer: Partial<Inventory> | undefined,
  options: MemoryOptions = {},
): MemoryDownstream {
  const { server = "fs", toolbox, era = "legacy", answer = () => resultReply({ content: [] }) } = options;
  const id: DownstreamId = { server, toolbox };
  let endFirstAttempt = (): void => {};
  const firstAttempt = new Promise<void>((resolve) => {
    endFirstAttempt = resolve;
  });
  const downstream: MemoryDownstream = {
    id,
    launch: options.launch ?? { kind: "stdio", command: server, args: [], env: new Map(), cwd: "/" },
    get fingerprint() {
      return launchFingerprint(downstream.launch);
    },
    status: offer === undefined ? { kind: "idle" } : READY,
    inventory: offer === undefined ? undefined : buildInventory(offer),
    asked: [],
    notified: [],
    closed: 0,
    start() {
      if (downstream.status.kind === "idle") downstream.status = { kind: "starting", attempt: 1 };
    },
    down: undefined,
    resume: () => {},
    firstAttempt,
    come(status) {
      downstream.status = status;
      if (status.kind === "ready") downstream.inventory ??= buildInventory();
      endFirstAttempt();
    },
    eraFor: () => era,
    async send(request) {
      downstream.asked.push(request);
      return answer(request);
    },
    notify: (method) => void downstream.notified.push(method),
    async close() {
      downstream.closed += 1;
      downstream.status = { kind: "closed" };
      endFirstAttempt();
    },
  };
  if (offer !== undefined) endFirstAttempt();
  return downstream;
}
