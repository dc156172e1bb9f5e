// What is in deploy/ and server.json, held against the program: every flag, path, port, variable and time there is one that it has.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { startPostgres, type TestPostgres } from "../packages/onym/src/store/testing/start-postgres.js";
import { listFiles, projectRoot, readProjectFile } from "./project-files.js";

const PORT = 6696;
const STATE = "/var/lib/onym";
const onym = join(projectRoot, "packages/onym/bin/onym.js");
const folder = mkdtempSync(join(tmpdir(), "onym-deploy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const help = spawnSync(process.execPath, [onym, "serve", "--help"], { encoding: "utf8" }).stdout;
const flags = new Set([...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag));

/** `serve`, then flags that there are. */
function checkServe(args: readonly string[]): void {
  expect(args[0]).toBe("serve");
  const used = args.filter((word) => word.startsWith("-")).map((word) => word.split("=")[0]);
  expect(used.filter((flag) => !flags.has(flag))).toEqual([]);
}

/** The variables that are written `${NAME}` in a config. */
function variablesOf(config: string): readonly string[] {
  return [...config.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name ?? "").sort();
}

/** Instructions with their words, lines that go on joined. */
const dockerfile = readProjectFile("deploy/Dockerfile")
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\\\n\s*/g, " ")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => ({ name: line.split(" ", 1)[0] ?? "", rest: line.slice(line.indexOf(" ") + 1) }));
const lastStage = dockerfile.slice(dockerfile.findLastIndex(({ name }) => name === "FROM"));
const restOf = (name: string): string =>
  lastStage.findLast((instruction) => instruction.name === name)?.rest ?? "";

describe("deploy/Dockerfile", () => {
  it("has only instructions that there are, and images with a version", () => {
    const known = "FROM WORKDIR COPY RUN ARG ENV VOLUME USER EXPOSE HEALTHCHECK ENTRYPOINT CMD".split(" ");
    expect(dockerfile.filter(({ name }) => !known.includes(name))).toEqual([]);
    for (const { rest } of dockerfile.filter(({ name }) => name === "FROM"))
      expect(rest).toMatch(/^node:\d+\.\d+-bookworm-slim( AS \w+)?$/);
  });

  it("copies only what is in the repository and let in, or in an earlier stage", () => {
    const letIn = readProjectFile("deploy/Dockerfile.dockerignore")
      .split("\n")
      .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
    const stages = dockerfile.flatMap(({ name, rest }) =>
      name === "FROM" ? (/ AS (\w+)$/.exec(rest)?.[1] ?? []) : [],
    );
    for (const { rest } of dockerfile.filter(({ name }) => name === "COPY")) {
      const words = rest.split(" ");
      const stage = /^--from=(.+)$/.exec(words[0] ?? "")?.[1];
      if (stage !== undefined) expect(stages).toContain(stage);
      else
        for (const path of words.slice(0, -1)) {
          expect(letIn).toContain(path.split("/")[0]);
          expect(() => readFileSync(join(projectRoot, path))).not.toThrow(/ENOENT/);
        }
    }
  });

  it("runs the program as a user that is not root, on the port that it opens and asks", () => {
    expect(restOf("USER")).toBe("node");
    expect(restOf("EXPOSE")).toBe(String(PORT));
    expect(restOf("HEALTHCHECK")).toContain(`http://127.0.0.1:${PORT}/healthz`);
    expect(restOf("ENV")).toContain(`XDG_STATE_HOME=${STATE}`);
    expect([restOf("VOLUME"), restOf("WORKDIR")]).toEqual([STATE, STATE]);
    expect(JSON.parse(restOf("ENTRYPOINT"))).toEqual(["node", "/opt/onym/packages/onym/bin/onym.js"]);
    const command: readonly string[] = JSON.parse(restOf("CMD"));
    checkServe(command);
    expect(command).toContain(String(PORT));
  });

  it("has a command of health that fails where no gateway answers", () => {
    const [, words = "[]"] = /CMD (\[.*\])$/.exec(restOf("HEALTHCHECK")) ?? [];
    const [, ...args]: readonly string[] = JSON.parse(words);
    const closed = args.map((word) => word.replace(`:${PORT}/`, ":1/"));
    expect(spawnSync(process.execPath, closed).status).toBe(1);
  });
});

