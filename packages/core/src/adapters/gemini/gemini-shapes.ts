// The shapes of the Gen AI SDK that the adapter makes, as narrow as it makes them. The SDK's own types accept them.

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

/** A part of a message; parts of other kinds are kept as they came. */
export interface GeminiPart {
  text?: string;
  functionCall?: GeminiFunctionCall;
  functionResponse?: GeminiFunctionResponse;
  thoughtSignature?: string;
}

/** A part with the answer to a call: what `result` and `refusal` make. */
export interface GeminiResponsePart extends GeminiPart {
  functionResponse: GeminiFunctionResponse;
}

export interface GeminiContent {
  role: "user" | "model";
  parts: GeminiPart[];
}
