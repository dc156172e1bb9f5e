// onym policy: which rules match a call, which of them decides, and why; and the end of quarantine (POL-1).

import { type Owner, quoteText, type Tool } from "@onym/core";
import { Option } from "commander";
import type { Config } from "../../config/config.js";
import { idleRulesOf, policyOf, subjectNamed } from "../../configured/policy-of.js";
import { LOCAL_PRINCIPAL } from "../../model/auth-settings.js";
import type { PolicySubject } from "../../model/policy-rule.js";
import type { ExitCode } from "../../output/show-error.js";
import { showNote } from "../../output/show-note.js";
import { showProblems } from "../../output/show-problems.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import { wrapLines } from "../../output/wrap-text.js";
import type { IsNew, Policy } from "../../policy/build-policy.js";
import { explainItemPolicy, explainPolicy } from "../../policy/explain-policy.js";
import { noteLeft } from "../catalog/left-out.js";
import { type Opened, type OpenOptions, openLiveSnapshot, reportOrigin } from "../catalog/open-live.js";
import { type DefineCommand, HELP_COMMAND } from "../command.js";
import { type ContextOptions, contextOf } from "../names/context-of.js";
import { EFFECT_STYLES } from "../names/format-policy.js";
import { formatResolution } from "../names/format-resolution.js";
import { findHidden } from "../names/hidden-tools.js";
import { reportResolution } from "../names/report-resolution.js";
import { addCatalogOptions, addJsonOption, addLiveOption, addProfileOption } from "../options.js";
import { defineAdmit } from "./admit.js";
import { explainNewness, findNewness } from "./find-newness.js";
import { itemOf, type NamedItem, ownerOfItem } from "./item-of.js";

