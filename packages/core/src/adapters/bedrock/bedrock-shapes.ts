// The shapes of the Converse API that the adapter makes, as narrow as it makes them. The SDK's own types accept them.

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

/** What a result may hold. JSON has to be an object there. */
export type BedrockResultContent = BedrockTextBlock | { json: { [property: string]: BedrockJson } };

export interface BedrockToolResultBlock {
  toolResult: { toolUseId: string; content: BedrockResultContent[]; status?: "error" | "success" };
}

/** Blocks of other kinds (reasoning, images, documents …) are kept as they came. */
export type BedrockBlock = BedrockTextBlock | BedrockToolUseBlock | BedrockToolResultBlock;

export interface BedrockMessage {
  role: "user" | "assistant" | "system";
  content: BedrockBlock[];
}

export interface BedrockHistory extends WrittenHistory<BedrockMessage> {
  /** What the system said before anyone else: the `system` of the request. */
  readonly system: BedrockTextBlock[];
}

export const BEDROCK = "bedrock";

/** Longest id of a call that Converse takes. */
export const LONGEST_ID = 64;

/** Converse refuses blank text, also as the result of a tool that has nothing to say. */
export const NO_OUTPUT = "(no output)";
