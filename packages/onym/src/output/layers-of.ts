// The seven identity layers of a tool of the catalog, for people to read (SPEC section 7).

import type { Tool } from "@onym/core";
import { approvalKeysOfCatalogTool, formatApprovalKeys } from "@onym/core/approvals";
import { dispatchNameOfTool, publicNameOf, qualifiedNameOf, traceNameOfTool } from "@onym/core/identity";

export interface Layer {
  readonly layer: string;
  /** `null` where the layer has no value before there is a call. */
  readonly value: string | null;
}

/** `name` is the tool's public name in the profile that was asked for. */
export function layersOf(tool: Tool, name: string | undefined): readonly Layer[] {
  const parts = { name: tool.raw, namespace: tool.server };
  return [
    { layer: "public name", value: publicNameOf(name) ?? null },
    {
      layer: "namespace",
      value: tool.toolbox === undefined ? tool.server : `${tool.toolbox} / ${tool.server}`,
    },
    // A namespace equal to the name is kept for deferred tools (ID-2), so such a tool has no dispatch name.
    { layer: "qualified name", value: dispatchNameOfTool(parts) ?? qualifiedNameOf(parts) ?? null },
    { layer: "lookup key", value: tool.key },
    { layer: "approval key", value: formatApprovalKeys(approvalKeysOfCatalogTool(tool.key)).join(", ") },
    // As spans have it (ID-10): the public name, because a catalog gives no tool an explicit one.
    { layer: "trace name", value: name === undefined ? null : (traceNameOfTool({ name }) ?? null) },
    { layer: "call id", value: null },
  ];
}
