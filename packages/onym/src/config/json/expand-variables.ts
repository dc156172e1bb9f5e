// `${VAR}` and `${VAR:-default}` in a text, filled in from the environment (CFG-2). `$${` stands for a plain `${`.

import { quoteText } from "@onym/core";

export type Environment = Readonly<Record<string, string | undefined>>;

interface VariableProblem {
  readonly code: "missing-variable" | "bad-variable" | "editor-variable";
  /** The variable it is about, as it stands between the braces. */
  readonly variable?: string;
  readonly message: string;
  readonly fix: string;
}

export interface Expanded {
  readonly text: string;
  /** What was filled in from the environment, by the names of the variables. */
  readonly variables: ReadonlyMap<string, string>;
  readonly problems: readonly VariableProblem[];
  /** What only an editor can fill in, and was left as it is. */
  readonly unfilled: readonly VariableProblem[];
}

/** What editors fill in themselves when they start a server. Left as it is: only they know the value. */
const EDITOR_WORDS = new Set([
  "workspaceFolder",
  "workspaceFolderBasename",
  "workspaceRoot",
  "userHome",
  "pathSeparator",
  "/",
  "cwd",
]);
const EDITOR_FORM = /^(?:input|command|config|workspaceFolder):./;
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/**
 * Fills in the variables of one text.
 *
 * @example
 * expandVariables("${HOST:-localhost}:80", {}).text; // "localhost:80"
 */
export function expandVariables(text: string, env: Environment): Expanded {
  const variables = new Map<string, string>();
  const lookUp: LookUp = (name) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined) variables.set(name, value);
    return value;
  };
  return { ...fillText(text, lookUp), variables };
}

/** The names of the variables that would be looked up for a text, set or not. */
export function namesOfVariables(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  fillText(text, (name) => {
    names.add(name);
    return undefined;
  });
  return names;
}

function fillText(text: string, lookUp: LookUp): Omit<Expanded, "variables"> {
  if (!text.includes("${")) return { text, problems: [], unfilled: [] };
  const problems: VariableProblem[] = [];
  const unfilled: VariableProblem[] = [];
  let result = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf("${", at);
    if (start < 0) break;
    if (text[start - 1] === "$" && start > at) {
      result += `${text.slice(at, start - 1)}\${`;
      at = start + 2;
      continue;
    }
    result += text.slice(at, start);
    const end = text.indexOf("}", start);
    const filled = end < 0 ? badVariable(text.slice(start)) : fillIn(text.slice(start + 2, end), lookUp);
    at = end < 0 ? text.length : end + 1;
    if (typeof filled === "string") result += filled;
    else {
      (filled.code === "editor-variable" ? unfilled : problems).push(filled);
      result += text.slice(start, at);
    }
  }
  return { text: result + text.slice(at), problems, unfilled };
}

type LookUp = (name: string) => string | undefined;

function fillIn(inside: string, lookUp: LookUp): string | VariableProblem {
  const fromEditor = /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(inside)?.[1];
  if (fromEditor !== undefined) return lookUp(fromEditor) ?? editorVariable(inside);
  const [, name, fallback] = VARIABLE.exec(inside) ?? [];
  const value = name === undefined ? undefined : lookUp(name);
  if (EDITOR_FORM.test(inside) || EDITOR_WORDS.has(inside)) return value ?? editorVariable(inside);
  if (name === undefined || fallback?.includes("${") === true) return badVariable(`\${${inside}}`);
  // As in a shell: with a default, an empty value counts as none.
  if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
  if (value !== undefined) return value;
  return missingVariable(name);
}

export function missingVariable(name: string): VariableProblem {
  return {
    code: "missing-variable",
    variable: name,
    message: `The variable ${name} is not set.`,
    fix: `Set it, or give it a default: \${${name}:-default}.`,
  };
}

export function editorVariable(inside: string): VariableProblem {
  return {
    code: "editor-variable",
    variable: inside,
    message: `Only an editor can fill in \${${inside}}.`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a user writes.
    fix: "Write the value, or ${NAME} for a variable of the environment.",
  };
}

function badVariable(text: string): VariableProblem {
  return {
    code: "bad-variable",
    message: `${quoteText(text, 40)} is no variable.`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: these are the forms a user writes.
    fix: "Write ${NAME} or ${NAME:-default}; a default holds no further ${. For a plain ${ write $${.",
  };
}
