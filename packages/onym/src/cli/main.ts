// The command line: which commands exist.

import type { ExitCode } from "../output/show-error.js";
import type { Terminal } from "../output/terminal.js";
import type { CommandEntry } from "./command.js";
import { runCommands } from "./run-commands.js";
import { SERVE } from "./setup/serve-entry.js";

const COMMANDS: readonly CommandEntry[] = [
  { ...SERVE, load: async () => (await import("./setup/serve.js")).defineServe },
  {
    name: "status",
    group: "Setting up",
    summary: "the gateway that runs now: servers, calls, approvals waiting, clients, lock and store",
    load: async () => (await import("./setup/status.js")).defineStatus,
  },
  {
    name: "init",
    group: "Setting up",
    summary: "a first config from the clients on this machine; how to register Onym in them",
    load: async () => (await import("./setup/init.js")).defineInit,
  },
  {
    name: "connect",
    group: "Setting up",
    summary: "registers Onym in a client, with its servers and permissions; --undo restores everything",
    load: async () => (await import("./setup/connect/connect.js")).defineConnect,
  },
  {
    name: "service",
    group: "Setting up",
    summary: "one gateway for all your clients, in the background",
    load: async () => (await import("./setup/service/service.js")).defineService,
  },
  {
    name: "add",
    group: "Servers",
    summary: "adds a server to your config, and shows what its tools will be called",
    load: async () => (await import("./setup/servers/add.js")).defineAdd,
  },
  {
    name: "list",
    group: "Servers",
    summary: "the servers of your config",
    load: async () => (await import("./setup/servers/list.js")).defineList,
  },
  {
    name: "remove",
    group: "Servers",
    summary: "takes a server out of your config",
    load: async () => (await import("./setup/servers/change-server.js")).defineRemove,
  },
  {
    name: "enable",
    group: "Servers",
    summary: "switches a server of your config on again",
    load: async () => (await import("./setup/servers/change-server.js")).defineEnable,
  },
  {
    name: "disable",
    group: "Servers",
    summary: "switches a server of your config off, and keeps it",
    load: async () => (await import("./setup/servers/change-server.js")).defineDisable,
  },
  {
    name: "import",
    group: "Setting up",
    summary: "a config from another tool's, with the names it used",
    load: async () => (await import("./setup/import.js")).defineImport,
  },
  {
    name: "trust",
    group: "Setting up",
    summary: "shows what a config found in this folder starts, and trusts it",
    load: async () => (await import("./setup/trust.js")).defineTrust,
  },
  {
    name: "doctor",
    group: "Setting up",
    summary: "what is wrong with the setup, and how to fix it",
    load: async () => (await import("./setup/doctor.js")).defineDoctor,
  },
  {
    name: "completion",
    group: "Setting up",
    summary: "makes bash, zsh or fish complete commands, flags and names",
    load: async () => (await import("./setup/completion/completion.js")).defineCompletion(COMMANDS),
  },
  {
    name: "names",
    group: "Names",
    summary: "the name of every tool in one client or provider",
    load: async () => (await import("./names/names.js")).defineNames,
  },
  {
    name: "resolve",
    group: "Names",
    summary: "which tool a name leads to",
    load: async () => (await import("./names/resolve.js")).defineResolve,
  },
  {
    name: "explain",
    group: "Names",
    summary: "how a name was resolved, what the tool is, and its name everywhere",
    load: async () => (await import("./names/explain.js")).defineExplain,
  },
  {
    name: "matrix",
    group: "Names",
    summary: "tools × clients: the name each client shows",
    load: async () => (await import("./names/matrix/matrix.js")).defineMatrix,
  },
  {
    name: "lint",
    group: "Names",
    summary: "names that clients and providers refuse, change or confuse",
    load: async () => (await import("./names/lint/lint.js")).defineLint,
  },
  {
    name: "profiles",
    group: "Names",
    summary: "the rules of clients and providers, with their sources",
    load: async () => (await import("./names/profiles.js")).defineProfiles,
  },
  {
    name: "lock",
    group: "Names over time",
    summary: "records the names given out, so that none ever moves",
    load: async () => (await import("./names/lock/lock.js")).defineLock,
  },
  {
    name: "diff",
    group: "Names over time",
    summary: "names added, kept, retired and moved between two locks or configs",
    load: async () => (await import("./names/lock/diff.js")).defineDiff,
  },
  {
    name: "renames",
    group: "Names over time",
    summary: "old names: how long they work, who still calls them, and likely renames",
    load: async () => (await import("./names/lock/renames.js")).defineRenames,
  },
  {
    name: "migrate",
    group: "Names over time",
    summary: "from one naming to another: table, aliases, guide, allow lists, source tree",
    load: async () => (await import("./names/migrate/migrate.js")).defineMigrate,
  },
  {
    name: "policy",
    group: "Decisions and records",
    summary: "which rule decides about a call, and letting new tools in",
    load: async () => (await import("./decisions/policy.js")).definePolicy,
  },
  {
    name: "approvals",
    group: "Decisions and records",
    summary: "what waits for a decision, and what was decided",
    load: async () => (await import("./decisions/approvals.js")).defineApprovals,
  },
  {
    name: "approve",
    group: "Decisions and records",
    summary: "shows what a tool is and what has changed, and approves exactly that",
    load: async () => (await import("./decisions/approve.js")).defineApprove,
  },
  {
    name: "deny",
    group: "Decisions and records",
    summary: "rejects what waits for a decision",
    load: async () => (await import("./decisions/deny.js")).defineDeny,
  },
  {
    name: "revoke",
    group: "Decisions and records",
    summary: "takes a decision back",
    load: async () => (await import("./decisions/revoke.js")).defineRevoke,
  },
  {
    name: "audit",
    group: "Decisions and records",
    summary: "the record of calls: look, verify, export, prune",
    load: async () => (await import("./audit/audit.js")).defineAudit,
  },
  {
    name: "store",
    group: "Decisions and records",
    summary: "makes a copy of the store, which can be restored",
    load: async () => (await import("./store/store.js")).defineStore,
  },
  {
    name: "token",
    group: "Signing in",
    summary: "a new token for a client that connects over HTTP",
    load: async () => (await import("./setup/token.js")).defineToken,
  },
  {
    name: "login",
    group: "Signing in",
    summary: "signs in to a server that asks for it",
    load: async () => (await import("./sign-in/login.js")).defineLogin,
  },
  {
    name: "logout",
    group: "Signing in",
    summary: "forgets a sign-in, and revokes it at the server that gave it",
    load: async () => (await import("./sign-in/logout.js")).defineLogout,
  },
];

/** Runs one command line, without the program's own name: `["names", "--profile", "openai"]`. */
export function main(args: readonly string[], terminal: Terminal, version: string): Promise<ExitCode> {
  return runCommands(COMMANDS, { args, terminal, version });
}
