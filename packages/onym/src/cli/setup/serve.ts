// onym serve: the gateway, over HTTP or over stdin and stdout.

import { quoteText } from "@onym/core";
import { InvalidArgumentError } from "commander";
import { isHostPattern } from "../../gateway/http/requests/read-request.js";
import { DEFAULT_HOST, DEFAULT_PORT } from "../../model/default-address.js";
import { type ServeOptions, serve } from "../../serve/serve.js";
import type { DefineCommand } from "../command.js";
import { addAliasOption, addProfileOption } from "../options.js";
import { usageError } from "../usage-error.js";

const HTTP_FLAGS = [
  ["host", "--host"],
  ["port", "--port"],
  ["allowUnauthenticated", "--allow-unauthenticated"],
] as const;

export const defineServe: DefineCommand = (command, { terminal, run, version }) => {
  command
    .option(
      "-c, --config <file>",
      "the config to read (default: onym.json, else a client's file here, else your own)",
    )
    .option("--stdio", "serve one client on standard input and output, instead of HTTP")
    .option(
      "--host <host>",
      'the address to listen on; others than loopback need "auth" in the config',
      DEFAULT_HOST,
    )
    .option("--port <number>", "the port to listen on; 0 picks a free one", readPort, DEFAULT_PORT)
    .option(
      "--allow-host <host...>",
      "host names that clients may use beside localhost and the address; * for any",
    )
    .option("--metrics", "count calls, and serve the counts at /metrics")
    .option(
      "--allow-unauthenticated",
      'serve everybody who can reach an address off loopback, without "auth" in the config',
    )
    .option("--demo", "where there is no config, serve a bundled demo of real servers")
    .option(
      "--deny-without-store",
      "where the store cannot be used, start all the same and refuse every call",
    )
    .option("--verbose", "log more, on stderr")
    .option("--log-json", "log as JSON, one object per line");
  addProfileOption(command, "give every client the names of this one (default: detected)");
  addAliasOption(command)
    .addHelpText("after", SERVE_HELP)
    .action((options: ServeOptions) =>
      run(async () => {
        for (const [option, flag] of HTTP_FLAGS)
          if (options.stdio === true && command.getOptionValueSource(option) === "cli")
            throw usageError(`--stdio and ${flag} do not go together.`, "Over stdio nothing listens.");
        const invalidHost = options.allowHost?.find((host) => !isHostPattern(host));
        if (invalidHost !== undefined)
          throw usageError(
            `--allow-host ${quoteText(invalidHost)} is no host.`,
            "Give a name such as onym.example.com, an address, or * for any host.",
          );
        return serve(options, terminal, version);
      }),
    );
};

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
}

const SERVE_HELP = `
Examples:
  onym serve                     on http://127.0.0.1:6696/mcp
  onym serve --stdio             for a client that starts its servers itself
  onym serve --port 0 --demo     a first look, with real servers
  onym init --client cursor      how to register Onym in a client

Listening on anything but localhost (--host 0.0.0.0), Onym asks for "auth" in the config: onym token NAME prints an entry for it.
Each client gets names that are valid there: /mcp detects it, /mcp/PROFILE and ?as=ALIAS say it.
The config is read again when it changes, and on SIGHUP.
Requests are traced where OTEL_EXPORTER_OTLP_ENDPOINT names a collector.`;
