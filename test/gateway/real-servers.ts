// The real servers that tests put behind Onym, and arguments that fit each of their tools.

import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);

/** What a config says of the three servers; their files are in the folder. */
export function realServers(folder: string): Readonly<Record<string, unknown>> {
  const files = join(folder, "files");
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, "note.txt"), "a note\n");
  writeFileSync(join(files, "dot.png"), Buffer.from(DOT, "base64"));
  const entity = { type: "entity", name: "Onym", entityType: "tool", observations: ["names"] };
  writeFileSync(join(folder, "memory.jsonl"), JSON.stringify(entity));
  const entry = (name: string, ...args: string[]) => ({
    command: process.execPath,
    args: [require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  });
  return {
    everything: entry("everything", "stdio"),
    filesystem: entry("filesystem", files),
    memory: { ...entry("memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
  };
}

/** Registered by the everything server once it knows what its client can do, so after its first list. */
export const LATE_TOOLS = [
  "get-roots-list",
  "trigger-elicitation-request",
  "trigger-url-elicitation",
  "trigger-sampling-request",
  "simulate-research-query",
];

/** Fitting arguments for a tool, by its raw name. */
export function realArguments(raw: string, folder: string): Readonly<Record<string, unknown>> {
  const file = join(folder, "files", "note.txt");
  const path = join(folder, "files");
  const given: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    echo: { message: "hello" },
    "get-annotated-message": { messageType: "success" },
    "get-resource-links": { count: 2 },
    "get-structured-content": { location: "Chicago" },
    "get-sum": { a: 2, b: 3 },
    "gzip-file-as-resource": { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" },
    "trigger-long-running-operation": { duration: 0.02, steps: 2 },
    "trigger-url-elicitation": { url: "https://example.com/consent" },
    "trigger-sampling-request": { prompt: "Say something", maxTokens: 5 },
    "simulate-research-query": { topic: "names" },
    read_file: { path: file },
    read_text_file: { path: file },
    read_media_file: { path: join(path, "dot.png") },
    read_multiple_files: { paths: [file] },
    write_file: { path: join(path, "written.txt"), content: "written" },
    edit_file: { path: file, edits: [{ oldText: "a note", newText: "a note" }] },
    create_directory: { path: join(path, "folder") },
    list_directory: { path },
    list_directory_with_sizes: { path },
    directory_tree: { path },
    move_file: { source: join(path, "written.txt"), destination: join(path, "moved.txt") },
    search_files: { path, pattern: "*.txt" },
    get_file_info: { path: file },
    create_entities: { entities: [{ name: "Onym", entityType: "tool", observations: ["names"] }] },
    create_relations: { relations: [{ from: "Onym", to: "Onym", relationType: "is" }] },
    add_observations: { observations: [{ entityName: "Onym", contents: ["keeps names"] }] },
    delete_entities: { entityNames: ["nobody"] },
    delete_observations: { deletions: [{ entityName: "Onym", observations: ["nothing"] }] },
    delete_relations: { relations: [{ from: "a", to: "b", relationType: "c" }] },
    search_nodes: { query: "Onym" },
    open_nodes: { names: ["Onym"] },
  };
  return Object.hasOwn(given, raw) ? (given[raw] ?? {}) : {};
}

/** Tools that answer with an error of their own: they need what no client here has, or what is there already. */
export const MAY_FAIL: ReadonlySet<string> = new Set(["simulate-research-query", "move_file"]);

const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
