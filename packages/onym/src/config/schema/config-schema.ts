// The shape of a config file, in zod: checked when one is read, and written out as JSON Schema for editors (CFG-1).

import { NAMING_STYLES } from "@onym/core";
import * as z from "zod/mini";
import { LIMIT_TABLE } from "../limit-table.js";
import { DEFAULT_LIMITS } from "../limits.js";
import { about } from "./about.js";
import { authSection } from "./auth-schema.js";
import { profileEntries } from "./profile-schema.js";

const text = z.string();
const texts = z.array(text);
const wholeFromOne = z.int("a whole number from 1 up").check(z.gte(1, "a whole number from 1 up"));
const MAX_MS = 2_147_483_647;
const milliseconds = `a whole number from 0 to ${MAX_MS}`;
/** As long as a timer can be set: a longer one would fire at once. */
const wholeFromZero = z.int(milliseconds).check(z.gte(0, milliseconds), z.lte(MAX_MS, milliseconds));

const listedTool = z.looseObject({
  name: text.check(z.describe("The raw name, exactly as the server advertises it.")),
  version: about("Version of the tool inside its integration; 1 where it is not said.", wholeFromOne),
  title: z.optional(text),
  description: z.optional(text),
});

/** A list of tools, as `tools` of a server or as a file of its own. */
export const toolList = z.array(z.union([text, listedTool]));

/** Other keys are those of clients, which write one of this name. */
const oauthEntry = z.union(
  [
    z.boolean(),
    z.looseObject({
      clientId: about("The client that is registered for Onym; else Onym registers itself.", text),
      clientSecret: about("Its secret, as a variable; it needs an issuer.", text),
      issuer: about(
        "The only authorization server that may be used; else the one that the server names.",
        text,
      ),
      scopes: about("What to ask for; else what the server names.", z.union([text, texts])),
      callbackPort: about(
        "The port of http://127.0.0.1:PORT/callback, where the client is registered with one.",
        z.int("a port").check(z.gte(1, "a port"), z.lte(65_535, "a port")),
      ),
      grant: about(
        "authorization_code: somebody signs in (the default); client_credentials: the client itself.",
        z.enum(["authorization_code", "client_credentials"]),
      ),
    }),
  ],
  "true, false, or an object",
);

const envValue = z.union([text, z.number(), z.null()]);

/** A server entry as clients write it, and Onym's own keys. */
export const serverEntry = z.looseObject({
  command: about("The program to start.", text),
  args: about("Its arguments.", texts),
  env: about("Its environment.", z.record(text, envValue)),
  envFile: about("A file with more of it.", text),
  cwd: about("The folder to start it in, relative to the config; else a folder of its own.", text),
  isolation: about(
    "What keeps it from Onym's files: bubblewrap, or the words of a command to start it with; none by default.",
    z.union([z.enum(["none", "bubblewrap"]), texts], "none, bubblewrap, or a list of words"),
  ),
  url: about("The address of a server that runs already.", text),
  httpUrl: z.optional(text),
  serverUrl: z.optional(text),
  headers: about("HTTP headers to send with each request.", z.record(text, text)),
  oauth: about("How to sign in to it, where it asks for that; false: never.", oauthEntry),
  type: about("How to talk to it, such as stdio, http or sse.", text),
  disabled: about("Leaves the server out.", z.boolean()),
  integration: about(
    "What its canonical names start with, in lower-case kebab; else made from the id.",
    text,
  ),
  version: about("Version of the integration, from 1 up.", wholeFromOne),
  alias: about("Short form of the integration for flat names, such as sf.", text),
  formerly: about(
    "Ids that the server had before, the oldest first: its tools are those of the old id.",
    z.union([text, texts]),
  ),
  names: about("canonical: its raw names already are canonical names.", z.enum(["raw", "canonical"])),
  speaksFor: about(
    "The integrations that a server with canonical names may speak for; * for all of them.",
    texts,
  ),
  tools: about("Its tools, or a JSON file with them: a static catalog.", z.union([text, toolList])),
  toolFilters: about(
    "Which tools are shown: raw names or globs with * and ?; none for []; ! before one takes it out.",
    texts,
  ),
});

