import { expect, it } from "vitest";
import { errorReply } from "../../mcp/message.js";
import { readInitialized } from "./read-handshake.js";

it.each([
  ["by the code of the specification", -32022, "Unsupported protocol version", { supported: ["2026-07-28"] }],
  ["by the code alone", -32022, "Unsupported protocol version", undefined],
  ["by its revisions under another code", -32004, "no", { supported: ["2025-11-25", "2026-07-28"] }],
  ["as it knows no initialize", -32601, "Method not found", undefined],
])("finds a server that speaks only the modern era: %s", (_, code, message, data) => {
  expect(readInitialized(errorReply(code, message, data))).toEqual({ kind: "other-era" });
});

it.each([
  ["says nothing of it", -32603, "no licence", undefined],
  ["names its revision in the message", -32603, "no licence since 2026-07-28", undefined],
  ["names its revision in other data", -32603, "no licence", { requested: "2026-07-28" }],
  ["supports older revisions only", -32602, "Unsupported protocol version", { supported: ["2024-11-05"] }],
  ["supports something unreadable", -32602, "no", { supported: "2026-07-28" }],
])("takes no other refusal for the modern era: one that %s", (_, code, message, data) => {
  expect(readInitialized(errorReply(code, message, data))).toEqual({
    kind: "refused",
    reason: `refused initialize: ${message}`,
  });
});
