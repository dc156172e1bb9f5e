import { expect, it } from "vitest";
import { buildSafeEnvironment } from "./start-child.js";

it("keeps what a program needs, adds what the config declares, and drops the rest", () => {
  const own = {
    PATH: "/bin",
    LC_ALL: "C",
    AWS_SECRET: "x",
    LC_SECRET: "y",
    TERM: "() { evil; }",
    TZ: undefined,
  };
  const declared = new Map([
    ["__proto__", "kept"],
    ["PATH", "/opt/bin"],
  ]);
  expect(Object.entries(buildSafeEnvironment(own, declared, "linux"))).toEqual([
    ["PATH", "/opt/bin"],
    ["LC_ALL", "C"],
    ["__proto__", "kept"],
  ]);
});

it("knows the names of Windows in any case", () => {
  const own = { Path: "C:\\", SystemRoot: "C:\\Windows", HOME: "x" };
  expect(buildSafeEnvironment(own, new Map(), "win32")).toEqual({ Path: "C:\\", SystemRoot: "C:\\Windows" });
});
