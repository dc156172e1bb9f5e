// The benchmark works: a quick run of every kind of case, and all of its output. No figure is looked at.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "./long-runs.js";
import { projectRoot } from "./project-files.js";

const CASES = [
  "http-http/call-64",
  "http-http-modern/call-1",
  "stdio-stdio/call-1",
  "list-10",
  "tools-10",
  "cold-start",
  "resolve",
  "memory",
  "profile",
];

interface Results {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  readonly commit: string;
  readonly samples: readonly { readonly scenario: string; readonly job: string; readonly target: string }[];
  readonly failures: readonly unknown[];
  readonly goals: readonly { readonly list: readonly unknown[] }[];
}

let folder: string;
let run: { readonly status: number | null; readonly stdout: string; readonly stderr: string };
describe.runIf(isLong && process.platform === "linux")("npm run bench --quick", () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "onym-bench-test-"));
    const args = [
      "--quick",
      "--ms",
      "30",
      "--targets",
      "direct,R,onym,onym-no-audit",
      "--only",
      CASES.join(","),
      "--json",
      "--out",
      folder,
    ];
    run = spawnSync(process.execPath, [`${projectRoot}bench/run.mjs`, ...args], {
      encoding: "utf8",
      maxBuffer: 1e8,
    });
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("measures every case with every target, and none fails", () => {
    expect({ status: run.status, stderr: run.status === 0 ? "" : run.stderr }).toEqual({
      status: 0,
      stderr: "",
    });
    const { samples, failures, machine, commit } = JSON.parse(run.stdout) as Results;
    expect(failures).toEqual([]);
    const measured = new Set(samples.map(({ scenario, job, target }) => `${scenario}/${job} ${target}`));
    for (const key of [
      "http-http/call-64 direct",
      "http-http/call-64 R",
      "http-http/call-64 onym",
      "http-http-modern/call-1 onym-no-audit",
      "stdio-stdio/call-1 onym",
      "list-10/list onym",
      "list-10/new-view onym",
      "tools-10/call-64 R",
      "cold-start/first-list onym",
      "resolve/resolve onym",
      "memory/after-400 onym",
      "profile/self-time onym",
    ])
      expect(measured).toContain(key);
    expect([machine.cpu, machine.node, commit]).not.toContain("");
  });

  it("writes its raw numbers, a report and plots", () => {
    const files = readdirSync(folder);
    const textOf = (ending: string) =>
      readFileSync(join(folder, files.find((file) => file.endsWith(ending)) ?? ""), "utf8");
    expect(JSON.parse(textOf(".json"))).toEqual(JSON.parse(run.stdout));
    const report = textOf(".md");
    for (const part of [
      "## Goals",
      "| calls/s, HTTP to HTTP, 64 concurrent | R |",
      "the bare pass-through",
      "-calls.svg",
      "-cpu.svg",
    ])
      expect(report).toContain(part);
    for (const kind of ["-calls.svg", "-cpu.svg"])
      expect(textOf(kind)).toMatch(/^<svg [\s\S]*Onym, everything on[\s\S]*<\/svg>\n$/);
  });

  it("keeps the machine's paths out of what it writes", () => {
    for (const file of readdirSync(folder))
      expect(readFileSync(join(folder, file), "utf8")).not.toContain(projectRoot);
  });
});
