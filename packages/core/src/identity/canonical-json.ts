// One text for each JSON value, independent of key order. Every digest is computed over it.

type Task =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "end"; readonly container: object; readonly text: string };

/** Deeper or circular values are written with an explicit stack instead of recursion. */
const USUAL_DEPTH = 64;

/**
 * JSON without white space, with keys sorted by code point at every depth. Deep nesting cannot overflow the call
 * stack. Values that JSON cannot express are omitted from objects and are `null` elsewhere, as in `JSON.stringify`;
 * methods such as `toJSON` are not called.
 *
 * @throws TypeError for a value that contains itself.
 *
 * @example
 * canonicalJson({ b: [1, true], a: null }); // '{"a":null,"b":[1,true]}'
 */
export function canonicalJson(value: unknown): string {
  return writeValue(value, 0);
}

function writeValue(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return formatScalar(value);
  if (depth === USUAL_DEPTH) return writeDeep(value);
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${writeValue(item, depth + 1)}`;
    return `[${text}]`;
  }
  for (const key of sortedKeys(value)) {
    const member = writeValue(Reflect.get(value, key), depth + 1);
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${member}`;
  }
  return `{${text}}`;
}

function writeDeep(value: object): string {
  const written: string[] = [];
  const open = new Set<object>();
  const tasks: Task[] = [{ kind: "value", value }];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if (task.kind !== "value") {
      written.push(task.text);
      if (task.kind === "end") open.delete(task.container);
    } else if (typeof task.value === "object" && task.value !== null) {
      if (open.has(task.value)) throw new TypeError("A value that contains itself has no canonical JSON.");
      open.add(task.value);
      pushContainer(task.value, tasks);
    } else {
      written.push(formatScalar(task.value));
    }
  }
  return written.join("");
}

/** Pushed in reverse order, because the last task is taken first. */
function pushContainer(container: object, tasks: Task[]): void {
  const isList = Array.isArray(container);
  tasks.push({ kind: "end", container, text: isList ? "]" : "}" });
  if (isList) {
    for (let index = container.length - 1; index >= 0; index -= 1) {
      tasks.push({ kind: "value", value: container[index] });
      if (index > 0) tasks.push({ kind: "text", text: "," });
    }
  } else {
    const keys = sortedKeys(container);
    for (const [index, key] of [...keys.entries()].reverse()) {
      tasks.push({ kind: "value", value: Reflect.get(container, key) });
      tasks.push({ kind: "text", text: `${index > 0 ? "," : ""}${JSON.stringify(key)}:` });
    }
  }
  tasks.push({ kind: "text", text: isList ? "[" : "{" });
}

function sortedKeys(container: object): readonly string[] {
  const keys = Object.keys(container).filter((key) => isJson(Reflect.get(container, key)));
  if (keys.some((key) => FROM_SURROGATES.test(key))) return keys.sort(compareCodePoints);
  // Keys are often sorted already, so check before sorting.
  for (let index = 1; index < keys.length; index += 1)
    if ((keys[index - 1] as string) > (keys[index] as string)) return keys.sort();
  return keys;
}

/** `<` and `sort()` compare UTF-16 units, which puts U+10000 and above before U+E000. Other languages sort by code point. */
const FROM_SURROGATES = /[\uD800-\uFFFF]/;

function formatScalar(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  return isJson(value) ? JSON.stringify(value) : "null";
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

function compareCodePoints(a: string, b: string): number {
  const at = commonLength(a, b);
  if (at === Math.min(a.length, b.length)) return a.length - b.length;
  const splitsPair = isLowSurrogate(a.charCodeAt(at)) || isLowSurrogate(b.charCodeAt(at));
  const from = splitsPair && at > 0 && isHighSurrogate(a.charCodeAt(at - 1)) ? at - 1 : at;
  return (a.codePointAt(from) ?? 0) - (b.codePointAt(from) ?? 0);
}

/** How long the common start is. By halves, because slices compare many times faster than units in a loop (SAFE-4). */
function commonLength(a: string, b: string): number {
  let from = 0;
  let to = Math.min(a.length, b.length);
  while (from < to) {
    const half = Math.ceil((from + to) / 2);
    if (a.slice(from, half) === b.slice(from, half)) from = half;
    else to = half - 1;
  }
  return from;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