describe("deploy/compose.yaml", () => {
  const { services, volumes } = parse(readProjectFile("deploy/compose.yaml"));

  it("starts the program with flags, a config and variables that there are", () => {
    const { command, environment, ports, volumes: mounts } = services.onym;
    checkServe(command);
    expect(ports).toEqual([`127.0.0.1:${PORT}:${PORT}`]);
    expect(mounts).toContain("./onym.json:/etc/onym/onym.json:ro");
    expect(command[command.indexOf("--config") + 1]).toBe("/etc/onym/onym.json");
    for (const name of variablesOf(readProjectFile("deploy/onym.json")))
      expect(environment).toHaveProperty(name);
    const asked = [...JSON.stringify(services).matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    const offered = [...readProjectFile("deploy/example.env").matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(new Set(asked)).toEqual(new Set(offered));
  });

  it("lets it write to its state alone, with no rights, and gives it time to drain", () => {
    const { onym: gateway } = services;
    expect(gateway).toMatchObject({ read_only: true, cap_drop: ["ALL"], stop_grace_period: "30s" });
    expect(gateway.volumes).toContain(`state:${STATE}`);
    expect(Object.keys(volumes)).toEqual(["state", "database"]);
  });

  it("sends traces where the collector listens", () => {
    const collector = parse(readProjectFile("deploy/collector.yaml"));
    const { port } = new URL(services.onym.environment.OTEL_EXPORTER_OTLP_ENDPOINT);
    expect(collector.receivers.otlp.protocols.http.endpoint).toBe(`0.0.0.0:${port}`);
    const { receivers, processors, exporters } = collector.service.pipelines.traces;
    for (const [kind, names] of Object.entries({ receivers, processors, exporters }))
      expect(Object.keys(collector[kind])).toEqual(names);
  });
});

describe("deploy/kubernetes.yaml", () => {
  const documents = parseAllDocuments(readProjectFile("deploy/kubernetes.yaml"));
  const objects = documents.map((document) => document.toJS());
  const find = (kind: string) => objects.find((object) => object.kind === kind);
  const pod = find("Deployment").spec.template;
  const [container] = pod.spec.containers;

  it("is YAML without a mistake, and its parts mean the same pods", () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(objects.map(({ kind }) => kind)).toEqual([
      "ConfigMap",
      "Deployment",
      "PodDisruptionBudget",
      "Service",
    ]);
    const { labels } = pod.metadata;
    expect(find("Deployment").spec.selector.matchLabels).toEqual(labels);
    expect(find("PodDisruptionBudget").spec.selector.matchLabels).toEqual(labels);
    expect(find("Service").spec.selector).toEqual(labels);
    expect(find("PodDisruptionBudget").spec.minAvailable).toBeLessThan(find("Deployment").spec.replicas);
  });

  it("starts the program with flags, a config, variables and probes that there are", () => {
    checkServe(container.args);
    expect(container.args).toContain(`--port=${PORT}`);
    expect(container.ports).toEqual([{ name: "mcp", containerPort: PORT }]);
    expect(container.readinessProbe.httpGet).toEqual({ path: "/readyz", port: "mcp" });
    expect(container.livenessProbe.httpGet).toEqual({ path: "/healthz", port: "mcp" });
    expect(find("Service").spec.ports[0].targetPort).toBe("mcp");
    const given = container.env.map(({ name }: { readonly name: string }) => name);
    for (const name of variablesOf(find("ConfigMap").data["onym.json"])) expect(given).toContain(name);
  });

  it("has a version of the image that is the program's, and no rights", () => {
    expect(container.image).toBe(`onym:${JSON.parse(readProjectFile("packages/onym/package.json")).version}`);
    expect(pod.spec.securityContext.runAsNonRoot).toBe(true);
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
    const mounts = container.volumeMounts.map(({ mountPath }: { readonly mountPath: string }) => mountPath);
    expect(mounts).toEqual(["/etc/onym", STATE, "/tmp"]);
  });

  it("gives a pod the time that its config lets calls have, and ten seconds more", () => {
    const { drainMs } = JSON.parse(find("ConfigMap").data["onym.json"]).limits;
    const preStop = container.lifecycle.preStop.sleep.seconds;
    expect(pod.spec.terminationGracePeriodSeconds).toBe(preStop + drainMs / 1000 + 10);
  });
});

describe("the configs of deploy/", () => {
  const configs = {
    compose: readProjectFile("deploy/onym.json"),
    kubernetes: parseAllDocuments(readProjectFile("deploy/kubernetes.yaml"))
      .map((document) => document.toJS())
      .find(({ kind }) => kind === "ConfigMap").data["onym.json"],
  };

  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it.each(Object.entries(configs))(
    "serve as they are on PostgreSQL, and nothing is written beside them: %s",
    async (name, text) => {
      const place = join(folder, name);
      const state = join(place, "state");
      mkdirSync(join(place, "etc"), { recursive: true });
      mkdirSync(state, { mode: 0o700 });
      const config = join(place, "etc/onym.json");
      writeFileSync(config, text);
      const child = spawn(process.execPath, [onym, "serve", "--port=0", `--config=${config}`, "--log-json"], {
        cwd: state,
        env: {
          ...process.env,
          XDG_STATE_HOME: state,
          ONYM_STORE: await postgres.newLocation(),
          ONYM_TOKEN_HASH: `sha256:${"0".repeat(64)}`,
        },
        stdio: ["ignore", "ignore", "pipe"],
      });
      const ended = new Promise((resolve) => child.once("exit", resolve));
      let said = "";
      const address = await new Promise<string>((resolve, reject) => {
        child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
          said += chunk;
          const found = /onym listening on (http:\/\/[^/\s"]+)/.exec(said)?.[1];
          if (found !== undefined) resolve(found);
        });
        child.once("exit", (code) => reject(new Error(`exit ${code}: ${said}`)));
      });
      const statuses = await Promise.all(
        ["/healthz", "/readyz", "/mcp"].map(async (path) => (await fetch(`${address}${path}`)).status),
      );
      expect(statuses).toEqual([200, 200, 401]);
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
      expect(readdirSync(join(place, "etc"))).toEqual(["onym.json"]);
    },
  );
});

describe("deploy/onym.service", () => {
  const unit = readProjectFile("deploy/onym.service");

  it("starts the program with flags that there are, where it may write", () => {
    const [, command = ""] = /^ExecStart=\/usr\/bin\/env onym (.+)$/m.exec(unit) ?? [];
    checkServe(command.split(" "));
    expect(unit).toContain(`Environment=XDG_STATE_HOME=${STATE}\n`);
    expect(unit).toContain("StateDirectory=onym\n");
    expect(unit).toContain("TimeoutStopSec=30\n");
  });

  const analyze = "systemd-analyze";
  const hasSystemd = spawnSync(analyze, ["--version"]).status === 0;
  if (!hasSystemd)
    console.warn("deploy: systemd-analyze is not on this machine, and the unit was not verified");
  it.skipIf(!hasSystemd)("is a unit without a mistake", () => {
    const { status, stdout, stderr } = spawnSync(
      analyze,
      ["verify", join(projectRoot, "deploy/onym.service")],
      { encoding: "utf8" },
    );
    const own = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("onym.service"));
    expect({ status, own }).toEqual({ status: 0, own: [] });
  });
});

describe("server.json", () => {
  it("tells of the package as it is", () => {
    const server = JSON.parse(readProjectFile("server.json"));
    const manifest = JSON.parse(readProjectFile("packages/onym/package.json"));
    const [described] = server.packages;
    expect([server.version, described.version]).toEqual([manifest.version, manifest.version]);
    expect([server.name, described.identifier]).toEqual([manifest.mcpName, manifest.name]);
    expect(server.description.length).toBeLessThanOrEqual(100);
    const words = described.packageArguments.map(
      ({ name, value }: { readonly name?: string; readonly value?: string }) => name ?? value,
    );
    checkServe(words);
  });
});

it("has no file in deploy/ that nothing here looks at, beside those of Prometheus, which their own test holds", () => {
  expect(listFiles("deploy", "").filter((path) => !path.startsWith("deploy/prometheus"))).toEqual(
    [
      "Dockerfile",
      "Dockerfile.dockerignore",
      "collector.yaml",
      "compose.yaml",
      "example.env",
      "kubernetes.yaml",
    ]
      .concat("onym.json", "onym.service")
      .map((name) => `deploy/${name}`),
  );
});
