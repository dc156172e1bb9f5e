// Messages from the gateway to a client as JSON text.

import type { Notice, Question } from "../../downstream/downstream.js";

export function formatNotice({ method, params }: Notice): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

export function formatQuestion(id: string, { method, params }: Question): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}
