// Where and of what a run was made, so that its figures can be placed.

import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, release, totalmem } from "node:os";

export function describeMachine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memory: totalmem(),
    kernel: `${process.platform} ${release()}`,
    node: process.version,
  };
}

/** `dirty`: something differs from the commit, results aside. */
export function describeCommit(root) {
  const git = (...args) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();
  try {
    const changed = git("status", "--porcelain", "--", ".", ":!bench/results");
    return { commit: git("rev-parse", "--short=9", "HEAD"), dirty: changed !== "" };
  } catch {
    return { commit: "unknown", dirty: true };
  }
}
