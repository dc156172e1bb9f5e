// What the project tells contributors and operators to run: every script, command and flag is one that there is.

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runOnym } from "./cli/run-onym.js";
import { listFiles, projectRoot, readProjectFile } from "./project-files.js";

const { scripts } = JSON.parse(readProjectFile("package.json"));

describe("the workflows and issue forms", () => {
  const workflows = listFiles(".github/workflows", ".yml");

  it.each(workflows)(
    "%s has jobs with steps, rights that are named, and runs scripts that there are",
    (path) => {
      const text = readProjectFile(path);
      const { jobs, permissions } = parse(text);
      expect(permissions).toEqual({ contents: "read" });
      for (const job of Object.values<{ steps: readonly object[] }>(jobs))
        expect(job.steps.length).toBeGreaterThan(1);
      for (const [, name = ""] of text.matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty([name]);
      for (const [, action = ""] of text.matchAll(/uses: (\S+)/g))
        expect(action).toMatch(/^actions\/[a-z-]+@v\d+$/);
    },
  );

  it("publish both packages with provenance and an SBOM", () => {
    const text = readProjectFile(".github/workflows/release.yml");
    expect(text.match(/npm publish --provenance/g)).toHaveLength(2);
    expect(text.match(/attest-sbom/g)).toHaveLength(2);
    expect(parse(text).jobs.publish.permissions["id-token"]).toBe("write");
  });

  it.each(listFiles(".github/ISSUE_TEMPLATE", ".yml").filter((path) => !path.endsWith("config.yml")))(
    "%s is a form whose fields have ids of their own",
    (path) => {
      const { name, description, body } = parse(readProjectFile(path));
      expect([typeof name, typeof description]).toEqual(["string", "string"]);
      const ids: readonly string[] = body.map(({ id }: { readonly id: string }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );
});

describe("docs/deploy.md and CONTRIBUTING.md", () => {
  const blocks = ["docs/deploy.md", "CONTRIBUTING.md"].flatMap((path) =>
    [...readProjectFile(path).matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block),
  );
  const lines = blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, "").split("\n"));

  it("run scripts that there are", () => {
    const names = lines.flatMap((line) => /^npm run ([\w:-]+)/.exec(line)?.[1] ?? []);
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) expect(scripts).toHaveProperty([name]);
  });

  it("run commands of onym that there are, with their flags", () => {
    const commands = lines.flatMap((line) => /(?:^|-v \S+ )onym ([a-z][^#]*)/.exec(line)?.[1]?.trim() ?? []);
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) {
      const words = command.split(/\s+/);
      const path = words.slice(0, ["store", "audit"].includes(words[0] ?? "") ? 2 : 1);
      const { code, out } = runOnym(projectRoot, [...path, "--help"]);
      expect([command, code]).toEqual([command, 0]);
      for (const flag of words.filter((word) => word.startsWith("--"))) expect(out).toContain(flag);
    }
  });

  it("name files that there are", () => {
    const named = lines.flatMap((line) => [...line.matchAll(/\bdeploy\/[\w.-]+/g)].map(([path]) => path));
    expect(named.length).toBeGreaterThan(3);
    for (const path of named.filter((each) => each !== "deploy/.env"))
      expect(() => readProjectFile(path)).not.toThrow();
  });
});