/** `as` is a caller here, not the gateway's alias. */
interface TestOptions extends Omit<OpenOptions, "as">, ContextOptions {
  readonly as: string;
  readonly kind: "tool" | "prompt" | "resource";
  readonly profile?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Exit 0 when the call is allowed, 1 when it is asked about, denied, or the name leads nowhere.

Examples:
  onym policy test sf_delete_lead
  onym policy test salesforce@1/delete_lead@1 --as ci
  onym policy test delete_lead --server salesforce --live --json
  onym policy test file:///work/notes.md --kind resource --server docs --as ci`;

export const definePolicy: DefineCommand = (command, context) => {
  const { terminal, run, version } = context;
  command
    .helpCommand(...HELP_COMMAND)
    .addHelpText(
      "after",
      "\nExamples:\n  onym policy test sf_delete_lead --as ci\n  onym policy admit --server salesforce",
    );
  defineAdmit(command.command("admit"), context);
  const test = command
    .command("test")
    .description("which rules match a call, and which decides")
    .argument("<name>", "any spelling of a tool; with --kind, a prompt's name or a resource's address")
    .addOption(
      new Option("--kind <kind>", "what the name is of")
        .choices(["tool", "prompt", "resource"])
        .default("tool"),
    )
    .option("--as <caller>", "who calls: the name of a token, or the subject of one", LOCAL_PRINCIPAL)
    .option("--server <id>", "the server a raw name belongs to")
    .option("--toolbox <id>", "the toolbox a raw name belongs to");
  addProfileOption(test, "whose names come first (default: naming.profile of the config, else universal)");
  addCatalogOptions(addLiveOption(test));
  addJsonOption(test)
    .addHelpText("after", EXAMPLES)
    .action((text: string, options: Omit<TestOptions, "version">) =>
      run(() => testPolicy(text, { ...options, version }, terminal)),
    );
};

async function testPolicy(text: string, options: TestOptions, terminal: Terminal): Promise<ExitCode> {
  const { as: principal, ...open } = options;
  const checkConfig = (read: Config): void => void contextOf(options, read);
  const opened = await openLiveSnapshot({ ...open, checkConfig }, terminal);
  const { config, snapshot } = opened;
  const profile = options.profile ?? config.naming.profile ?? "universal";
  const context = contextOf(options, config);
  const resolution = snapshot.resolve(text, { profile, context });
  const hidden = findHidden(opened.hidden, { text, resolution }, { profile, context });
  noteLeft(opened, terminal);
  if (options.kind !== "tool")
    return testItem({ kind: options.kind, text, principal }, options, opened, terminal);
  if (resolution.outcome !== "resolved") {
    if (options.json === true)
      await writeJson(terminal, { ...reportResolution(text, resolution, hidden), ...reportOrigin(opened) });
    else {
      const [verdict = ""] = snapshot.explain(text, { profile, context });
      const shown = formatResolution(verdict, { text, resolution }, { problems: snapshot.problems, hidden });
      terminal.err(`${shown.join("\n")}\n`);
    }
    return 1;
  }
  const { tool } = resolution;
  const policy = policyOf(config, snapshot);
  const subject = subjectNamed(principal, config);
  const newness = await findNewness(tool, config, terminal);
  const isNew = () => newness === "new";
  const { effect } = policy.decide(tool, subject, isNew);
  const findings = idleRulesOf(config, snapshot);
  if (options.json === true)
    await writeJson(terminal, {
      ...reportPolicy(text, { policy, tool, subject, isNew }),
      newness,
      findings,
      ...reportOrigin(opened),
    });
  else {
    const [head = "", ...lines] = explainPolicy(policy, tool, subject, isNew);
    const shown = [terminal.paint(EFFECT_STYLES[effect], head), ...lines];
    await terminal.out(`${wrapLines(shown, terminal.columns).join("\n")}\n`);
    const note = explainNewness(newness, tool);
    if (note !== undefined) showNote(note, terminal);
    if (lacksAnnotations(tool, opened))
      showNote("its annotations are not on record, and a rule goes by them: ask with --live.", terminal);
    showProblems(findings, terminal);
  }
  return effect === "allow" ? 0 : 1;
}

/** A prompt or resource need not be known: rules are about its name or address, and its server (POL-9). */
async function testItem(
  {
    kind,
    text,
    principal,
  }: { readonly kind: NamedItem["kind"]; readonly text: string; readonly principal: string },
  options: TestOptions,
  { config, snapshot, ...opened }: Opened,
  terminal: Terminal,
): Promise<ExitCode> {
  const named = ownerOfItem(kind, text, options, config);
  const item = itemOf(named, config);
  const policy = policyOf(config, snapshot);
  const subject = subjectNamed(principal, config);
  const { effect, rule, why } = policy.decideItem(item, subject);
  if (options.json === true) {
    const { server, toolbox, text: raw } = named;
    const matches = policy
      .matchesItem(item, subject)
      .map((match) => ({ ...match, decides: match.rule === rule }));
    await writeJson(terminal, {
      input: text,
      kind,
      server,
      toolbox,
      raw,
      caller: principal,
      effect,
      rule,
      why,
      matches,
      findings: idleRulesOf(config, snapshot),
      ...reportOrigin(opened),
    });
  } else {
    const shown = `${kind} ${quoteText(named.text)} of ${quoteText(named.server)}`;
    const [head = "", ...lines] = explainItemPolicy(policy, { item, shown }, subject);
    const text = [terminal.paint(EFFECT_STYLES[effect], head), ...lines];
    await terminal.out(`${wrapLines(text, terminal.columns).join("\n")}\n`);
  }
  return effect === "allow" ? 0 : 1;
}

/** A rule goes by what a trusted server says of its tools, and that is not known from the record. */
function lacksAnnotations(
  { server, toolbox }: Tool,
  { config: { policy }, recorded }: Pick<Opened, "config" | "recorded">,
): boolean {
  const isOwner = (owner: Owner): boolean => owner.server === server && owner.toolbox === toolbox;
  return (
    policy.rules.some(({ annotations }) => annotations !== undefined) &&
    policy.trusted.some(isOwner) &&
    [...recorded].some(({ source }) => isOwner(source))
  );
}

function reportPolicy(
  input: string,
  {
    policy,
    tool,
    subject,
    isNew,
  }: {
    readonly policy: Policy;
    readonly tool: Tool;
    readonly subject: PolicySubject;
    readonly isNew: IsNew;
  },
) {
  const { canonical, server, toolbox, raw } = tool;
  const { effect, rule, why } = policy.decide(tool, subject, isNew);
  return {
    input,
    outcome: "resolved",
    canonical,
    server,
    toolbox,
    raw,
    caller: subject.principal,
    effect,
    rule,
    why,
    matches: policy
      .matches(tool, subject, isNew)
      .map((match) => ({ ...match, decides: match.rule === rule })),
    annotations: policy.hintsOf(tool),
  };
}
