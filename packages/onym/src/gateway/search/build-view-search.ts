// The search of a view, built when first asked for.

import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { buildToolSearch, type ToolSearch } from "./build-tool-search.js";

export function buildViewSearch(snapshot: GatewaySnapshot): () => ToolSearch {
  let made: ToolSearch | undefined;
  return () => {
    made ??= buildToolSearch(
      snapshot.tools.catalog.tools.map(({ key, raw, canonical, server, toolbox, definition }) => ({
        key,
        names: [raw, canonical, server, toolbox ?? "", definition.title ?? ""],
        description: definition.description ?? "",
      })),
    );
    return made;
  };
}
