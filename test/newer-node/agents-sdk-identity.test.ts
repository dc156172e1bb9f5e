// The identity layers of the OpenAI Agents SDK's own objects, held against the SDK's own functions: thousands of tools,
// calls and sets of tools. Where both differ, the difference is one of those that docs/decisions/0039 lists.

import { approvalKeysOfCall, approvalKeysOfTool, isBareAliasAllowed } from "@onym/core/approvals";
import {
  buildToolSet,
  callIdOf,
  dispatchNameOfCall,
  dispatchNameOfTool,
  type FunctionTool,
  lookupKeyOfCall,
  lookupKeyOfTool,
  normalizeCall,
  qualifiedNameOf,
  resolveCall,
  traceNameOfCall,
  traceNameOfTool,
  validateToolSet,
} from "@onym/core/identity";
import { tool, toolNamespace } from "@openai/agents";
import { expect, it } from "vitest";

/** What the SDK does not export, as far as it is asked here. */
interface Sdk {
  readonly getFunctionToolQualifiedName: (tool: unknown) => string | undefined;
  readonly getFunctionToolDisplayName: (tool: unknown) => string | undefined;
  readonly getFunctionToolLookupKeyForTool: (tool: unknown) => string | undefined;
  readonly getFunctionToolStateKey: (tool: unknown) => string | undefined;
  readonly getFunctionToolStateKeys: (tool: unknown, available: readonly unknown[]) => readonly string[];
  readonly getToolCallQualifiedName: (call: unknown) => string | undefined;
  readonly getToolCallDisplayName: (call: unknown) => string | undefined;
  readonly getFunctionToolLookupKeyForCall: (call: unknown) => string | undefined;
  readonly getFunctionToolStateKeyForCall: (call: unknown) => string | undefined;
  readonly buildFunctionToolLookupMap: (tools: readonly unknown[]) => ReadonlyMap<string, unknown>;
  readonly resolveFunctionToolCall: (call: unknown, tools: ReadonlyMap<string, unknown>) => unknown;
  readonly getHostedMcpApprovalToolName: (name: string | undefined, call: unknown) => string | undefined;
  readonly getToolInvocationCallId: (call: unknown) => string | undefined;
}

const dist = (file: string): string =>
  new URL(`./node_modules/@openai/agents-core/dist/${file}`, import.meta.url).href;
const sdk: Sdk = {
  ...(await import(dist("toolIdentity.mjs"))),
  ...(await import(dist("toolInvocation.mjs"))),
};

/** One thing that both were asked. */
interface Case {
  readonly fact: string;
  readonly of: string;
  readonly subject: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
}

const NAMES = ["lookup", "crm", "get_leads", "__proto__", "constructor", "toString", "a b", "é", "a.b"];
const NAMESPACES = ["crm", "erp", "lookup", "a.b", "constructor"];
const DEFERRED = [undefined, false, true, "true", 1];

const makeTool = (name: string, deferLoading: unknown = false): FunctionTool =>
  tool({
    name,
    description: "Looks something up.",
    parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
    strict: false,
    deferLoading: deferLoading as boolean,
    execute: async () => "",
  }) as FunctionTool;
const inNamespace = (name: string, own: FunctionTool): FunctionTool[] => {
  try {
    return toolNamespace({ name, description: "Tools.", tools: [own as never] }) as FunctionTool[];
  } catch {
    // The SDK refuses a namespace that repeats the name of a tool in it.
    return [];
  }
};

/** Tools as the SDK makes them, and as programs that use it copy and write them. */
function tools(): readonly { readonly of: string; readonly tool: FunctionTool }[] {
  const made = NAMES.flatMap((name) => DEFERRED.map((deferred) => makeTool(name, deferred)));
  const spaced = made.flatMap((own) => NAMESPACES.flatMap((name) => inNamespace(name, own)));
  const symbols = Object.getOwnPropertySymbols(spaced[0]);
  // Only a program of its own gets past the check: the namespace repeats the name, or is no text.
  const forced = [...NAMES, "", 5, null].flatMap((namespace) =>
    ["lookup", "crm"].map((name) => ({ ...makeTool(name), [symbols[0] as symbol]: namespace })),
  );
  const plain = [...NAMES, "", 5, null, undefined].flatMap((name) =>
    DEFERRED.map((deferLoading) => ({ type: "function", name, deferLoading }) as unknown as FunctionTool),
  );
  const all: readonly (readonly [string, readonly FunctionTool[]])[] = [
    ["made", made],
    ["in a namespace", spaced],
    ["copied", [...made, ...spaced].map((own) => ({ ...own }))],
    ["with a namespace of its own making", forced],
    ["written by hand", plain],
    ["inherited", made.slice(0, 9).map((own) => Object.create(own) as FunctionTool)],
  ];
  return all.flatMap(([of, list]) => list.map((each) => ({ of: `a tool ${of}`, tool: each })));
}

