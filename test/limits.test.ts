// Every limit has a test that goes up to it: one below, at and one above. Such a test cites it, as others cite requirements, so that
// a limit cannot be added without one: `(limits.NAME)` for one of a config, `(limits: NAME of FILE)` for one that is fixed.
// docs/limits.md has what is fixed.

import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../packages/onym/src/config/limits.js";
import { listFiles, listPackages, readProjectFile } from "./project-files.js";

const CITATION = /\(limits(?:\.(\w+)|: (\w+ of [\w-]+))\)/g;
/** Where one test ends and the next begins. */
const TESTS = /^ *(?=it(?:\.\w+)*\()/m;
const STEPS = [/\bone below\b/, /\bat\b/, /\bone above\b/];

/** What no test goes up to step by step, and why; the test that cites it does what can be done. */
const STEPLESS: ReadonlyMap<string, string> = new Map([
  [
    "DEFAULT_AUDIT_BYTES of policy-config",
    "the default of `audit.maxBytes`, a gigabyte: its test sees that it is in force, and the contract of stores goes up to a smaller one",
  ],
]);

const cited = findCitations();

describe("a limit", () => {
  it("is gone up to by a test: one below, at and one above (SAFE-4, SAFE-5)", () => {
    const tested = cited.filter(
      ({ name, test }) => STEPLESS.has(name) || STEPS.every((step) => step.test(test)),
    );
    const names = new Set(tested.map(({ name }) => name));
    expect(limitNames().filter((name) => !names.has(name))).toEqual([]);
  });

  it("is one that there is, where a test cites it", () => {
    const known = new Set(limitNames());
    const unknown = cited.filter(({ name }) => !known.has(name));
    expect(unknown.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
    expect([...STEPLESS.keys()].filter((name) => !known.has(name))).toEqual([]);
  });

  it("is cited by a name that no other has", () => {
    expect(new Set(limitNames()).size).toBe(limitNames().length);
  });
});

function limitNames(): readonly string[] {
  const fixed = FIXED.map(([file, name]) => `${name} of ${basename(file, ".ts")}`);
  return [...Object.keys(DEFAULT_LIMITS), ...fixed];
}

function findCitations() {
  const folders = [...listPackages().map((folder) => `${folder}/src`), "test"];
  return folders
    .flatMap((folder) => listFiles(folder, ".test.ts"))
    .filter((file) => file !== "test/limits.test.ts")
    .flatMap((file) =>
      readProjectFile(file)
        .split(TESTS)
        .map((test) => ({ file, test })),
    )
    .flatMap(({ file, test }) =>
      [...test.matchAll(CITATION)].map(([, config, fixed]) => ({ file, test, name: config ?? fixed ?? "" })),
    );
}

// A pin of what is fixed: where it is in the sources, by which name, and how the page says it.
const FIXED: readonly (readonly [file: string, name: string, row: string, unit: string])[] = [
  ["core/src/catalog/read-listed-tools.ts", "MAX_NAME_BYTES", "the name of a tool", "bytes"],
  ["onym/src/gateway/calls/resolve-tool.ts", "MAX_NAME_LENGTH", "the name in a call", "characters"],
  ["onym/src/gateway/calls/call-audit.ts", "MAX_RECORDED_LENGTH", "a name on record", "characters"],
  [
    "onym/src/gateway/resources/match-template.ts",
    "MAX_TEMPLATE_LENGTH",
    "the text of a URI template",
    "bytes",
  ],
  ["onym/src/downstream/inventory/list-inventory.ts", "MAX_PAGES", "pages of one list", "pages"],
  ["onym/src/downstream/inventory/list-inventory.ts", "MAX_CURSOR_BYTES", "a cursor of", "bytes"],
  ["onym/src/downstream/inventory/read-page.ts", "MAX_ENTRY_VALUES", "JSON values in one entry", "values"],
  ["onym/src/gateway/resources/index-templates.ts", "MAX_STEPS", "an address compared", "steps"],
  [
    "onym/src/gateway/resources/resource-subscriptions.ts",
    "MAX_SUBSCRIPTIONS",
    "resources that",
    "resources",
  ],
  [
    "onym/src/gateway/resources/followers.ts",
    "MAX_CALLER_SUBSCRIPTIONS",
    "resources that one caller",
    "resources",
  ],
  [
    "onym/src/gateway/resources/listener-subscriptions.ts",
    "MAX_STARTING",
    "resources of one caller w",
    "resources",
  ],
  ["onym/src/gateway/choose-profile.ts", "MAX_ALIASES", "aliases", "aliases"],
  ["onym/src/gateway/view/resource-updates.ts", "MAX_WAITING_UPDATES", "updates of resources", "updates"],
  ["onym/src/gateway/auth/issuer-keys.ts", "MAX_BYTES", "key sets", "bytes"],
  ["onym/src/oauth/protocol/fetch-json.ts", "MAX_BYTES", "metadata", "bytes"],
  [
    "onym/src/oauth/protocol/ask-for-tokens.ts",
    "MAX_TOKEN_LENGTH",
    "a token of an authorization",
    "characters",
  ],
  ["onym/src/downstream/find-secrets.ts", "MAX_COMPARED", "secrets that a text of", "secrets"],
  ["onym/src/downstream/inventory/relisting.ts", "MAX_PAUSE_MS", "the pause before a server", "ms"],
  ["onym/src/downstream/backoff.ts", "MAX_FALLS", "a server that was up", "times"],
  ["onym/src/gateway/toolboxes/start-pace.ts", "QUICK_STARTS", "starts of a toolbox", "times"],
  ["onym/src/downstream/gate/request-gate.ts", "MAX_FAILURES", "failed requests", "requests"],
  ["onym/src/downstream/stdio/open-stdio.ts", "MAX_UNREAD_BYTES", "bytes that a stdio server", "bytes"],
  ["onym/src/downstream/gate/fair-queue.ts", "TURN_BYTES", "bytes of the arguments of a re", "bytes"],
  ["onym/src/downstream/gate/fair-queue.ts", "MAX_WAITING_BYTES", "bytes of arguments of one c", "bytes"],
  ["onym/src/downstream/gate/fair-queue.ts", "CALLER_IN_FLIGHT", "requests of one caller in f", "requests"],
  ["onym/src/downstream/gate/fair-queue.ts", "SHARED_MS", "how long ago another caller", "ms"],
  ["onym/src/downstream/gate/fair-queue.ts", "QUIET_MS", "how long a caller with all", "ms"],
  ["onym/src/downstream/gate/fair-queue.ts", "GIVEN_UP_MS", "how long a request counts", "ms"],
  ["onym/src/store/session.ts", "BUSY_TIMEOUT_MS", "waiting for a store", "ms"],
  ["onym/src/store/sqlite/audit-connection.ts", "RESERVE_BYTES", "room that is left", "bytes"],
  ["onym/src/config/sections/policy-config.ts", "DEFAULT_AUDIT_BYTES", "the audit", "bytes"],
  ["core/src/catalog/build-catalog.ts", "MAX_GONE", "tools on record that one serve", "tools"],
  [
    "onym/src/gateway/resources/match-template.ts",
    "MAX_URI_LENGTH",
    "the address of a resource",
    "characters",
  ],
  [
    "onym/src/gateway/sessions/create-callers.ts",
    "MAX_INTRODUCTION_LENGTH",
    "what a client says of itself (",
    "characters",
  ],
  [
    "onym/src/gateway/sessions/edge-callers.ts",
    "CALLER_REQUESTS",
    "bytes of the requests of one c",
    "times `requestBytes`",
  ],
  [
    "onym/src/gateway/sessions/edge-callers.ts",
    "ALL_REQUESTS",
    "bytes of the requests of all c",
    "times `requestBytes`",
  ],
  [
    "onym/src/gateway/forward/suspended-calls.ts",
    "MAX_OPEN_REQUESTS",
    "questions of a server that are",
    "questions",
  ],
  [
    "onym/src/gateway/forward/suspended-calls.ts",
    "MAX_REQUESTS_LENGTH",
    "the text of these questions to",
    "characters",
  ],
  [
    "onym/src/downstream/protocol/server-requests.ts",
    "MAX_PARAMS_LENGTH",
    "the params of any question of ",
    "characters",
  ],
  [
    "onym/src/downstream/protocol/server-requests.ts",
    "MAX_OPEN_LENGTH",
    "the params of all open questio",
    "characters",
  ],
  ["onym/src/mcp/message.ts", "MAX_ID_LENGTH", "the id of a request", "characters"],
  ["onym/src/mcp/message.ts", "MAX_PARAMS_MEMBERS", "members of the `params`", "members"],
  ["onym/src/mcp/message.ts", "MAX_META_MEMBERS", "members of the `_meta`", "members"],
  ["onym/src/mcp/message.ts", "MAX_META_LENGTH", "the JSON of the `_meta`", "characters"],
  ["onym/src/store/store-errors.ts", "MAX_CALLER_WAITING", "approval requests of one c", "requests"],
  ["onym/src/store/store-errors.ts", "MAX_WAITING", "approval requests of all c", "requests"],
  ["onym/src/console/api/stream-calls.ts", "MAX_PAGES", "pages of the console that one c", "pages"],
  [
    "onym/src/gateway/sessions/read-queue.ts",
    "MAX_CALLER_READS",
    "reads of the console and of the status at",
    "reads",
  ],
  [
    "onym/src/gateway/sessions/read-queue.ts",
    "MAX_READS",
    "reads of the console and of the status that",
    "reads",
  ],
  ["onym/src/console/api/approvals.ts", "MAX_PENDING", "approvals that wait", "approvals"],
  ["onym/src/console/api/approvals.ts", "MAX_DEFINITION_BYTES", "bytes of definitions that", "bytes"],
  [
    "onym/src/gateway/http/create-session-table.ts",
    "REPLAY_SESSIONS",
    "sessions of one caller that ke",
    "sessions",
  ],
  [
    "onym/src/downstream/protocol/pace.ts",
    "OPEN_FRAMES",
    "bytes of messages that a serve",
    "times `frameBytes`",
  ],
  ["onym/src/downstream/http/http-delivery.ts", "MAX_DISCARDS", "bodies of a server over HTTP", "bodies"],
  ["onym/src/mcp/framing/sse-reader.ts", "LINES_AS_ONE", "lines of an event stream", "lines"],
  ["onym/src/downstream/http/post-queue.ts", "MAX_POSTS", "replies and notifications that", "messages"],
  [
    "onym/src/gateway/forward/label-server-requests.ts",
    "MAX_MESSAGE",
    "the text with which a server",
    "characters",
  ],
  [
    "onym/src/downstream/protocol/progress-relay.ts",
    "MAX_PROGRESS",
    "messages of the progress of on",
    "messages",
  ],
  [
    "onym/src/gateway/http/guard-connections.ts",
    "MAX_PIPELINED",
    "pipelined requests on one conn",
    "requests",
  ],
  ["onym/src/gateway/http/guard-connections.ts", "MAX_AHEAD_UNITS", "work of the requests that wa", "units"],
  ["onym/src/gateway/http/guard-connections.ts", "MAX_TARGET_LENGTH", "the path of a request", "characters"],
  [
    "onym/src/gateway/http/guard-connections.ts",
    "MAX_SMALL_PIECES",
    "pieces (chunks or packets) of",
    "pieces",
  ],
  ["onym/src/gateway/http/guard-connections.ts", "MIN_PIECE_BYTES", "the average of more pieces", "bytes"],
  ["onym/src/gateway/http/requests/read-request.ts", "MAX_TYPE_LENGTH", "an Accept or", "characters"],
  [
    "onym/src/gateway/http/turn-budget.ts",
    "RESUMED_PER_TURN",
    "connections that are read agai",
    "connections",
  ],
  [
    "onym/src/gateway/http/requests/read-client-batch.ts",
    "BATCH_MESSAGES",
    "messages in a batch of a clien",
    "messages",
  ],
  ["onym/src/gateway/sessions/answer-batch.ts", "MAX_BATCH_BYTES", "answers to one batch", "bytes"],
  ["onym/src/downstream/protocol/read-batch.ts", "MAX_BATCH", "messages in a batch of a serve", "messages"],
  ["onym/src/mcp/json.ts", "MAX_DEPTH", "levels of nesting", "levels"],
  [
    "onym/src/mcp/fast-path/parse-large.ts",
    "MAX_CLIENT_VALUES",
    "JSON values in one message of a client",
    "values",
  ],
  ["onym/src/mcp/fast-path/parse-large.ts", "MAX_VALUES", "JSON values in one message of a server", "values"],
  ["onym/src/mcp/fast-path/parse-large.ts", "MAX_READ_BYTES", "bytes of these values", "bytes"],
  ["onym/src/mcp/fast-path/parse-large.ts", "MAX_ESCAPES", "escapes in them, where they ha", "escapes"],
  ["onym/src/gateway/listing/repair-entry.ts", "MAX_PROPERTY_ESCAPES", "property escapes", "escapes"],
  ["onym/src/mcp/fast-path/scan.ts", "MAX_SCANNED", "JSON values in the arguments o", "values"],
  ["onym/src/mcp/fast-path/scan-scalars.ts", "MAX_DIGITS", "digits of a number in a result", "digits"],
  ["onym/src/mcp/fast-path/scan.ts", "MAX_MEMBERS", "members of a result of more th", "members"],
  [
    "onym/src/gateway/references/find-references.ts",
    "MAX_TEXT_MENTIONS",
    "mentions of tools in one text ",
    "mentions",
  ],
  [
    "onym/src/gateway/references/find-references.ts",
    "MAX_MENTIONS",
    "mentions of tools in the texts",
    "mentions",
  ],
  ["onym/src/gateway/listing/tool-lists.ts", "MAX_LIST_BYTES", "bytes of lists of tools", "bytes"],
  [
    "onym/src/gateway/toolboxes/tool-summaries.ts",
    "MAX_SHOWN_LENGTH",
    "tools that one answer of `open",
    "characters",
  ],
  ["onym/src/downstream/stdio/bubblewrap.ts", "MAX_ENTRIES", "entries of folders with", "entries"],
  ["onym/src/config/files/read-text-file.ts", "MAX_CONFIG_BYTES", "a config that was only found", "bytes"],
];

it("is in docs/limits.md as it is in the sources, where it is fixed (SAFE-4)", () => {
  const [table = ""] = /^\| what {2}.*\n(?:\|.*\n)+/m.exec(readProjectFile("docs/limits.md")) ?? [];
  const rows = table
    .trimEnd()
    .split("\n")
    .slice(2)
    .map((line) => line.split("|").map((cell) => cell.trim()));
  expect(rows.map(([, what = ""], at) => what.startsWith(FIXED[at]?.[2] ?? "?"))).toEqual(
    FIXED.map(() => true),
  );
  const limits = FIXED.map(
    ([file, name, , unit]) => `${constantIn(file, name).toLocaleString("en")} ${unit}`,
  );
  expect(rows.map(([, , limit]) => limit)).toEqual(limits);
});

/** The value of `const NAME = 16 * 1_024;` */
function constantIn(file: string, name: string): number {
  const [, value = ""] =
    new RegExp(`^(?:export )?const ${name} = ([\\d_* ]+);`, "m").exec(readProjectFile(`packages/${file}`)) ??
    [];
  return value.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
}