z.globalRegistry.add(serverEntry, { id: "server" });

const servers = z.record(text, serverEntry);

const toolbox = z.strictObject({
  description: about("What the toolbox is for.", text),
  mcpServers: about("The servers of the toolbox, by id.", servers),
  servers: z.optional(servers),
});

const naming = z.strictObject({
  style: about("What names look like before they are fitted.", z.enum(NAMING_STYLES)),
  as: about(
    "The name under which clients have registered the gateway.",
    text.check(z.minLength(1, "a text that is not empty")),
  ),
  aliases: about("Short forms of integrations.", z.record(text, text)),
  profile: about("The client or provider to name for; auto detects it.", text),
  pins: about("Public name → canonical name: names you insist on.", z.record(text, text)),
  references: about(
    "Whether mentions of tools in descriptions, instructions and prompts follow the names (default true).",
    z.boolean(),
  ),
  detect: about("Whether a client is recognised by what it says of itself (default true).", z.boolean()),
});

const rename = z.strictObject({
  from: text.check(z.describe("The old name.")),
  to: text.check(z.describe("Canonical name of the tool it leads to.")),
  until: about("The last day on which the old name works, YYYY-MM-DD.", z.iso.date("a day as YYYY-MM-DD")),
  since: about(
    "The version that the server announced when its tool was renamed; the window is counted in its major versions.",
    text.check(z.regex(/^[vV]?\d{1,9}(\.\d+)*([-+].*)?$/, "a version, such as 2.3.0")),
  ),
  majors: about("For how many whole major versions from since on the old name works.", wholeFromOne),
  policy: about("What happens to a call by the old name.", z.enum(["accept", "warn", "reject"])),
});

const flag = z.boolean();
const hints = z.strictObject({
  readOnlyHint: about("Changes nothing.", flag),
  destructiveHint: about("May destroy or overwrite something.", flag),
  idempotentHint: about("Calling it twice does no more than calling it once.", flag),
  openWorldHint: about("Reaches beyond a closed domain, such as the web.", flag),
});

const globs = z.union([text, texts]);
const effect = z.enum(["allow", "ask", "deny"]);
const rule = z.strictObject({
  effect,
  tool: about("Canonical names, with * and ?: salesforce@*/delete_*.", globs),
  resource: about("Addresses of resources as their server lists them, with * and ?: file:///work/*.", globs),
  prompt: about("Canonical names of prompts, with * and ?.", globs),
  server: about("Ids of servers, with * and ?.", globs),
  toolbox: about("Ids of toolboxes, with * and ?.", globs),
  caller: about("Who calls, with * and ?.", globs),
  annotations: about("What the tool may do.", hints),
  note: about("Why there is this rule; shown with what it decides.", text),
});

/** Who may call, read and fetch what (POL-1, POL-3, POL-9). */
export const policySection = z.strictObject({
  default: about("What holds where no rule does (default allow).", effect),
  rules: about("Rules on identities: deny beats ask beats allow, in any order.", z.array(rule)),
  annotations: about(
    "Canonical name, with * and ? → what such tools do, whatever they say of themselves.",
    z.record(text, hints),
  ),
  trusted: about(
    "Servers whose own annotations are believed.",
    z.array(z.union([text, z.strictObject({ server: text, toolbox: text })])),
  ),
  newTools: about(
    "What happens to tools that a server adds after it was first seen: allow (the default), ask, or deny.",
    z.enum(["allow", "ask", "deny"]),
  ),
  ask: about(
    "What happens to a call that must be asked about, where the client cannot ask its user.",
    z.strictObject({
      when: about("fail at once with how to approve (the default), or wait.", z.enum(["wait", "fail"])),
      waitMs: about("How long a call waits for a decision. Default 45000.", wholeFromZero),
    }),
  ),
});

const audit = z.strictObject({
  arguments: about("Whether arguments are kept, not only their digest (default false).", flag),
  retentionDays: about(
    "Days that records are kept; where it is not said, until maxBytes is reached.",
    wholeFromOne,
  ),
  maxBytes: about("Bytes that records may take; beyond, the oldest go. Default 1073741824.", wholeFromOne),
  anchor: about(
    "File outside of the store that the ends of its chains are written to, signed; by default in the user's state folder.",
    text,
  ),
  onFailure: about(
    "What happens to calls that cannot be recorded: deny (the default), or allow.",
    z.enum(["deny", "allow"]),
  ),
});

