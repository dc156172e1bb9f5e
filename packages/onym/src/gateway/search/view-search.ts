// `find_tools` in one view. The index is built at the first search, between other requests, as is every search (SAFE-4).

import type { Tool } from "@onym/core";
import { runInSlices, type SlicedFor } from "../../model/run-slices.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { type SearchOptions, type ToolSearch, toolSearchSteps } from "./build-tool-search.js";

export type ViewSearch = (query: string, options?: ViewSearchOptions) => Promise<readonly Tool[]>;

interface ViewSearchOptions extends SearchOptions<Tool> {
  readonly whom?: SlicedFor;
}

export function createViewSearch({ tools, ownerOf }: Pick<GatewaySnapshot, "tools" | "ownerOf">): ViewSearch {
  let made: Promise<ToolSearch<Tool>> | undefined;
  return async (query, { whom, ...options } = {}) => {
    made ??= runInSlices(
      toolSearchSteps(tools.catalog.tools, (tool) => ({
        owner: ownerOf(tool),
        names: [tool.raw, tool.canonical, tool.server, tool.toolbox ?? "", tool.definition.title ?? ""],
        description: tool.definition.description ?? "",
      })),
    );
    const search = await made;
    const hits = await runInSlices(search(query, options), whom);
    return hits.map(({ tool }) => tool);
  };
}
