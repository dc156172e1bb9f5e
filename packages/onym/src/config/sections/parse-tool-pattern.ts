// A canonical name with globs in it, as rules write it: `salesforce@*/delete_*`, `prod:*@*/delete_*`. Text → pattern, or why it is none.

import { quoteText } from "@onym/core";
import type { ToolPattern, VersionPattern } from "../../model/policy-rule.js";

interface PatternProblem {
  readonly code: "bad-pattern";
  readonly message: string;
  readonly fix: string;
}

type Parsed =
  | { readonly ok: true; readonly value: ToolPattern }
  | { readonly ok: false; readonly problem: PatternProblem };

const TOOLBOX = /^[A-Za-z0-9_*?-]+$/;
/** What an integration may look like once every `?` is a letter and every `*` any number of them, hyphens included. */
const INTEGRATION = /^[a-z0-9*?]+(?:-[a-z0-9*?]+)*$/;
const NUMBER = /^v?([1-9][0-9]{0,14})$/;

/**
 * The first `/` ends the integration and the last `@` starts the tool's version, as in canonical names. A text without
 * `/` is refused rather than held against raw or public names: which tools it reached would depend on the client.
 *
 * @example
 * parseToolPattern("mail@2/send");
 * // { ok: true, value: { text: "mail@2/send", integration: "mail", integrationVersion: 2, tool: "send", … } }
 */
export function parseToolPattern(text: string): Parsed {
  const slash = text.indexOf("/");
  if (slash < 0) return refuse(`${quoteText(text)} is not a canonical name.`, meantPattern(text));
  const colon = text.lastIndexOf(":", slash);
  const toolbox = colon < 0 ? undefined : text.slice(0, colon);
  if (toolbox !== undefined && !TOOLBOX.test(toolbox)) {
    return refuse(
      `The text before the : of ${quoteText(text)} is not the id of a toolbox.`,
      "Use letters, digits, - and _, with * and ?, for example dev:filesystem@*/*.",
    );
  }
  const [integration = "", ...versions] = text.slice(colon + 1, slash).split("@");
  if (!INTEGRATION.test(integration)) {
    const lower = integration.toLowerCase();
    return refuse(
      `The text before the / of ${quoteText(text)} is not an integration.`,
      INTEGRATION.test(lower)
        ? `Integrations are lower case: write ${quoteText(`${text.slice(0, colon + 1)}${lower}${text.slice(colon + 1 + integration.length)}`)}.`
        : "Use lower-case letters, digits and single hyphens, with * and ?, for example data-*.",
    );
  }
  const at = text.lastIndexOf("@");
  const hasVersion = at > slash;
  const tool = text.slice(slash + 1, hasVersion ? at : undefined);
  if (tool === "") {
    const meant = `${text.slice(0, slash)}/*${text.slice(slash + 1)}`;
    return refuse(
      `There is no tool after the / of ${quoteText(text)}.`,
      `Write ${quoteText(meant)} for all of them.`,
    );
  }
  const integrationVersion = parseVersion(versions.length === 0 ? undefined : versions.join("@"));
  const toolVersion = parseVersion(hasVersion ? text.slice(at + 1) : undefined);
  if (integrationVersion === "bad" || toolVersion === "bad") {
    return refuse(
      `A version in ${quoteText(text)} is not one.`,
      hasVersion && toolVersion === "bad"
        ? `Write a whole number from 1 up, or * for every version. If the @ belongs to the tool's name, write ${quoteText(`${text}@*`)}.`
        : "Write a whole number from 1 up, or * for every version.",
    );
  }
  return { ok: true, value: { text, toolbox, integration, integrationVersion, tool, toolVersion } };
}

/** `latest` is refused: what a rule is about must not depend on what else is there. */
function parseVersion(text: string | undefined): VersionPattern | "bad" {
  if (text === undefined) return undefined;
  if (text === "*") return "any";
  const digits = NUMBER.exec(text)?.[1];
  return digits === undefined ? "bad" : Number(digits);
}

function meantPattern(text: string): string {
  // The form that canonical names have in addresses (CANON-5).
  const plain = text.replace("~", "/");
  const beforeTilde = text.slice(0, Math.max(0, text.indexOf("~")));
  const meant = beforeTilde.includes("@") && parseToolPattern(plain).ok ? plain : `*@*/${text}@*`;
  const others = meant === plain ? "" : " Of a public name, onym names shows the canonical one.";
  return `Rules match canonical names, integration@version/tool@version. Did you mean ${quoteText(meant)}?${others}`;
}

function refuse(message: string, fix: string): { readonly ok: false; readonly problem: PatternProblem } {
  return { ok: false, problem: { code: "bad-pattern", message, fix } };
}