function toolCases(): readonly Case[] {
  return tools().flatMap(({ of, tool: own }) => {
    const subject = { name: own.name, deferLoading: own.deferLoading, namespace: namespaceIn(own) };
    const add = (fact: string, ours: unknown, theirs: unknown): Case => ({ fact, of, subject, ours, theirs });
    return [
      add("qualifiedName", qualifiedNameOf(own), sdk.getFunctionToolQualifiedName(own)),
      add("lookupKey", lookupKeyOfTool(own), sdk.getFunctionToolLookupKeyForTool(own)),
      add("dispatchName", dispatchNameOfTool(own), sdk.getFunctionToolQualifiedName(own)),
      add("traceName", traceNameOfTool(own), sdk.getFunctionToolDisplayName(own)),
      add("approvalKey", approvalKeysOfTool(own)?.canonical, sdk.getFunctionToolStateKey(own)),
    ];
  });
}

/** Whatever is under the SDK's symbol, for those who read a difference. */
function namespaceIn(own: object): unknown {
  const symbol = Object.getOwnPropertySymbols(own).find(
    ({ description }) => description === "functionToolNamespace",
  );
  return symbol === undefined ? undefined : Reflect.get(own, symbol);
}

function callCases(): readonly Case[] {
  const names = [...NAMES, "", 5, null, undefined];
  const namespaces = [undefined, null, "", ...NAMESPACES, 5, ["crm"], {}];
  return names.flatMap((name) =>
    namespaces.flatMap((namespace) => {
      const call = { type: "function_call", callId: "c1", name, namespace, arguments: "{}" };
      const add = (fact: string, ours: unknown, theirs: unknown): Case => ({
        ...{ fact, of: "a call", subject: call, ours, theirs },
      });
      return [
        add("qualifiedName", qualifiedNameOf(call), sdk.getToolCallQualifiedName(call)),
        add("lookupKey", lookupKeyOfCall(call), sdk.getFunctionToolLookupKeyForCall(call)),
        add("dispatchName", dispatchNameOfCall(call), sdk.getToolCallDisplayName(call)),
        add("traceName", traceNameOfCall(call), sdk.getToolCallDisplayName(call)),
        add("approvalKey", approvalKeysOfCall(call)?.canonical, sdk.getFunctionToolStateKeyForCall(call)),
      ];
    }),
  );
}

const PROVIDER_DATA = [
  undefined,
  {},
  { id: "p1" },
  { id: "" },
  { id: 5 },
  { itemId: "m1" },
  { id: "p1", itemId: "m1" },
  { type: "mcp_call", id: "p1", server_label: "crm", name: "lookup" },
  { type: "mcp_approval_request", id: "p1", server_label: "crm", name: "lookup" },
  { type: "mcp_approval_request", id: "", itemId: "m1", server_label: "crm", name: "lookup" },
  { type: "mcp_approval_request", id: 5, itemId: "m1", server_label: "crm" },
  { type: "mcp_approval_request", serverLabel: "crm", name: "lookup" },
  { type: "mcp_approval_request", id: "p1", server_label: 5, name: "lookup" },
  { type: "mcp_approval_request", id: "p1", name: "lookup" },
  { id: "p1", server_label: "crm", name: "lookup" },
  { id: "p1", serverLabel: "crm", itemId: "m1" },
  { id: "p1", serverLabel: "crm" },
];

