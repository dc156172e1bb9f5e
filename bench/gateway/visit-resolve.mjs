// What the command line costs: `onym resolve` on a small config beside `node -e 0`, one after the other, again and again.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { watchOthers } from "./measure/machine-usage.mjs";

const CONFIG = {
  mcpServers: {
    github: { tools: ["search_issues", "create_issue", "list_pull_requests", "get_file"] },
    slack: { tools: ["post_message", "list_channels", "search"] },
    files: { tools: ["read", "write", "search"] },
  },
};

export async function visitResolve({ target, folder, options }, onSample) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "onym.json");
  writeFileSync(file, JSON.stringify(CONFIG));
  const resolve = [target.program, "resolve", "github_search_issues", "--config", file];
  const pairs = options.quick ? 2 : Math.max(5, Math.ceil(20 / options.rounds));
  for (let index = 0; index < pairs; index++) {
    for (const [id, args] of [
      ["node", ["-e", "0"]],
      ["resolve", resolve],
    ]) {
      const others = watchOthers(process.pid);
      const ms = await run(args);
      const share = others();
      // Processes this short are over before their own time can be told from that of others.
      onSample({ id }, { ms, others: share, quiet: true });
    }
  }
}

function run(args) {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    child.once("error", reject);
    child.once("exit", (code) => {
      const ms = performance.now() - start;
      if (code === 0) resolve(ms);
      else reject(new Error(`${args.slice(1).join(" ")} ended with ${code}`));
    });
  });
}
