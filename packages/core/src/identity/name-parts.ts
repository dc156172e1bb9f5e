// The first two identity layers, public name and namespace, and how both are read from tools and from calls.

declare const publicName: unique symbol;
declare const namespace: unique symbol;

/** Layer 1: what a client or a model sees and sends. Never empty. */
export type PublicName = string & { readonly [publicName]: true };

/** Layer 2: tells tools with the same public name apart. Never empty; absence is `undefined`. */
export type Namespace = string & { readonly [namespace]: true };

/** A tool as an agent builder declares it. What is really inside is checked wherever it is read. */
export interface FunctionTool {
  readonly name: string;
  readonly namespace?: string | undefined;
  /** Loaded only when the model searches for it. */
  readonly deferred?: boolean | undefined;
  /** The same, as the OpenAI Agents SDK says it. */
  readonly deferLoading?: boolean | undefined;
  /** Label for spans and logs, where the name itself will not do. */
  readonly traceName?: string | undefined;
}

/** What names a tool or a call. */
export interface NameParts {
  readonly name: PublicName;
  readonly namespace: Namespace | undefined;
}

/**
 * Only text that is not empty is a name; nothing is converted.
 *
 * @example
 * publicNameOf("search"); // "search"
 * publicNameOf(123); // undefined
 */
export function publicNameOf(value: unknown): PublicName | undefined {
  return typeof value === "string" && value !== "" ? (value as PublicName) : undefined;
}

/**
 * Reads `name` and `namespace` from anything; of a tool that the OpenAI Agents SDK put into a namespace, that one. A namespace that is present but no text gives nothing at all:
 * to ignore it would turn a namespaced call into a bare one.
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
 * What `toolNamespace()` of the OpenAI Agents SDK leaves in a tool: a symbol of its own, which is told by its description
 * because the SDK does not hand it out. Nothing that was sent as JSON has one.
 */
function sdkNamespace(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const symbol of Object.getOwnPropertySymbols(value)) {
    const given: unknown = symbol.description === "functionToolNamespace" ? Reflect.get(value, symbol) : "";
    if (typeof given === "string" && given !== "") return given;
  }
  return undefined;
}

/** Whether the namespace repeats the name: the wire shape kept for deferred top-level tools (ID-2). */
export function hasReservedNamespace(parts: NameParts): boolean {
  const { name, namespace }: { name: string; namespace: string | undefined } = parts;
  return namespace === name;
}

/** Own fields only: what a stranger sends must not reach a prototype (SAFE-1). */
export function ownField(value: unknown, field: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, field)) return undefined;
  return Reflect.get(value, field);
}
