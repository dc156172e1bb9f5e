// The Gen AI SDK shapes that the adapter produces, typed as narrowly as possible. The SDK's own types accept them.

export interface GeminiFunctionDeclaration {
  name: string;
  description: string;
  parametersJsonSchema: unknown;
}

/** An entry of `config.tools`. */
export interface GeminiTool {
  functionDeclarations: GeminiFunctionDeclaration[];
}

interface GeminiFunctionCall {
  id?: string;
  name: string;
  args: Record<string, unknown>;
}

interface GeminiFunctionResponse {
  id?: string;
  name: string;
  response: Record<string, unknown>;
}

/** A part of a message. Parts of other kinds are kept unchanged. */
export interface GeminiPart {
  text?: string;
  functionCall?: GeminiFunctionCall;
  functionResponse?: GeminiFunctionResponse;
  thoughtSignature?: string;
}

/** A part with the answer to a call, made by `result` and `refusal`. */
export interface GeminiResponsePart extends GeminiPart {
  functionResponse: GeminiFunctionResponse;
}

export interface GeminiContent {
  role: "user" | "model";
  parts: GeminiPart[];
}
