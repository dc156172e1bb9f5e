// One gateway for the user, in the background: what each system wants to be told, as text, and with which commands.

import { posix } from "node:path";
import { readTextFile } from "../../../config/files/read-text-file.js";
import {
  homeOf,
  type UserMachine,
  userEnvFile,
  userServiceFile,
} from "../../../config/files/user-folders.js";

export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** To run after the file is written, in order. */
  readonly start: readonly (readonly string[])[];
  /** To run before the file is removed. */
  readonly stop: readonly (readonly string[])[];
  readonly status: readonly string[];
}

export interface ServiceInput {
  readonly machine: UserMachine;
  /** The words that start the gateway, the first of them an absolute path. */
  readonly command: readonly string[];
  /** Where programs of servers are found. */
  readonly path: string;
  /** Of the user, for systems that want it. */
  readonly user: string;
}

const SERVICE_NAME = "onym";
const LABEL = "dev.onym.gateway";

export function buildService(input: ServiceInput): ServiceFile {
  const { platform } = input.machine;
  if (platform === "win32") return buildTask(input);
  return platform === "darwin" ? buildAgent(input) : buildUnit(input);
}

/** Whether the service is installed, and serves this config. */
export function isServiceOf(config: string, machine: UserMachine): boolean {
  const read = readTextFile(userServiceFile(machine));
  if (!("text" in read)) return false;
  const words = [unitWord(config), `<string>${xmlText(config)}</string>`, xmlText(windowsWord(config))];
  return words.some((word) => read.text.includes(word));
}

/** The user's own PATH: npm and npx put folders before it that may be gone tomorrow, and each folder counts once. */
export function ownPath({ env, platform }: UserMachine): string {
  const { PATH: path = "", npm_execpath: npm } = env;
  const delimiter = platform === "win32" ? ";" : ":";
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const own =
    npm === undefined
      ? folders
      : folders.filter((folder) => !/[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)[\\/]?$/.test(folder));
  return [...new Set(own)].join(delimiter);
}

function buildUnit({ machine, command, path }: ServiceInput): ServiceFile {
  const systemctl = (...words: readonly string[]) => ["systemctl", "--user", ...words];
  const unit = `${SERVICE_NAME}.service`;
  const text = [
    "[Unit]",
    "Description=Onym, one gateway for all MCP clients of this user",
    "StartLimitIntervalSec=60",
    "StartLimitBurst=5",
    "",
    "[Service]",
    `ExecStart=${command.map(unitWord).join(" ")}`,
    `Environment=${unitWord(`PATH=${path}`)}`,
    "# Variables that the config names, one NAME=VALUE a line; there need not be such a file.",
    `EnvironmentFile=-${userEnvFile(machine).replaceAll("%", "%%")}`,
    "Restart=on-failure",
    "RestartSec=2",
    "UMask=0077",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
  return {
    path: userServiceFile(machine),
    text,
    start: [systemctl("daemon-reload"), systemctl("enable", unit), systemctl("restart", unit)],
    stop: [systemctl("disable", "--now", unit)],
    status: systemctl("is-active", unit),
  };
}

/** `%` and `$` mean something there, and quotes hold words together. */
function unitWord(word: string): string {
  const escaped = word
    .replace(/[\\"]/g, "\\$&")
    .replaceAll("%", "%%")
    .replaceAll("$", "$$$$")
    .replaceAll("\n", "\\n");
  return `"${escaped}"`;
}

function buildAgent({ machine, command, path }: ServiceInput): ServiceFile {
  const file = userServiceFile(machine);
  const log = posix.join(homeOf(machine), "Library", "Logs", "onym.log");
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    "  <key>Label</key>",
    `  <string>${LABEL}</string>`,
    "  <key>ProgramArguments</key>",
    "  <array>",
    ...command.map((word) => `    <string>${xmlText(word)}</string>`),
    "  </array>",
    "  <key>EnvironmentVariables</key>",
    "  <dict>",
    "    <key>PATH</key>",
    `    <string>${xmlText(path)}</string>`,
    "  </dict>",
    "  <key>RunAtLoad</key>",
    "  <true/>",
    "  <key>KeepAlive</key>",
    "  <dict>",
    "    <key>SuccessfulExit</key>",
    "    <false/>",
    "  </dict>",
    "  <key>Umask</key>",
    "  <integer>63</integer>",
    "  <key>StandardErrorPath</key>",
    `  <string>${xmlText(log)}</string>`,
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
  return {
    path: file,
    text,
    start: [["launchctl", "load", "-w", file]],
    stop: [["launchctl", "unload", "-w", file]],
    status: ["launchctl", "list", LABEL],
  };
}

function buildTask({ machine, command, user }: ServiceInput): ServiceFile {
  const file = userServiceFile(machine);
  const [program = "", ...args] = command;
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    "  <RegistrationInfo>",
    "    <Description>Onym, one gateway for all MCP clients of this user</Description>",
    "  </RegistrationInfo>",
    "  <Triggers>",
    "    <LogonTrigger>",
    "      <Enabled>true</Enabled>",
    `      <UserId>${xmlText(user)}</UserId>`,
    "    </LogonTrigger>",
    "  </Triggers>",
    "  <Principals>",
    '    <Principal id="Author">',
    `      <UserId>${xmlText(user)}</UserId>`,
    "      <LogonType>InteractiveToken</LogonType>",
    "      <RunLevel>LeastPrivilege</RunLevel>",
    "    </Principal>",
    "  </Principals>",
    "  <Settings>",
    "    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>",
    "    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>",
    "    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>",
    "    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>",
    "    <RestartOnFailure>",
    "      <Interval>PT1M</Interval>",
    "      <Count>5</Count>",
    "    </RestartOnFailure>",
    "    <Hidden>true</Hidden>",
    "  </Settings>",
    '  <Actions Context="Author">',
    "    <Exec>",
    `      <Command>${xmlText(program)}</Command>`,
    `      <Arguments>${xmlText(args.map(windowsWord).join(" "))}</Arguments>`,
    "    </Exec>",
    "  </Actions>",
    "</Task>",
    "",
  ].join("\r\n");
  const task = ["/TN", "Onym"];
  return {
    path: file,
    text,
    start: [
      ["schtasks", "/Create", ...task, "/XML", file, "/F"],
      ["schtasks", "/Run", ...task],
    ],
    stop: [
      ["schtasks", "/End", ...task],
      ["schtasks", "/Delete", ...task, "/F"],
    ],
    status: ["schtasks", "/Query", ...task],
  };
}

/** As Windows programs take their command line apart. */
function windowsWord(word: string): string {
  if (/^[\w:\\/.@=+-]+$/.test(word)) return word;
  let quoted = "";
  let slashes = 0;
  for (const character of `${word}"`) {
    // Backslashes count only before a quote, and then twice.
    if (character === '"') quoted += "\\".repeat(slashes);
    slashes = character === "\\" ? slashes + 1 : 0;
    quoted += character === '"' ? '\\"' : character;
  }
  return `"${quoted.slice(0, -2)}"`;
}

function xmlText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "");
}