function callIdCases(): readonly Case[] {
  const types = ["function_call", "hosted_tool_call", "computer_call", "shell_call"];
  const callIds = [undefined, "c1", "", 5, null];
  const ids = [undefined, "i1", 7];
  return types.flatMap((type) =>
    callIds.flatMap((callId) =>
      ids.flatMap((id) =>
        PROVIDER_DATA.map((providerData): Case => {
          const given = { type, callId, id, providerData, name: "lookup" };
          const call = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
          const theirs = sdk.getToolInvocationCallId(call);
          return { fact: "callId", of: "a call", subject: call, ours: callIdOf(call), theirs };
        }),
      ),
    ),
  );
}

function hostedCases(): readonly Case[] {
  return ["lookup", "mcp_approval_request", "crm", "", undefined].flatMap((name) =>
    PROVIDER_DATA.map((providerData): Case => {
      const call = { type: "hosted_tool_call", id: "i1", name, providerData };
      const bare = sdk.getFunctionToolStateKeyForCall(call);
      const theirs = sdk.getHostedMcpApprovalToolName(bare, call);
      const ours = approvalKeysOfCall(call)?.canonical;
      return { fact: "approvalKey", of: "a hosted call", subject: call, ours, theirs };
    }),
  );
}

/** Tools that are easily taken for one another, in sets of up to four. */
function setCases(): readonly Case[] {
  const pool: readonly (readonly [string, FunctionTool])[] = [
    ["lookup", makeTool("lookup")],
    ["another lookup", makeTool("lookup")],
    ["deferred lookup", makeTool("lookup", true)],
    ["another deferred lookup", makeTool("lookup", true)],
    ["crm/lookup", inNamespace("crm", makeTool("lookup"))[0] as FunctionTool],
    ["crm/deferred lookup", inNamespace("crm", makeTool("lookup", true))[0] as FunctionTool],
    ["erp/lookup", inNamespace("erp", makeTool("lookup"))[0] as FunctionTool],
    ["crm.lookup", { ...makeTool("lookup"), name: "crm.lookup" }],
    ["crm", makeTool("crm")],
  ];
  const calls = [
    { name: "lookup" },
    { name: "lookup", namespace: "lookup" },
    { name: "lookup", namespace: "crm" },
    { name: "lookup", namespace: "erp" },
    { name: "lookup", namespace: "nowhere" },
    { name: "crm.lookup" },
    { name: "erp.lookup" },
    { name: "crm.lookup", namespace: "crm" },
    { name: "crm" },
    { name: "crm", namespace: "crm" },
    { name: "" },
  ];
  const labelOf = (found: unknown): string => pool.find(([, own]) => own === found)?.[0] ?? "nothing";
  return subsets(pool, 4).flatMap((set): Case[] => {
    const own = set.map(([, each]) => each);
    const named = set.map(([label]) => label);
    const accepted = attempt(() => sdk.buildFunctionToolLookupMap(own));
    const visible = buildToolSet(own);
    const findings = validateToolSet(own).map(({ code }) => code);
    const config: Case = {
      ...{ fact: "toolSet", of: "a set of tools", subject: named },
      ours: findings.length === 0 ? "accepted" : "refused",
      theirs: accepted === undefined ? "refused" : "accepted",
    };
    const aliases = own
      .filter((each) => Reflect.get(each, "deferLoading") === true)
      .map(
        (each): Case => ({
          ...{ fact: "bareAlias", of: "a deferred tool", subject: [labelOf(each), ...named] },
          ours: isBareAliasAllowed(each, visible),
          // A decision that was recorded under the bare name is the tool's.
          theirs: sdk.getFunctionToolStateKeys(each, own).includes(each.name),
        }),
      );
    const resolved = calls.flatMap((call): Case[] => {
      if (accepted === undefined) return [];
      const ours = resolveCall(call, visible);
      return [
        {
          ...{ fact: "resolve", of: "a set of tools", subject: { named, call } },
          ours:
            ours.outcome === "resolved"
              ? labelOf(ours.tool)
              : ours.outcome === "ambiguous"
                ? "ambiguous"
                : "nothing",
          theirs: labelOf(sdk.resolveFunctionToolCall(call, accepted)),
        },
      ];
    });
    return [config, ...aliases, ...resolved];
  });
}

