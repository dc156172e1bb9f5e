// Fields that stand twice in one object. JSON.parse keeps the last and tells nobody, so that a rejection could read as an
// approval; here they are found in the text itself.

interface Frame {
  /** Of an object: the keys so far. */
  readonly keys: Set<string> | undefined;
  /** Of a list: the position of the item. Of an object: nothing. */
  index: number;
  /** Of an object: the next text is a key. */
  expectsKey: boolean;
  lastKey: string;
}

/**
 * Where a file of lists holds a repeated key: `tools[3]` for the third entry of a list, `""` for the file itself.
 * `text` is JSON already known to be sound. One pass.
 */
export function findRepeatedKeys(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const frames: Frame[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const frame = frames.at(-1);
    const character = text.charAt(at);
    if (character === '"') {
      const end = endOfString(text, at);
      if (frame?.keys !== undefined && frame.expectsKey) {
        const key = JSON.parse(text.slice(at, end + 1)) as string;
        if (frame.keys.has(key)) found.add(placeOf(frames));
        frame.keys.add(key);
        frame.lastKey = key;
        frame.expectsKey = false;
      }
      at = end;
    } else if (character === "{") {
      frames.push({ keys: new Set(), index: 0, expectsKey: true, lastKey: "" });
    } else if (character === "[") {
      frames.push({ keys: undefined, index: 0, expectsKey: false, lastKey: "" });
    } else if (character === "}" || character === "]") {
      frames.pop();
    } else if (character === "," && frame !== undefined) {
      frame.index += 1;
      frame.expectsKey = frame.keys !== undefined;
    }
  }
  return found;
}

/** The offset of the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
  return at;
}

function placeOf(frames: readonly Frame[]): string {
  const [file, list] = frames;
  return frames.length < 3 ? "" : `${file?.lastKey}[${list?.index}]`;
}
