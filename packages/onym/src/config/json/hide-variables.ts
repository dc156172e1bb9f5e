// Problems of a config without what its variables stand for: whoever wrote it chose which variables of the environment it shows,
// to a log or to somebody who looks on, and a command may read a file before it is trusted (CFG-6).

import { escapeText, quoteText } from "@onym/core";
import type { ConfigProblem } from "../config-problem.js";

/** Shorter values are words such as `1` or `dev`: without them, messages could not be read. */
const SHORTEST = 4;
/** No message shows more of a text. */
const LONGEST = 1_000;
/** Where a message was cut. */
const CUT = "…";

/** @param variables The values that were filled in, by name. */
export function hideVariables<Problem extends Pick<ConfigProblem, "message" | "fix">>(
  problems: readonly Problem[],
  variables: ReadonlyMap<string, string>,
): readonly Problem[] {
  const values = [...variables]
    .flatMap(([name, value]) => formsOf(value).map((form) => ({ name: `\${${name}}`, value: form })))
    .filter(({ value }) => value.length >= SHORTEST)
    .sort((a, b) => b.value.length - a.value.length);
  const hide = (text: string): string =>
    values.reduce(
      (left, { name, value }) =>
        hideCut(
          left.replaceAll(value, () => name),
          value,
          name,
        ),
      text,
    );
  return problems.map((problem) => ({ ...problem, message: hide(problem.message), fix: hide(problem.fix) }));
}

/** As messages show a text, and as they quote it. */
function formsOf(value: string): readonly string[] {
  const shown = escapeText(value);
  const quoted = quoteText(value, Number.POSITIVE_INFINITY).slice(1, -1);
  return quoted === shown ? [shown] : [shown, quoted];
}

/** The start and the end of a value, which was cut in between. */
function hideCut(text: string, value: string, name: string): string {
  if (!text.includes(CUT)) return text;
  const parts = text.split(CUT);
  return parts
    .map((part, index) => {
      const start = index === 0 ? 0 : partLength(value, (length) => part.startsWith(value.slice(-length)));
      const rest = start === 0 ? part : name + part.slice(start);
      const end =
        index === parts.length - 1 ? 0 : partLength(value, (length) => rest.endsWith(value.slice(0, length)));
      return end === 0 ? rest : rest.slice(0, -end) + name;
    })
    .join(CUT);
}

/** How much of the value is there; 0 where that is too little to tell. */
function partLength(value: string, isThere: (length: number) => boolean): number {
  for (let length = Math.min(value.length, LONGEST); length >= SHORTEST; length -= 1)
    if (isThere(length)) return length;
  return 0;
}
