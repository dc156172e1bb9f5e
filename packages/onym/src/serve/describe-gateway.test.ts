import { describe, expect, it } from "vitest";
import {
  createMemoryDownstream,
  failedStatus,
  READY,
  toolsNamed,
} from "../gateway/testing/memory-downstream.js";
import { createServerProgress } from "./describe-gateway.js";

function createProgress(what?: "all" | "trouble") {
  const lines: string[] = [];
  const screen = {
    err: (text: string) => void lines.push(text.trim()),
    paintErr: (_: unknown, text: string) => text,
    errColumns: undefined,
  };
  const tell = createServerProgress(screen, what);
  return { lines, tell };
}

describe("progress while servers start", () => {
  it("tells each change of state once", () => {
    const { lines, tell } = createProgress();
    const fs = createMemoryDownstream({ tools: toolsNamed("a") }, { toolbox: "dev" });
    tell(fs);
    tell(fs);
    fs.status = failedStatus(0);
    tell(fs);
    fs.status = { kind: "starting", attempt: 1 };
    tell(fs);
    fs.status = failedStatus(1);
    tell(fs);
    fs.status = READY;
    tell(fs);
    expect(lines).toEqual([
      "ready  dev / fs  1 tool",
      "down   dev / fs  it does not run\n         Start it.",
      "ready  dev / fs  1 tool",
    ]);
  });

  it("tells once of a server that is connected while its requests fail (SAFE-5)", () => {
    const { lines, tell } = createProgress("trouble");
    const fs = createMemoryDownstream({ tools: toolsNamed("a") });
    tell(fs);
    for (const failures of [5, 6]) {
      const unhealthy = { since: 0, reason: "HTTP 500", failures, retryAt: failures };
      fs.status = { kind: "ready", era: "legacy", revision: "2025-11-25", unhealthy };
      tell(fs);
    }
    fs.status = READY;
    tell(fs);
    expect(lines).toEqual([
      "unhealthy  fs  its requests fail since 1970-01-01T00:00:00Z; calls are refused until one succeeds",
      "ready  fs  1 tool",
    ]);
  });

  it("tells of trouble only, and its end, where nobody waits for the rest", () => {
    const { lines, tell } = createProgress("trouble");
    const fs = createMemoryDownstream({ tools: toolsNamed("a") });
    tell(fs);
    fs.status = failedStatus(0);
    tell(fs);
    fs.status = READY;
    tell(fs);
    expect(lines).toEqual(["down   fs  it does not run\n         Start it.", "ready  fs  1 tool"]);
  });

  it("does not count the tools of a static catalog, which a downstream does not know", () => {
    const { lines, tell } = createProgress();
    tell(createMemoryDownstream({}, { launch: { kind: "static" } }));
    expect(lines).toEqual(["ready  fs  from the config"]);
  });

  it("shows a stranger's name escaped (SAFE-1)", () => {
    const { lines, tell } = createProgress();
    tell(createMemoryDownstream({}, { server: "a\u202eb" }));
    expect(lines[0]).toContain("a\\u{202E}b");
  });
});
