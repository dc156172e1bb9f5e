// Starts the gateway with the probe in it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const PROGRAM = join(here, "../../packages/onym/dist/bin.js");

export async function startGateway({ folder, program = PROGRAM, isProfiled }) {
  const socket = join(folder, "turns.sock");
  rmSync(socket, { force: true });
  const child = spawn(
    process.execPath,
    ["--import", join(here, "probe.mjs"), program, "serve", "--config", "onym.json", "--port", "0"],
    {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ONYM_TURNS: socket, ...(isProfiled ? { ONYM_TURNS_PROFILE: "1" } : {}) },
    },
  );
  let told = "";
  const until = async (words) => {
    while (!told.includes(words)) await once(child.stderr, "data");
  };
  const url = await new Promise((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text) => {
      told += text;
      const found = /listening on (\S+)/.exec(told);
      if (found !== null) resolve(found[1]);
    });
    child.once("exit", () => reject(new Error(told)));
  });
  const probe = async (word) => {
    const link = connect(socket).setEncoding("utf8");
    link.write(word);
    let text = "";
    for await (const part of link) text += part;
    return JSON.parse(text);
  };
  return { child, url, probe, until };
}
