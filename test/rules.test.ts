// A smoke part of the rule lab: two real clients that are installed anyway, run against a recording provider, with three
// nasty servers behind Onym over stdio and HTTP. All clients: npm run rules.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { projectRoot } from "./project-files.js";

const run = promisify(execFile);

it.each([
  ["langchain-js", "stdio", "langchain-js"],
  ["langchain-js", "http", "langchain-js"],
  ["openai-agents-js", "stdio", "universal"],
  ["openai-agents-js", "own", "openai-agents-js"],
])(
  "%s behind Onym (%s, with names of %s) sends every tool as foreseen, and each call reaches its own tool (RULE-6)",
  async (client, setting, profile) => {
    const { stdout } = await run(process.execPath, ["rules/smoke.mjs", client, setting], {
      cwd: projectRoot,
    });
    expect(JSON.parse(stdout)).toEqual({ outcome: "all tools right", tools: 48, profile, unforeseen: [] });
  },
  240_000,
);
