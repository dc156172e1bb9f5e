// The section `policy` → checked rules. A rule that matches nothing, or something that was not meant, is refused when the
// config is read, so that it is no hole later (POL-1, CFG-2).

import { type Owner, quoteText } from "@onym/core";
import * as z from "zod/mini";
import type { PolicyRule, ToolPattern } from "../../model/policy-rule.js";
import type { ConfigProblem } from "../config-problem.js";
import type { JsonPath } from "../json/json-path.js";
import { didYouMean } from "../json/near-text.js";
import { type ConfigFile, policySection } from "../schema/config-schema.js";
import { parseToolPattern } from "./parse-tool-pattern.js";
import { NO_POLICY, type PolicyConfig } from "./policy-config.js";

type Written = NonNullable<ConfigFile["policy"]>;
type WrittenRule = NonNullable<Written["rules"]>[number];

export interface ReadPolicyInput {
  /** All servers of the file, disabled ones too. */
  readonly owners: readonly Owner[];
  readonly toolboxes: readonly string[];
  readonly note: (path: JsonPath, problem: Pick<ConfigProblem, "code" | "message" | "fix">) => void;
  /** Reports what is valid but may be a mistake. */
  readonly remark: (text: string) => void;
  /** The canonical name that a public one leads to, as far as the file says (POL-5). */
  readonly meant?: (text: string) => string | undefined;
}

/** A section of a wrong type was reported before and counts as none here. */
export function readPolicy(written: ConfigFile["policy"], input: ReadPolicyInput): PolicyConfig {
  if (written === undefined || !z.safeParse(policySection, written).success) return NO_POLICY;
  const rules = written.rules ?? [];
  if (written.default === undefined && rules.length > 0 && rules.every(({ effect }) => effect === "allow")) {
    input.note(["policy", "rules"], {
      code: "no-default",
      message: "All rules allow, and without a default everything else is allowed too.",
      fix: 'Add "default": "deny" (or "ask") to the policy, or "default": "allow" if that is meant.',
    });
  }
  return {
    default: written.default ?? NO_POLICY.default,
    rules: rules.map((rule, index) => readRule(rule, ["policy", "rules", index], input)),
    annotations: Object.entries(written.annotations ?? {}).flatMap(([text, hints]) =>
      readPatterns([text], () => ["policy", "annotations", text], input).map((tool) => ({ tool, hints })),
    ),
    trusted: (written.trusted ?? []).flatMap((server, index) =>
      readTrusted(server, ["policy", "trusted", index], input),
    ),
    newTools: written.newTools ?? NO_POLICY.newTools,
    ask: {
      when: written.ask?.when ?? NO_POLICY.ask.when,
      waitMs: written.ask?.waitMs ?? NO_POLICY.ask.waitMs,
    },
  };
}

function readRule(rule: WrittenRule, path: JsonPath, input: ReadPolicyInput): PolicyRule {
  const read = (key: "resource" | "server" | "toolbox" | "caller") =>
    readTexts(rule[key], [...path, key], input);
  checkKinds(rule, path, input);
  const server = read("server");
  const toolbox = read("toolbox");
  const servers = input.owners.map((owner) => owner.server);
  for (const id of server ?? []) remarkMissing("server", id, servers, path, input);
  for (const id of toolbox ?? []) remarkMissing("toolbox", id, input.toolboxes, path, input);
  const { effect, annotations, note } = rule;
  return {
    effect,
    tool: readNames(rule, "tool", path, input),
    resource: read("resource"),
    prompt: readNames(rule, "prompt", path, input),
    server,
    toolbox,
    caller: read("caller"),
    annotations,
    note,
  };
}

/** Canonical names of tools or prompts, with globs. */
function readNames(
  rule: WrittenRule,
  key: "tool" | "prompt",
  path: JsonPath,
  input: ReadPolicyInput,
): readonly ToolPattern[] | undefined {
  const texts = readTexts(rule[key], [...path, key], input);
  if (texts === undefined) return undefined;
  const placeOf = (index: number) => [...path, key, ...(Array.isArray(rule[key]) ? [index] : [])];
  // What a public name leads to is known of tools alone.
  const { meant: _, ...rest } = input;
  const patterns = readPatterns(texts, placeOf, key === "tool" ? input : rest);
  for (const { toolbox } of patterns)
    if (toolbox !== undefined) remarkMissing("toolbox", toolbox, input.toolboxes, path, input);
  return patterns;
}

