import { describe, expect, it } from "vitest";
import { wrapHelp } from "./wrap-help.js";

const HELP = `Examples:
  onym lock --check --profile openai   fails when names have drifted
  onym lock                            records the names
  onym lock --profile openai claude-code

The lock is a file beside the config.`;

describe("help", () => {
  it("stays as it is where it fits, or the width is not known", () => {
    expect(wrapHelp(HELP, 68)).toBe(HELP);
    expect(wrapHelp(HELP, undefined)).toBe(HELP);
  });

  it("has what an example means in lines beside it, where there is room", () => {
    expect(wrapHelp(HELP, 60)).toBe(`Examples:
  onym lock --check --profile openai   fails when names have
                                       drifted
  onym lock                            records the names
  onym lock --profile openai claude-code

The lock is a file beside the config.`);
  });

  it("has it below where there is not, and never breaks an example", () => {
    expect(wrapHelp(HELP, 24)).toBe(`Examples:
  onym lock --check --profile openai
      fails when names
      have drifted
  onym lock
      records the names
  onym lock --profile openai claude-code

The lock is a file
beside the config.`);
  });
});
