// The text of `onym serve --help` below its options.

export const SERVE_HELP = `
Examples:
  onym serve                     on http://127.0.0.1:6696/mcp
  onym serve --stdio             for a client that starts its servers itself
  onym serve --port 0 --demo     a first look, with real servers
  onym init --client cursor      how to register Onym in a client

Listening on anything but localhost (--host 0.0.0.0), Onym asks for "auth" in the config: onym token NAME prints an entry for it.
Each client gets names that are valid there: /mcp detects it, /mcp/PROFILE and ?as=ALIAS say it.
The config is read again when it changes, and on SIGHUP.
Requests are traced where OTEL_EXPORTER_OTLP_ENDPOINT names a collector.`;
