// The script of a scripted server: what it is called, what it offers, which eras it speaks.

import { readFileSync } from "node:fs";

/** From the first argument or `ONYM_TEST_SCRIPT`: the JSON itself, or the path of a file with it. */
export function readScript(argument = process.argv[2] ?? process.env.ONYM_TEST_SCRIPT ?? "{}") {
  const text = argument.trimStart().startsWith("{") ? argument : readFileSync(argument, "utf8");
  return defineScript(JSON.parse(text));
}

export function defineScript(given) {
  const eras = given.eras ?? ["legacy", "modern"];
  return {
    label: given.label ?? "scripted",
    /** What it announces. */
    version: given.version ?? "1.0.0",
    eras,
    tools: (given.tools ?? []).map(describeTool),
    prompts: given.prompts ?? [],
    resources: given.resources ?? [],
    templates: given.templates ?? [],
    instructions: given.instructions,
    /** Tools of one page; all of them where not given. */
    pageSize: given.pageSize ?? Number.POSITIVE_INFINITY,
    /** Pages after the first are answered with an error, until it is told to fix. */
    losesPages: given.losesPages ?? false,
    ttlMs: given.ttlMs ?? 0,
    /** How calls are answered from the start; `control` changes it later. */
    behaviours: given.behaviours ?? [],
    /** The loopback port of whoever directs it. */
    control: given.control,
  };
}

/** A name alone is a tool, too. Every field of an object is kept. */
export function describeTool(tool) {
  if (typeof tool !== "string") return tool;
  return {
    name: tool,
    description: `Echoes ${tool}`,
    inputSchema: { type: "object", properties: { nonce: { type: "string" } } },
  };
}