/** Nothing is a tool and a resource: a rule that asks for both would never apply (POL-9). */
function checkKinds(rule: WrittenRule, path: JsonPath, { note }: ReadPolicyInput): void {
  const kinds = (["tool", "annotations", "resource", "prompt"] as const).filter(
    (key) => rule[key] !== undefined,
  );
  const [first, second] = kinds.filter((key) => key !== "annotations" || !kinds.includes("tool"));
  if (first === undefined || second === undefined) return;
  note([...path, second], {
    code: "bad-pattern",
    message: `Nothing meets both "${first}" and "${second}", so the rule would never apply.`,
    fix: "Write a rule for each of them.",
  });
}

/** One text or several; an empty list or text would be a condition that nothing meets. */
function readTexts(
  written: string | readonly string[] | undefined,
  path: JsonPath,
  { note }: ReadPolicyInput,
): readonly string[] | undefined {
  if (written === undefined) return undefined;
  const found = typeof written === "string" ? [written] : written;
  if (found.length === 0 || found.includes("")) {
    note(path, {
      code: "bad-pattern",
      message: `An empty ${found.length === 0 ? "list" : "text"} matches nothing, so the rule would never apply.`,
      fix: 'Leave the key out, or write "*", for all.',
    });
  }
  return found;
}

function readPatterns(
  texts: readonly string[],
  placeOf: (index: number) => JsonPath,
  { note, meant }: ReadPolicyInput,
): readonly ToolPattern[] {
  return texts.flatMap((text, index) => {
    if (text === "") return [];
    const parsed = parseToolPattern(text);
    if (parsed.ok) return [parsed.value];
    const canonical = text.includes("/") ? undefined : meant?.(text);
    note(
      placeOf(index),
      canonical === undefined ? parsed.problem : { ...parsed.problem, fix: writeCanonical(canonical) },
    );
    return [];
  });
}

function writeCanonical(canonical: string): string {
  return `Rules match canonical names, never public ones. Did you mean ${quoteText(canonical, 200)}?`;
}

/** To trust an id that no server has, or that two have, would trust the next server with that id. */
function readTrusted(
  written: NonNullable<Written["trusted"]>[number],
  path: JsonPath,
  { owners, note }: ReadPolicyInput,
): readonly Owner[] {
  const { server, toolbox } = typeof written === "string" ? { server: written, toolbox: undefined } : written;
  const meant = owners.filter(
    (owner) => owner.server === server && (toolbox === undefined || owner.toolbox === toolbox),
  );
  if (meant.length === 1) return meant;
  const ids = owners.map((owner) => owner.server);
  note(
    path,
    meant.length === 0
      ? {
          code: "unknown-server",
          message: `There is no server ${quoteText(server)}${toolbox === undefined ? "" : ` in the toolbox ${quoteText(toolbox)}`} to trust.`,
          fix: `${didYouMean(server, ids)}Name a server of this file.`,
        }
      : {
          code: "ambiguous-server",
          message: `Several servers are called ${quoteText(server)}.`,
          fix: 'Say which one: {"server": "SERVER", "toolbox": "TOOLBOX"}.',
        },
  );
  return [];
}

/** A rule for something that is not there is often a slip: a deny rule that never applies. */
function remarkMissing(
  what: "server" | "toolbox",
  id: string,
  known: readonly string[],
  path: JsonPath,
  { remark }: ReadPolicyInput,
): void {
  if (id === "" || /[*?]/.test(id) || known.includes(id)) return;
  const near = didYouMean(id, known).trimEnd();
  const rule = `policy.rules[${String(path.at(-1))}]`;
  remark(
    `${rule} is about the ${what} ${quoteText(id)}, which this file does not have.${near && ` ${near}`}`,
  );
}
