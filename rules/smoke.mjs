// node rules/smoke.mjs CLIENT SETTING: one trial of a client that the project has installed anyway; prints what it came to.

import { CLIENTS } from "./clients.mjs";
import { summarize } from "./report.mjs";
import { runTrial } from "./trial.mjs";

/** How they announce themselves to a server that is registered as `onym`. */
const ANNOUNCED = { "langchain-js": "@langchain/mcp-adapters", "openai-agents-js": "onym" };

const [id, setting] = process.argv.slice(2);
const client = CLIENTS.find((each) => each.id === id);
const announces = { name: ANNOUNCED[id], version: "1.0.0" };
const trial = await runTrial(client, setting, { node: process.execPath, driver: client.driver, announces });
process.stdout.write(
  `${JSON.stringify({
    outcome: summarize(trial),
    tools: trial.names.length,
    profile: trial.profile,
    unforeseen: trial.unforeseen ?? [],
  })}\n`,
);
