// The command line of the benchmark.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export const HELP = `npm run bench -- [options]

  --quick               seconds instead of minutes: does everything work? No figures worth quoting
  --only CASE,…         only these cases: http-http, list-10000, cold-start, …, or one job: http-http/call-64
  --targets ID,…        only these: D, R, N, onym, onym-no-audit, mcp-hub, …
  --rounds N            fresh processes of each target (default 5)
  --ms N                how long a sample takes (default 800)
  --onym [LABEL=]PATH   bin/onym.js of another build; repeat with labels to compare builds
  --long                memory after 1,000,000 calls, too
  --retries N           how often a sample is repeated while the machine is not quiet (default 2)
  --out FOLDER          where results are written (default bench/results, and partial below it for a part)
  --json                print the results as JSON on stdout, too
  --list                print cases and targets
`;

export function readOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      targets: { type: "string", default: "" },
      rounds: { type: "string" },
      ms: { type: "string" },
      onym: { type: "string", multiple: true, default: [] },
      long: { type: "boolean", default: false },
      retries: { type: "string" },
      out: { type: "string" },
      json: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { quick } = values;
  const number = (text, otherwise) =>
    text === undefined ? otherwise : Math.max(0, Number.parseInt(text, 10));
  const programs = values.onym.map((text) => {
    const [, label = "", path] = /^(?:([A-Za-z0-9._-]+)=)?(.+)$/.exec(text);
    return [label, path];
  });
  const isWhole = !quick && values.only === "" && values.targets === "" && programs.length === 0;
  const ms = number(values.ms, quick ? 100 : 800);
  return {
    ...values,
    root: ROOT,
    out: values.out ?? `${ROOT}bench/results${isWhole ? "" : "/partial"}`,
    only: listOf(values.only),
    targets: listOf(values.targets),
    rounds: Math.max(1, number(values.rounds, quick ? 1 : 5)),
    retries: number(values.retries, quick ? 0 : 2),
    ms,
    firstWarmMs: quick ? 50 : Math.max(ms, 1500),
    warmMs: quick ? 20 : Math.ceil(ms * 0.3),
    programs: new Map(programs.length > 0 ? programs : [["", `${ROOT}packages/onym/bin/onym.js`]]),
  };
}

function listOf(text) {
  return text.split(",").filter((each) => each !== "");
}
