// A config of lists alone, for tests of commands that need no server.

import { expect } from "vitest";
import { folderWith, type OnymRun } from "./run-onym.js";

export function widerThan(columns: number, text: string): readonly string[] {
  return text.split("\n").filter((line) => Array.from(line).length > columns);
}

export function json(ran: OnymRun) {
  expect(ran.err).toBe("");
  return JSON.parse(ran.out);
}

export const CRM = {
  mcpServers: {
    salesforce: { tools: ["get_leads", "create_lead"] },
    "salesforce-v2": { integration: "salesforce", version: 2, tools: ["create_lead"] },
    docs: { tools: ["search"] },
    wiki: { tools: ["search", { name: "read page", description: "Reads" }] },
  },
};
/** A folder of its own, until the test file ends. */
export const crmFolder = () => folderWith({ "onym.json": CRM });
