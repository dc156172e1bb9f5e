// The first two identity layers, public name and namespace, and how they are read from tools and calls.

declare const publicName: unique symbol;
declare const namespace: unique symbol;

/** Layer 1: what a client or a model sees and sends. Never empty. */
export type PublicName = string & { readonly [publicName]: true };

/** Layer 2: distinguishes tools with the same public name. Never empty; absence is `undefined`. */
export type Namespace = string & { readonly [namespace]: true };

/** A tool as an agent builder declares it. Not trusted: every read checks the fields. */
export interface FunctionTool {
  readonly name: string;
  readonly namespace?: string | undefined;
  /** The model has to search for the tool before it is loaded. */
  readonly deferred?: boolean | undefined;
  /** The OpenAI Agents SDK's name for `deferred`. */
  readonly deferLoading?: boolean | undefined;
  /** Label for spans and logs, if the name itself is unsuitable. */
  readonly traceName?: string | undefined;
}

/** The public name and namespace of a tool or a call. */
export interface NameParts {
  readonly name: PublicName;
  readonly namespace: Namespace | undefined;
}

/**
 * Only non-empty text is a name; nothing is converted.
 *
 * @example
 * publicNameOf("search"); // "search"
 * publicNameOf(123); // undefined
 */
export function publicNameOf(value: unknown): PublicName | undefined {
  return typeof value === "string" && value !== "" ? (value as PublicName) : undefined;
}

/**
 * Reads `name` and `namespace` from any value, including the namespace that the OpenAI Agents SDK attaches to a
 * tool. If a namespace is present but is not text, the result is `undefined`: ignoring it would turn a namespaced
 * call into a bare one.
 *
 * @example
 * readNameParts({ name: "lookup", namespace: "crm" }); // { name: "lookup", namespace: "crm" }
 * readNameParts({ name: "lookup", namespace: "" }); // { name: "lookup", namespace: undefined }
 */
export function readNameParts(value: unknown): NameParts | undefined {
  const name = publicNameOf(ownField(value, "name"));
  if (name === undefined) return undefined;
  const given = sdkNamespace(value) ?? ownField(value, "namespace");
  if (given === undefined || given === null || given === "") return { name, namespace: undefined };
  if (typeof given !== "string") return undefined;
  return { name, namespace: given as Namespace };
}

/**
 * The namespace that `toolNamespace()` of the OpenAI Agents SDK stores in a tool under a symbol. The SDK does not
 * export the symbol, so it is recognised by its description. Values from JSON never have one.
 */
function sdkNamespace(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const symbol of Object.getOwnPropertySymbols(value)) {
    const given: unknown = symbol.description === "functionToolNamespace" ? Reflect.get(value, symbol) : "";
    if (typeof given === "string" && given !== "") return given;
  }
  return undefined;
}

/**
 * Whether the namespace repeats the name, which is the wire format reserved for deferred top-level tools (ID-2).
 */
export function hasReservedNamespace(parts: NameParts): boolean {
  const { name, namespace }: { name: string; namespace: string | undefined } = parts;
  return namespace === name;
}

/** Own fields only: foreign data must not reach a prototype (SAFE-1). */
export function ownField(value: unknown, field: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, field)) return undefined;
  return Reflect.get(value, field);
}
