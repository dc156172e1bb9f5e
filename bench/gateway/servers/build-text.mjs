// Text as tools really return it: lines of JSON, so that it is full of quotes and line breaks to escape.

const LINE = (index) =>
  `${JSON.stringify({ id: 10_000 + index, title: "The build fails on Windows", state: "open", labels: ["bug", "ci"] })}\n`;

/** A text of which the JSON form has about `bytes` bytes. */
export function buildText(bytes) {
  let text = "";
  let size = 0;
  for (let index = 0; size < bytes; index++) {
    const line = LINE(index);
    text += line;
    size += JSON.stringify(line).length - 2;
  }
  return text;
}
