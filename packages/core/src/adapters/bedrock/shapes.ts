// The Converse API shapes that the adapter produces, typed as narrowly as possible. The SDK's own types accept
// them.

import type { WrittenHistory } from "../history.js";

export type BedrockJson =
  | null
  | boolean
  | number
  | string
  | BedrockJson[]
  | { [property: string]: BedrockJson };

export interface BedrockToolSpec {
  toolSpec: { name: string; description: string; inputSchema: { json: BedrockJson } };
}

/** An entry of `toolConfig.tools`. */
export type BedrockTool = BedrockToolSpec | { systemTool: { name: string } };

export interface BedrockTextBlock {
  text: string;
}

interface BedrockToolUseBlock {
  toolUse: { toolUseId: string; name: string; input: BedrockJson };
}

/** What a result may contain. JSON must be an object. */
export type BedrockResultContent = BedrockTextBlock | { json: { [property: string]: BedrockJson } };

export interface BedrockToolResultBlock {
  toolResult: { toolUseId: string; content: BedrockResultContent[]; status?: "error" | "success" };
}

/** Blocks of other kinds (reasoning, images, documents …) are kept unchanged. */
export type BedrockBlock = BedrockTextBlock | BedrockToolUseBlock | BedrockToolResultBlock;

export interface BedrockMessage {
  role: "user" | "assistant" | "system";
  content: BedrockBlock[];
}

export interface BedrockHistory extends WrittenHistory<BedrockMessage> {
  /** System text at the start of the conversation: the `system` of the request. */
  readonly system: BedrockTextBlock[];
}

export const BEDROCK = "bedrock";

/** The longest call id that Converse accepts. */
export const MAX_ID_LENGTH = 64;

/** Converse rejects blank text, even as the result of a tool without output. */
export const NO_OUTPUT = "(no output)";
