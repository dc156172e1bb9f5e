// What the command line costs: `onym resolve` on a small config beside `node -e 0`, one after the other, again and again.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { watchOthers } from "./measure/machine-usage.mjs";
import { repeatUntilQuiet } from "./repeat-until-quiet.mjs";

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
  const { times, ...rest } = await repeatUntilQuiet(options, async () => {
    const others = watchOthers(process.pid);
    const taken = [];
    for (let index = 0; index < pairs; index++) {
      taken.push({ id: "node", ms: await run(["-e", "0"]) }, { id: "resolve", ms: await run(resolve) });
    }
    return { times: taken, others: others() };
  });
  for (const { id, ms } of times) onSample({ id }, { ms, ...rest });
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
