// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { launchOf } from "../config/launches/launch-of.js";
import { readConfig } from "../config/read-config.js";
import { describeLaunch } from "./describe-launch.js";

const folder = resolve("/project");
const file = join(folder, "onym.json");
const env = { HOME: "/home/me", TOKEN: "t0k3n", KIND: "http" };
const readText = () => ({ reason: "there is no such file", isMissing: true });

function read(entry: object) {
  const [server] = readConfig(JSON.stringify({ mcpServers: { a: entry } }), {
    ...{ file, folder, env, readText },
    isClientFile: false,
  }).servers;
  if (server === undefined) throw new Error("no server");
  const launched = launchOf(server, { folder, env, readText });
  const [, ...lines] = describeLaunch(server, { folder, env, read: readText });
  return { launched, lines: lines.map((line) => line.trim()) };
}

describe("what is shown of an entry is what is launched (CFG-6)", () => {
  const TYPES = [undefined, "stdio", "local", "http", "remote", "sse", "streamable-http", "ws", "odd", ""];
  const addresses = {
    url: "http://one.example/a",
    httpUrl: "http://two.example/sse",
    serverUrl: "http://three.example/c",
  };
  const members = { command: "prog", ...addresses };
  const subsets = Array.from({ length: 16 }, (_, bits) =>
    Object.fromEntries(Object.entries(members).filter((_, at) => (bits >> at) % 2 === 1)),
  ).slice(1);
  const types = TYPES.flatMap((type) =>
    [undefined, "http", "local", "odd"].flatMap((transport) =>
      [undefined, "sse", "stdio"].map((transportType) => ({ type, transport, transportType })),
    ),
  );
  const beside = {
    args: ["word"],
    env: { A: "in the env" },
    cwd: "sub",
    isolation: ["sh", "-c", "wall"],
    headers: { "X-Sent": "${TOKEN}" },
    oauth: { clientId: "own-client" },
    timeout: 5,
  };

  it.each(subsets.map((subset) => [Object.keys(subset).join(", "), subset]))("with %s", (_, subset) => {
    for (const type of types) {
      const { launched, lines } = read({ ...subset, ...type, ...beside });
      const [first = ""] = lines;
      const rest = lines.slice(1).join("\n");
      const case_ = { ...subset, ...type };
      if ("problems" in launched) {
        expect([case_, first]).toEqual([
          case_,
          expect.stringMatching(/^starts nothing and connects to nothing/),
        ]);
        expect(rest).toMatch(/^and ignores [^\n]*$/);
        continue;
      }
      const { launch } = launched;
      const ofStart = /in sub|in the env|"isolation": \["sh","-c","wall"\]/g;
      const ofConnection = /\$\{TOKEN\} in the header X-Sent|"oauth": \{"clientId"/g;
      if (launch.kind === "stdio") {
        expect([case_, first]).toEqual([case_, `starts ${launch.command} ${launch.args.join(" ")}`]);
        expect(rest.match(ofStart)).toHaveLength(3);
        expect(rest).not.toMatch(ofConnection);
      } else {
        if (launch.kind !== "http" && launch.kind !== "sse") throw new Error(launch.kind);
        expect([case_, first]).toEqual([case_, `connects to ${launch.url}`]);
        expect(rest.match(ofConnection)).toHaveLength(2);
        expect(rest).not.toMatch(ofStart);
      }
      const others = Object.values(members).filter((text) => !first.includes(text));
      for (const other of others) expect(rest).not.toContain(other);
    }
  });

  it("is every launch that a variable may make of it", () => {
    const { lines } = read({ ...members, type: "${KIND}", headers: { Authorization: "Bearer ${TOKEN}" } });
    expect(lines).toEqual([
      "starts prog",
      "connects to http://two.example/sse",
      "with ${TOKEN} in the header Authorization",
      'and ignores "url", "serverUrl"',
    ]);
  });

  it.each<[string, object]>([
    ["a header", { url: "https://a.example", headers: { Authorization: "Bearer ${TOKEN}" } }],
    [
      "a header beside a secret",
      { url: "https://a.example", headers: { Authorization: "x ${TOKEN:-$x} y" } },
    ],
    ["an editor's form", { url: "https://a.example", headers: { Authorization: "${env:TOKEN}" } }],
    ["an address", { url: "https://${TOKEN}@a.example/${TOKEN}" }],
    [
      "the secret of a client",
      {
        url: "https://a.example",
        oauth: { clientId: "a", clientSecret: "${TOKEN}", issuer: "https://a.example" },
      },
    ],
    ["a login in a variable", { command: "x", env: { DB: "postgres://me:${TOKEN}@a.example/" } }],
    ["a variable with a default", { command: "x", env: { API_KEY: "a${TOKEN:-$b}" } }],
    ["an argument", { command: "x", args: ["--token", "${TOKEN}"] }],
    ["an isolation", { command: "x", isolation: ["sh", "${A}", "https://u:${TOKEN}@a.example"] }],
    ["a name", { command: "x", alias: "${TOKEN}" }],
  ])("names a variable in %s", (_, entry) => {
    expect(read(entry).lines.join("\n")).toMatch(/\$\{(?:env:)?TOKEN\b/);
  });
});
