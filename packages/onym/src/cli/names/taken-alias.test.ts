import { EMPTY_LOCK, type Lock } from "@onym/core";
import { expect, it } from "vitest";
import type { Config } from "../../config/config.js";
import { explainAlias, takenAlias } from "./taken-alias.js";

const config = (as?: string) => ({ naming: { as } as Config["naming"] });
const names = { style: "flat", names: new Map() } as const;
const lock: Lock = {
  ...EMPTY_LOCK,
  profiles: new Map([
    ["openai", names],
    ["claude-code", names],
    ["claude-code?as=acme", names],
    ["qwen-code?as=acme", names],
  ]),
};

it.each([
  [config(), {}, "onym", "default", ["acme"]],
  [config("tools"), {}, "tools", "naming.as", ["acme"]],
  [config("tools"), { as: "acme" }, "acme", "--as", []],
] as const)(
  "says under which alias names are made, and who said so (NAME-9)",
  (from, given, as, by, others) => {
    const alias = takenAlias(from, { ...given, lock });
    expect(alias).toEqual({ as, by, others });
    expect(explainAlias(alias)).toContain(`Registered as "${as}" (`);
    expect(explainAlias(alias).includes("Clients also came as")).toBe(others.length > 0);
  },
);
