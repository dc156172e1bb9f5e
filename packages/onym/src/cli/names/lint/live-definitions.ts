// What in the definition of a listed tool makes clients refuse the whole list, or leaves models in the dark.

import { type Problem, quoteText, type Tool } from "@onym/core";
import { isJsonObject } from "../../../mcp/json.js";

type DefinitionProblem = Pick<Problem, "code" | "severity" | "message" | "fix">;

export function checkDefinition({
  raw,
  definition,
}: Pick<Tool, "raw" | "definition">): readonly DefinitionProblem[] {
  const { inputSchema, outputSchema, description } = definition;
  const problems: DefinitionProblem[] = [];
  if (!isObjectSchema(inputSchema)) {
    const what =
      inputSchema === undefined ? "has no inputSchema" : "has an inputSchema that is not of type object";
    problems.push({
      code: "bad-input-schema",
      severity: "error",
      message: `${quoteText(raw)} ${what}: many clients refuse the whole list for that.`,
      fix: 'Give it {"type": "object"} at least; behind Onym it gets that.',
    });
  }
  if (outputSchema !== undefined && !isObjectSchema(outputSchema)) {
    problems.push({
      code: "bad-output-schema",
      severity: "warning",
      message: `${quoteText(raw)} has an outputSchema that is not of type object, which clients before 2026-07-28 refuse.`,
      fix: 'Wrap it in {"type": "object"}; behind Onym those clients do not see it.',
    });
  }
  if (description === undefined || description.trim() === "") {
    problems.push({
      code: "no-description",
      severity: "warning",
      message: `${quoteText(raw)} has no description, so a model has only its name to choose by.`,
      fix: "Say in the server what it does.",
    });
  }
  return problems;
}

function isObjectSchema(schema: unknown): boolean {
  return isJsonObject(schema) && schema["type"] === "object";
}
