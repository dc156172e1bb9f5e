// A server as every command and the log of `serve` show it: `crm`, and in a toolbox `dev / crm`.

import { escapeText, quoteText } from "@onym/core";

/** Whose tools are meant, as far as that goes. */
interface Labelled {
  readonly server: string;
  readonly toolbox?: string | undefined;
}

/** For tables: escaped, without quotes. */
export function serverLabel(owner: Labelled): string {
  return escapeText(plainLabel(owner));
}

/** For sentences. */
export function nameServer(owner: Labelled): string {
  return quoteText(plainLabel(owner));
}

/** One tool of a server, by its raw name: `dev / crm / get_leads`. */
export function toolLabel({ raw, ...owner }: Labelled & { readonly raw: string }): string {
  return escapeText(`${plainLabel(owner)} / ${raw}`);
}

function plainLabel({ server, toolbox }: Labelled): string {
  return toolbox === undefined ? server : `${toolbox} / ${server}`;
}
