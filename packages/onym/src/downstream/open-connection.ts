// The opener for each kind of launch. Rare ones are loaded on demand.

import type { Launch } from "../model/launch.js";
import type { ConnectionContext, OpenedConnection } from "./connection.js";
import { openStdio } from "./stdio/open-stdio.js";

export async function openConnection(
  launch: Exclude<Launch, { readonly kind: "static" | "unusable" }>,
  context: ConnectionContext,
): Promise<OpenedConnection> {
  switch (launch.kind) {
    case "stdio":
      return openStdio(launch, context);
    case "http":
      return (await import("./http/open-http.js")).openHttp(launch, context);
    case "sse":
      return (await import("./http/open-sse.js")).openSse(launch, context);
  }
}
