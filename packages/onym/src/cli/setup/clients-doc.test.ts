// docs/clients.md is what `onym init --client` says of every client. After a change: vitest run clients-doc --update.

import { expect, it } from "vitest";
import { type Client, waysToRegister } from "../../clients/client.js";
import { showPlace } from "../../clients/client-paths.js";
import { CLIENTS } from "../../clients/find-client.js";
import { gatewayAddress } from "../../clients/gateway-address.js";
import { showWhere } from "./register-client.js";

const HEAD = `# Onym in your client

\`onym init --client ID\` prints this for your machine, with the path of your config in it; \`onym init --client\` lists the
ids. This page is made from the same source. Where Onym runs from a checkout and not from an installed package, it prints
\`node …/packages/onym/bin/onym.js\` for \`npx -y onym\`.

- \`APPDATA\` is \`~/Library/Application Support\` on macOS, \`%APPDATA%\` on Windows, \`~/.config\` on Linux. Files without a
  folder before them are in the project.
- On Windows write \`cmd\` with \`/c npx …\` for \`npx\`.
- Register Onym as \`onym\`. Under another name, say so: \`--as NAME\` after \`serve\`, or \`?as=NAME\` in the address. Clients
  put that name before the names of tools, and Onym leaves room for it.
- Where the client connects to an address, start Onym yourself: \`onym serve\`, or [once for all](getting-connected.md) with
  \`onym service install\`.
- \`onym connect ID\` does all of this: it shows the difference, asks, writes, keeps a backup, and \`--undo\` puts the files back
  ([what it moves and carries over](getting-connected.md)). By hand, take the servers that Onym is in front of out of the
  client's file, or it has their tools twice.
`;

it("docs/clients.md tells the same as onym init --client", async () => {
  const text = [HEAD, ...CLIENTS.map(formatClient)].join("\n");
  await expect(text).toMatchFileSnapshot("../../../../../docs/clients.md");
});

function formatClient(client: Client): string {
  const address = { alias: "onym", config: "/path/to/onym.json", platform: "linux" } as const;
  const ways = waysToRegister(client, gatewayAddress({ client: client.profile ?? client.id, ...address }));
  const blocks = ways.map((way) => {
    const where = way.kind === "write" ? `\`${showPlace(way.where ?? "")}\`` : way.where;
    const told = showWhere(where === undefined ? way : { ...way, where });
    return `${way.transport === "stdio" ? "stdio" : "HTTP"}, ${told}:\n\n\`\`\`${way.language}\n${way.text}\n\`\`\`\n`;
  });
  const remark = client.remark === undefined ? [] : [`${client.remark}\n`];
  const gone = client.retired === undefined ? [] : [`It is no longer offered: it ${client.retired}.\n`];
  const commands = client.entry === undefined ? "" : `\`onym connect ${client.id}\`, or by hand `;
  const others = client.files.slice(1).map((file) => `\`${showPlace(file.place)}\``);
  const also = others.length === 0 ? [] : [`Its servers may also be configured in ${others.join(", ")}.\n`];
  const source = `<small>[Source](${client.source}), ${client.checked ?? "not checked"}</small>\n`;
  return [
    `## ${client.title}\n`,
    `${commands}\`onym init --client ${client.id}\`\n`,
    ...gone,
    ...blocks,
    ...remark,
    ...also,
    source,
  ].join("\n");
}
