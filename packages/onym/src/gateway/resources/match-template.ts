// Checks whether a URI could have come from a URI template (RFC 6570, all operators). No pattern is compiled
// from untrusted text: the match tracks the set of reachable positions, so its cost is bounded.

export type TemplatePart =
  | { readonly kind: "literal"; readonly text: string }
  | {
      readonly kind: "value";
      /** The operator's prefix before a value; with one, the whole expression may be absent. */
      readonly lead: string;
      /** Characters that no value of this expression contains. */
      readonly stops: string;
    };

const MAX_TEMPLATE_LENGTH = 2_048;
/** Of a URI as its server knows it. */
export const MAX_URI_LENGTH = 8_192;
const MAX_VALUES = 32;

/** Operator → its prefix, and the characters that end its values. `/` gets a closer check. */
const OPERATORS: ReadonlyMap<string, { readonly lead: string; readonly stops: string }> = new Map([
  ["+", { lead: "", stops: "" }],
  ["#", { lead: "#", stops: "" }],
  [".", { lead: ".", stops: "/?#" }],
  ["/", { lead: "/", stops: "?#" }],
  [";", { lead: ";", stops: "/?#" }],
  ["?", { lead: "?", stops: "#" }],
  ["&", { lead: "&", stops: "#" }],
]);

/**
 * The parts of a template; `undefined` for one that is malformed or over the limits, which then matches
 * nothing.
 */
export function parseTemplate(template: string): readonly TemplatePart[] | undefined {
  if (template.length > MAX_TEMPLATE_LENGTH) return undefined;
  const parts: TemplatePart[] = [];
  let values = 0;
  for (let at = 0; at < template.length; ) {
    const open = template.indexOf("{", at);
    const literal = template.slice(at, open < 0 ? undefined : open);
    if (literal.includes("}")) return undefined;
    if (literal !== "") parts.push({ kind: "literal", text: literal });
    if (open < 0) break;
    const close = template.indexOf("}", open);
    const expression = template.slice(open + 1, close < 0 ? open + 1 : close);
    if (expression === "" || expression.includes("{") || ++values > MAX_VALUES) return undefined;
    parts.push(parseExpression(expression));
    at = close + 1;
  }
  return parts;
}

function parseExpression(expression: string): TemplatePart {
  const operator = OPERATORS.get(expression.charAt(0));
  if (operator === undefined) return { kind: "value", lead: "", stops: "/?#" };
  // One plain variable after `/` is one path segment; several, or a list, are many.
  const isOneStep = operator.lead === "/" && !/[,*]/.test(expression);
  return { kind: "value", lead: operator.lead, stops: isOneStep ? "/?#" : operator.stops };
}

/** The literal prefix of every URI of a template. */
export function literalStart([first]: readonly TemplatePart[]): string {
  return first?.kind === "literal" ? first.text : "";
}

/** Takes at most one step for each character of the URI and part of the template. */
export function matchesTemplate(uri: string, parts: readonly TemplatePart[]): boolean {
  if (uri.length > MAX_URI_LENGTH || !uri.startsWith(literalStart(parts))) return false;
  let reached = new Uint8Array(uri.length + 1);
  reached[0] = 1;
  for (const part of parts) {
    reached = part.kind === "literal" ? passLiteral(uri, part.text, reached) : passValue(uri, part, reached);
    if (!reached.includes(1)) return false;
  }
  return reached[uri.length] === 1;
}

function passLiteral(uri: string, text: string, from: Uint8Array): Uint8Array<ArrayBuffer> {
  const reached = new Uint8Array(from.length);
  for (let at = uri.indexOf(text); at >= 0; at = uri.indexOf(text, at + 1)) {
    if (from[at] === 1) reached[at + text.length] = 1;
  }
  return reached;
}

function passValue(
  uri: string,
  { lead, stops }: { readonly lead: string; readonly stops: string },
  from: Uint8Array,
): Uint8Array<ArrayBuffer> {
  // With a prefix the expression may be empty; without one, a value has at least one character.
  const reached = lead === "" ? new Uint8Array(from.length) : Uint8Array.from(from);
  let isInside = false;
  for (let at = 0; at < uri.length; at++) {
    const character = uri.charAt(at);
    const begins = from[at] === 1 && (lead === "" || character === lead);
    isInside = lead !== "" && begins ? true : (isInside || begins) && !stops.includes(character);
    if (isInside) reached[at + 1] = 1;
  }
  return reached;
}