function subsets<T>(items: readonly T[], most: number): readonly (readonly T[])[] {
  const [first, ...rest] = items;
  if (first === undefined) return [[]];
  const without = subsets(rest, most);
  return [...without, ...without.filter((set) => set.length < most).map((set) => [first, ...set])];
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Every way in which both differ, in the words of docs/decisions/0039, and how many cases of the grid show it. */
const DIFFERENCES: readonly {
  readonly kind: string;
  readonly cases: number;
  readonly shows: (each: Case) => boolean;
}[] = [
  {
    kind: "a tool whose namespace repeats its name has no key (ID-2)",
    cases: 6,
    shows: ({ of, subject, ours }) =>
      of.startsWith("a tool") && ours === undefined && field(subject, "namespace") === field(subject, "name"),
  },
  {
    kind: "what is only inherited is not read (SAFE-1)",
    cases: 45,
    shows: ({ of, ours }) => of === "a tool inherited" && ours === undefined,
  },
  {
    kind: "a namespace that is no text makes no bare call",
    cases: 135,
    shows: ({ of, subject, ours }) =>
      of === "a call" && ours === undefined && isOdd(field(subject, "namespace")),
  },
  {
    kind: "an empty id is none (ID-6)",
    cases: 224,
    shows: ({ fact, theirs }) => fact === "callId" && theirs === "",
  },
  {
    kind: "an id that is no text is none, and no other takes its place (ID-6)",
    cases: 234,
    shows: ({ fact, subject, ours, theirs }) =>
      fact === "callId" && ours === undefined && theirs !== "" && idsIn(subject).some(isOdd),
  },
  {
    kind: "a request to approve has no id but its own (ID-6)",
    cases: 1,
    shows: ({ fact, subject, ours, theirs }) =>
      fact === "callId" &&
      ours === undefined &&
      theirs !== "" &&
      !idsIn(subject).some(isOdd) &&
      isRequest(subject),
  },
  {
    kind: "a hosted request without a server or a name has no key (ID-4)",
    cases: 8,
    shows: ({ of, ours }) => of === "a hosted call" && ours === undefined,
  },
  {
    kind: "two tools with one qualified name are refused, dotted names included (ID-3)",
    cases: 67,
    shows: ({ fact, ours, theirs }) => fact === "toolSet" && ours === "refused" && theirs === "accepted",
  },
  {
    kind: "a call that two tools claim is ambiguous (ID-3)",
    cases: 69,
    shows: ({ fact, ours }) => fact === "resolve" && ours === "ambiguous",
  },
];

function field(subject: unknown, name: string): unknown {
  return Reflect.get(Object(subject), name);
}

function isOdd(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== "string";
}

function idsIn(call: unknown): readonly unknown[] {
  const data = field(call, "providerData");
  return [field(call, "callId"), field(call, "id"), field(data, "id"), field(data, "itemId")];
}

function isRequest(call: unknown): boolean {
  return field(field(call, "providerData"), "type") === "mcp_approval_request";
}

it("agrees with the SDK, but for the differences on record (ID-1) (ID-4) (ID-6)", () => {
  const all = [...toolCases(), ...callCases(), ...callIdCases(), ...hostedCases(), ...setCases()];
  const different = all.filter(({ ours, theirs }) => ours !== theirs);
  console.info(`the Agents SDK: ${all.length - different.length} of ${all.length} cases agree`);
  const kinds = different.map((each) =>
    DIFFERENCES.filter(({ shows }) => shows(each)).map(({ kind }) => kind),
  );
  expect(different.filter((_, index) => kinds[index]?.length !== 1)).toEqual([]);
  expect(DIFFERENCES.map(({ kind }) => [kind, kinds.filter(([own]) => own === kind).length])).toEqual(
    DIFFERENCES.map(({ kind, cases }) => [kind, cases]),
  );
});

it("shows a deferred tool of the SDK its call without the synthetic namespace (ID-7)", () => {
  const call = { type: "function_call", callId: "c1", name: "lookup", namespace: "lookup", arguments: "{}" };
  const { namespace: _, ...bare } = call;
  expect(normalizeCall(call, makeTool("lookup", true))).toEqual(bare);
  expect(normalizeCall(call, makeTool("lookup"))).toBe(call);
});
