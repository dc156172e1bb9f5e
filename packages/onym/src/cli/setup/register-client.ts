// onym init --client: how to register Onym in one client, and which clients there are.

import { resolve } from "node:path";
import { escapeText, quoteText } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import { type Client, remarkOf, type Way, waysToRegister } from "../../clients/client.js";
import { resolveFile } from "../../clients/client-paths.js";
import { CLIENTS, clientOf } from "../../clients/find-client.js";
import { gatewayAddress, ownProgram } from "../../clients/gateway-address.js";
import { runningAddresses } from "../../configured/running-addresses.js";
import { DEFAULT_PORT } from "../../model/default-address.js";
import { formatTable } from "../../output/format-table.js";
import type { ExitCode } from "../../output/show-error.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import { wrapText } from "../../output/wrap-text.js";

interface RegisterOptions {
  readonly as?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export async function listClients({ json }: RegisterOptions, terminal: Terminal): Promise<ExitCode> {
  const { paint } = terminal;
  if (json === true) {
    await writeJson(terminal, { clients: CLIENTS.map(({ id, title }) => ({ id, title })) });
    return 0;
  }
  const rows = CLIENTS.map(({ id, title }) => [{ text: id, style: "bold" as const }, title]);
  await terminal.out(`${formatTable(rows, paint).join("\n")}\n`);
  return 0;
}

export async function printRegistration(
  options: RegisterOptions & { readonly client: string },
  terminal: Terminal,
): Promise<ExitCode> {
  const client = clientOf(options.client);
  const alias = options.as ?? DEFAULT_ALIAS;
  const config = resolve(terminal.cwd, options.config ?? "onym.json");
  const { platform } = process;
  const machine = { platform, env: terminal.env, project: terminal.cwd };
  const [running] = await runningAddresses(config, terminal.env);
  const origin = running?.origin;
  const address = gatewayAddress({
    client: client.profile ?? client.id,
    alias,
    config,
    platform,
    origin,
    program: ownProgram(),
  });
  const ways = waysToRegister(client, address).map((way) => {
    const file = way.kind === "write" ? client.files[0] : undefined;
    return file === undefined ? way : { ...way, where: resolveFile(file, machine) };
  });
  if (options.json === true)
    await writeJson(terminal, {
      client: client.id,
      title: client.title,
      as: alias,
      ways,
      remark: remarkOf(client, { alias, file: undefined }),
    });
  else await terminal.out(`${formatRegistration({ client, alias, ways, origin }, terminal).join("\n")}\n`);
  return 0;
}

function formatRegistration(
  {
    client,
    alias,
    ways,
    origin,
  }: {
    readonly client: Client;
    readonly alias: string;
    readonly ways: readonly Way[];
    readonly origin: string | undefined;
  },
  { paint, columns }: Terminal,
): readonly string[] {
  const lines = [`${paint("bold", `Onym in ${client.title}`)}`];
  for (const transport of ["stdio", "http"] as const) {
    const own = ways.filter((way) => way.transport === transport);
    if (own.length === 0) continue;
    const about =
      transport === "stdio"
        ? "The client starts Onym"
        : `Onym runs already (${origin ?? `onym serve --port ${DEFAULT_PORT}`}), and the client connects to it`;
    lines.push("", ...wrapText(about, { columns }).map((line) => paint("cyan", line)));
    own.forEach((way, index) => {
      lines.push(`  ${index === 0 ? "" : "or "}${showWhere(way)}`, "", ...indented(way.text), "");
    });
    lines.pop();
  }
  return [...lines, "", ...notesOf(client, alias).flatMap((remark) => wrapText(remark, { columns }))];
}

/** What to do with the text of a way. */
export function showWhere({ kind, where = "" }: Way): string {
  if (kind === "run") return "run";
  return kind === "write" ? `add to ${where}` : `enter under ${where}`;
}

/** The alias is part of every name that the client makes, and Onym must know it to leave room. */
function notesOf(client: Client, alias: string): readonly string[] {
  const { retired } = client;
  const remark = remarkOf(client, { alias, file: undefined });
  const match =
    alias === DEFAULT_ALIAS
      ? `Register it as ${quoteText(alias)}; under another name, run this again with --as NAME, so that names fit.`
      : `It must be registered as ${quoteText(alias)}, as here: Onym fits its names to that.`;
  const gone = retired === undefined ? [] : [`It is no longer offered: it ${retired}.`];
  return [match, ...gone, ...(remark === undefined ? [] : [remark])];
}

function indented(text: string): readonly string[] {
  return text.split("\n").map((line) => `    ${escapeText(line)}`);
}
