// LIB-4 as a property: over random catalogs, adapters and options, with the lock handed on, a name that an adapter gave
// never leads to another tool.

import {
  buildSnapshot,
  EMPTY_LOCK,
  formatLock,
  type Lock,
  listProfiles,
  NAMING_STYLES,
  parseLock,
  type ToolSource,
} from "@onym/core";
import type { ToolBelt } from "@onym/core/adapters";
import { buildAiSdkAdapter } from "@onym/core/ai-sdk";
import { buildAnthropicAdapter } from "@onym/core/anthropic";
import { buildBedrockAdapter } from "@onym/core/bedrock";
import { buildGeminiAdapter } from "@onym/core/gemini";
import { buildLangChainAdapter } from "@onym/core/langchain";
import { buildOpenAIChatAdapter, buildOpenAIResponsesAdapter } from "@onym/core/openai";
import { buildMcpServerFacade, buildOpenAIAgentsAdapter } from "@onym/core/openai-agents";
import fc from "fast-check";
import { it } from "vitest";
import { isLong } from "../long-runs.js";
import { isThorough, lawRuns } from "./law-runs.js";
import { sources } from "./nasty.js";

type Input = Parameters<typeof buildOpenAIChatAdapter>[0];

interface Options {
  readonly adapter: string;
  readonly profile: string;
  readonly defer: "none" | "all";
  readonly reserves: boolean;
  readonly prefix: string;
  readonly hidden: number;
  readonly style: (typeof NAMING_STYLES)[number] | undefined;
}

interface Held {
  readonly belt: ToolBelt;
  readonly lock: () => Lock;
}

const run = async (): Promise<string> => "";

function build(input: Input, options: Options, reserved: readonly string[]): Held {
  const { adapter, profile, defer, prefix, hidden } = options;
  const shared = { reserved, visible: ({ raw }: { raw: string }) => raw.length % 7 !== hidden };
  if (adapter === "chat") return buildOpenAIChatAdapter(input, shared);
  if (adapter === "responses")
    return buildOpenAIResponsesAdapter(input, { ...shared, defer, namespaces: "server" });
  if (adapter === "agents") return buildOpenAIAgentsAdapter(input, { ...shared, run, defer });
  if (adapter === "facade") return buildMcpServerFacade(input, { ...shared, name: "o", callTool: run });
  if (adapter === "anthropic") return buildAnthropicAdapter(input, { ...shared, defer });
  if (adapter === "bedrock") return buildBedrockAdapter(input, shared);
  if (adapter === "gemini") return buildGeminiAdapter(input, shared);
  if (adapter === "ai-sdk") return buildAiSdkAdapter(input, { ...shared, defer, profile });
  return buildLangChainAdapter(input, { ...shared, profile, additionalToolNamePrefix: prefix });
}

const options: fc.Arbitrary<Options> = fc.record({
  adapter: fc.constantFrom(
    ...["chat", "responses", "agents", "facade", "anthropic", "bedrock", "gemini", "ai-sdk", "langchain"],
  ),
  profile: fc.constantFrom(...listProfiles().map(({ id }) => id)),
  defer: fc.constantFrom("none", "all"),
  reserves: fc.boolean(),
  prefix: fc.constantFrom("", "a", "sf"),
  hidden: fc.integer({ min: -1, max: 6 }),
  style: fc.option(fc.constantFrom(...NAMING_STYLES), { nil: undefined }),
});

/** Each turn of an agent: some of the servers, some options. */
const turns = fc.tuple(
  sources,
  fc.array(fc.record({ leaves: fc.array(fc.nat(7), { maxLength: 3 }), options }), {
    minLength: 2,
    maxLength: isThorough ? 4 : 5,
  }),
);

function handOn(lock: Lock): Lock {
  const read = parseLock(formatLock(lock));
  if (!read.ok) throw new Error(read.problem.message);
  return read.value;
}

it("a name that an adapter gave never leads to another tool, whatever options change (LIB-4)", () => {
  fc.assert(
    fc.property(turns, ([all, steps]) => {
      let lock = EMPTY_LOCK;
      const given = new Map<string, string>();
      for (const { leaves, options } of steps) {
        // A source that leaves takes its tools along; so does a tool that leaves its source.
        const present = all.flatMap((source, index): ToolSource[] => {
          if (leaves.includes(index)) return [];
          return [{ ...source, tools: source.tools.filter((_, at) => !leaves.includes(at + index)) }];
        });
        const { style } = options;
        const snapshot = buildSnapshot(present, { lock, ...(style === undefined ? {} : { style }) });
        const reserved = options.reserves ? [...given.keys()].slice(0, 2) : [];
        const held = build(snapshot, options, reserved);
        for (const { name, tool } of held.belt.tools) {
          const before = given.get(name);
          hold(before === undefined || before === tool.key, `${name} of ${before} is given to ${tool.key}`);
          given.set(name, tool.key);
        }
        for (const [name, key] of given) {
          const { key: meant } = held.belt.refer(name);
          hold(meant === undefined || meant === key, `${name} of ${key} is read as ${meant}`);
          const called = held.belt.call({ name, callId: "c", arguments: {} });
          if (called.outcome !== "call") continue;
          hold(called.tool.key === key, `${name} of ${key} runs ${called.tool.key}`);
        }
        lock = handOn(held.lock());
      }
    }),
    // Every turn makes the names of all profiles, which takes a hundred times as long as one table.
    isThorough ? lawRuns("dear") : { numRuns: isLong ? 500 : 150 },
  );
});

function hold(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
