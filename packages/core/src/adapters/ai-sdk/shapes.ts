// The AI SDK shapes that the adapter produces, typed as narrowly as possible. The SDK's own types accept them.

/** A schema in the Standard Schema convention; see `buildSchema` for its other format. */
export interface AiSdkSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "onym";
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/** A value of a `ToolSet`. */
export interface AiSdkTool<Options> {
  type: "dynamic";
  description: string;
  inputSchema: AiSdkSchema;
  /** The SDK shows the tool only after its `toolSearch` found it. */
  deferLoading?: boolean;
  /** Without it the SDK returns the calls instead of running them. */
  execute?: (input: unknown, options: Options) => unknown;
}

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue | undefined };

export type AiSdkOutput =
  | { type: "text"; value: string }
  | { type: "error-text"; value: string }
  | { type: "json"; value: JsonValue }
  | { type: "error-json"; value: JsonValue };

interface AiSdkTextPart {
  type: "text";
  text: string;
}

export interface AiSdkToolCallPart {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
}

export interface AiSdkToolResultPart {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: AiSdkOutput;
}

export interface AiSdkToolMessage {
  role: "tool";
  content: AiSdkToolResultPart[];
}

/** A `ModelMessage`. Parts of other kinds are kept unchanged. */
export type AiSdkMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | AiSdkTextPart[] }
  | { role: "assistant"; content: (AiSdkTextPart | AiSdkToolCallPart)[] }
  | AiSdkToolMessage;
