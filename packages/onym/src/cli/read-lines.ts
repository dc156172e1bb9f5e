// The lines of a stream, in batches as they arrive, without holding more than one line and one piece of input.

/**
 * A line ends with LF or CRLF; a last line without an end counts, an empty one stands for the empty text.
 * UTF-8 across pieces is put together.
 */
export async function* readLines(
  input: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  for await (const piece of input) {
    const text = typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
    const parts = text.split("\n");
    const last = parts.pop() ?? "";
    const [first, ...others] = parts;
    if (first === undefined) {
      rest.push(last);
      continue;
    }
    const whole = [rest.join("") + first, ...others].map(withoutReturn);
    rest = last === "" ? [] : [last];
    yield whole;
  }
  const end = rest.join("") + decoder.decode();
  if (end !== "") yield [withoutReturn(end)];
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
