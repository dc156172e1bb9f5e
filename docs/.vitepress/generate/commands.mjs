// Every command with its help, as the program prints it.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../packages/onym/dist/bin.js", import.meta.url));

export function commandsPage() {
  const sections = groupsOf(help([])).map(
    ({ title, commands }) => `## ${title}\n\n${commands.map((name) => commandSection([name])).join("\n")}`,
  );
  return [
    "# Every command and flag",
    "`onym COMMAND --help` prints the same. [The command line](/cli) explains with examples; exit codes are 0 for fine, 1 for findings or not resolved, 2 for usage or configuration.",
    ...sections,
  ].join("\n\n");
}

function commandSection(path) {
  const text = help(path);
  // Other lists in a help, of values for instance, look alike.
  const below = groupsOf(text).flatMap(({ title, commands }) => (title === "Commands" ? commands : []));
  const heading = `${"#".repeat(Math.min(2 + path.length, 4))} onym ${path.join(" ")}`;
  const own = `${heading}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
  return [own, ...below.map((name) => commandSection([...path, name]))].join("\n");
}

/** The lists of commands in a help text, under their titles: two spaces, the name, what it does. */
function groupsOf(text) {
  const groups = [];
  for (const line of text.split("\n")) {
    const title = /^([A-Z][^:]*):$/.exec(line)?.[1];
    if (title !== undefined) groups.push({ title, commands: [] });
    const name = /^ {2}([a-z][a-z-]*)(?: \[[^\]]*\]| <[^>]*>)* {2,}\S/.exec(line)?.[1];
    if (name !== undefined && name !== "help") groups.at(-1)?.commands.push(name);
  }
  return groups.filter(
    ({ title, commands }) => commands.length > 0 && !/^(Options|Examples|Arguments)$/.test(title),
  );
}

function help(path) {
  // Under npm the program would call itself `npx onym`.
  const env = { ...process.env, npm_command: undefined, COLUMNS: "92", NO_COLOR: "1" };
  return execFileSync(process.execPath, [program, ...path, "--help"], { encoding: "utf8", env }).trimEnd();
}
