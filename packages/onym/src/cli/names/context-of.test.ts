import { describe, expect, it } from "vitest";
import { readConfig } from "../../config/read-config.js";
import { OnymError } from "../../model/onym-error.js";
import { contextOf } from "./context-of.js";

const config = readConfig(
  '{"mcpServers": {"docs": {"tools": []}}, "toolboxes": {"dev": {"mcpServers": {"github": {"tools": []}}}}}',
  { file: "onym.json", folder: "/", isClientFile: false, env: {}, readText: () => ({ reason: "none" }) },
);

describe("contextOf", () => {
  it("passes on ids that the config has", () => {
    expect(contextOf({}, config)).toEqual({});
    expect(contextOf({ server: "docs" }, config)).toEqual({ server: "docs" });
    expect(contextOf({ server: "github", toolbox: "dev" }, config)).toEqual({
      server: "github",
      toolbox: "dev",
    });
  });

  it.each([
    [{ server: "dosc" }, 'Did you mean "docs"? The servers are "docs", "github".'],
    [{ toolbox: "dve" }, 'Did you mean "dev"? The toolboxes are "dev".'],
    [{ toolbox: "dev", server: "docs" }, 'The servers are "github".'],
  ])("refuses %j and says what there is", (options, hint) => {
    expect(() => contextOf(options, config)).toThrow(expect.objectContaining({ code: "usage", hint }));
    expect(() => contextOf(options, config)).toThrow(OnymError);
  });
});
