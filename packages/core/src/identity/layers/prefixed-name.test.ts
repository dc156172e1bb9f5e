import { describe, expect, it } from "vitest";
import { toolKeyOf } from "../tool-key.js";
import { prefixedNameOf } from "./prefixed-name.js";

describe("server-prefixed names", () => {
  it("tell tools of one raw name on two servers apart (ID-8)", () => {
    expect(prefixedNameOf({ server: "docs", raw: "search" })).not.toBe(
      prefixedNameOf({ server: "mail", raw: "search" }),
    );
  });

  it("change what the model sees, never the raw name or the identity (ID-8)", () => {
    const tool = Object.freeze({
      server: "docs",
      raw: "search",
      key: toolKeyOf({ server: "docs", raw: "search" }),
    });
    expect(prefixedNameOf(tool)).toBe("mcp_docs__search");
    expect(tool).toEqual({ server: "docs", raw: "search", key: '["namespaced","docs","search"]' });
  });

  it("need both parts (ID-8)", () => {
    expect(prefixedNameOf({ server: "", raw: "search" })).toBeUndefined();
    expect(prefixedNameOf({ server: "docs", raw: "" })).toBeUndefined();
  });
});
