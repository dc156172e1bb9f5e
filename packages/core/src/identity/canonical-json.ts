// One text for each JSON value, whatever the order of its keys; the ground for every digest.

type Task =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "end"; readonly container: object; readonly text: string };

/**
 * JSON without white space, keys in order of code points at every depth. Works with a stack of its own, so that nesting
 * from outside cannot exhaust the machine's. What JSON does not know is left out of objects and is `null` elsewhere,
 * as in `JSON.stringify`; methods such as `toJSON` are not called.
 *
 * @throws TypeError for a value that contains itself, which no JSON text can do.
 * @example
 * canonicalJson({ b: [1, true], a: null }); // '{"a":null,"b":[1,true]}'
 */
export function canonicalJson(value: unknown): string {
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

/** Pushed last to first, because the last task is taken first. */
function pushContainer(container: object, tasks: Task[]): void {
  const isList = Array.isArray(container);
  tasks.push({ kind: "end", container, text: isList ? "]" : "}" });
  if (isList) {
    for (let index = container.length - 1; index >= 0; index -= 1) {
      tasks.push({ kind: "value", value: container[index] });
      if (index > 0) tasks.push({ kind: "text", text: "," });
    }
  } else {
    const keys = Object.keys(container)
      .filter((key) => isJson(Reflect.get(container, key)))
      .sort(compareCodePoints);
    for (const [index, key] of [...keys.entries()].reverse()) {
      tasks.push({ kind: "value", value: Reflect.get(container, key) });
      tasks.push({ kind: "text", text: `${index > 0 ? "," : ""}${JSON.stringify(key)}:` });
    }
  }
  tasks.push({ kind: "text", text: isList ? "[" : "{" });
}

function formatScalar(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  return isJson(value) ? JSON.stringify(value) : "null";
}

function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

/** `<` compares UTF-16 units, which puts U+10000 and above before U+E000; other languages would sort it elsewhere. */
function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === shorter) return a.length - b.length;
  const splitsPair = isLowSurrogate(a.charCodeAt(at)) || isLowSurrogate(b.charCodeAt(at));
  const from = splitsPair && at > 0 && isHighSurrogate(a.charCodeAt(at - 1)) ? at - 1 : at;
  return (a.codePointAt(from) ?? 0) - (b.codePointAt(from) ?? 0);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
