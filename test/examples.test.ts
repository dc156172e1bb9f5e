// Every example runs, as its reader would run it, and exits non-zero when wrong.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("../examples/", import.meta.url));
const examples = readdirSync(folder).filter((file) => file.endsWith(".mjs"));

it.each(examples)("examples/%s runs (LIB-1)", (file) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${folder}${file}`], { encoding: "utf8" });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).not.toBe("");
});