const onUnknown = z.union(
  [
    z.enum(["reject", "passthrough"]),
    z.strictObject({
      passthrough: text.check(z.describe("Id of the server that gets every unknown name.")),
      toolbox: about("The toolbox of that server, where several have one of this id.", text),
    }),
  ],
  '"reject" or {"passthrough": "SERVER"}',
);

/** A limit, with its default and what lies beyond it in what an editor shows. */
function limit(name: keyof typeof LIMIT_TABLE) {
  const { counts, beyond } = LIMIT_TABLE[name];
  const whole = name.endsWith("Ms") ? wholeFromZero : wholeFromOne;
  return about(`${counts} Default ${DEFAULT_LIMITS[name]}. Beyond: ${beyond}`, whole);
}

const limits = z.strictObject({
  requestBytes: limit("requestBytes"),
  frameBytes: limit("frameBytes"),
  listEntries: limit("listEntries"),
  entryBytes: limit("entryBytes"),
  listBytes: limit("listBytes"),
  serverBytes: limit("serverBytes"),
  startMs: limit("startMs"),
  listMs: limit("listMs"),
  callMs: limit("callMs"),
  drainMs: limit("drainMs"),
  sessions: limit("sessions"),
  sessionIdleMs: limit("sessionIdleMs"),
  pending: limit("pending"),
  streams: limit("streams"),
  callerSessions: limit("callerSessions"),
  callerStreams: limit("callerStreams"),
  callerPending: limit("callerPending"),
  callerQuestions: limit("callerQuestions"),
  callerAliases: limit("callerAliases"),
  callerRate: limit("callerRate"),
  connections: limit("connections"),
  connectionUnreadBytes: limit("connectionUnreadBytes"),
  callerUnreadBytes: limit("callerUnreadBytes"),
  unreadBytes: limit("unreadBytes"),
  unreadMs: limit("unreadMs"),
});

const mode = z.enum(["static", "dynamic", "proxy"]);

/** A whole config file. */
export const configFile = z.strictObject({
  $schema: z.optional(text),
  mcpServers: about("The servers by id, as Claude Desktop, Claude Code and Cursor write them.", servers),
  servers: about("The servers by id, as VS Code writes them.", servers),
  mcp: about(
    "The servers in the settings.json of VS Code.",
    z.looseObject({ servers: z.optional(servers), inputs: z.optional(z.array(z.looseObject({}))) }),
  ),
  inputs: about("What VS Code asks its user for.", z.array(z.looseObject({}))),
  toolboxes: about("Named groups of servers.", z.record(text, toolbox)),
  mode: about(
    "Whether tools are listed at once, when a toolbox is opened, or reached through use_tool.",
    mode,
  ),
  toolMode: about("As mode, in workbench files.", mode),
  naming: about("How tools are named.", naming),
  profiles: about(
    "Rules of clients and providers, by id: new ones, or corrections of built-in ones; or a JSON file with them.",
    z.union([text, profileEntries], "an object, or the path of a file"),
  ),
  renames: about("Old names that keep leading to their tools.", z.array(rename)),
  strict: about("Refuses tools whose names break the MCP specification, instead of warning.", z.boolean()),
  policy: about("Who may call what.", policySection),
  audit: about("The record of every call.", audit),
  onUnknown: about(
    "What happens to a call to an unknown name: reject, or passthrough to one server.",
    onUnknown,
  ),
  store: about("Where names, approvals and audit records are kept.", text),
  auth: about("Who may connect over HTTP.", authSection),
  limits: about("Limits on calls and connections.", limits),
  console: about(
    "The console at /: true (the default), read-only, or false.",
    z.union([z.boolean(), z.literal("read-only")], 'true, false or "read-only"'),
  ),
  metrics: about("Whether calls are counted and served at /metrics (default false).", z.boolean()),
});

export type ConfigFile = z.infer<typeof configFile>;
export type ServerEntry = z.infer<typeof serverEntry>;
