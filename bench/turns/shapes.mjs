// Messages that are made to be costly: each shape is the JSON of a result of about so many bytes, or of an object that stands elsewhere in a message.

/** Pieces are repeated until the bytes are full; `,` joins them. */
const fill = (piece, bytes) => piece.repeat(Math.max(1, Math.floor(bytes / piece.length)));
const list = (piece, bytes) => `[${fill(`${piece},`, bytes)}${piece}]`;
const text = (content) => `{"content":[{"type":"text","text":"${content}"}]}`;

/** Escapes, quotes and characters of two to four bytes in no order that a predictor of branches could learn. */
function noise(bytes) {
  const parts = ["\\n", '\\"', "\\\\", "\\u00e9", "a", "bc", "def", "é", "✓", "\\t", "😀", "\\/"];
  let seed = 7;
  let block = "";
  while (block.length < 65_536) {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    block += parts[(seed >> 16) % parts.length];
  }
  return fill(block, (bytes * block.length) / Buffer.byteLength(block));
}

export const SHAPES = {
  plain: (bytes) => text(fill("plain text, as most are. ", bytes)),
  noise: (bytes) => text(noise(bytes)),
  tabs: (bytes) => text(fill("\\t", bytes)),
  unicodeEscapes: (bytes) => text(fill("\\u00e9", bytes)),
  nonAscii: (bytes) => text(fill("é✓", (bytes * 2) / 5)),
  base64: (bytes) =>
    `{"content":[{"type":"image","mimeType":"image/png","data":"${fill("iVBORw0KGgoAAAANSUhEUg", bytes)}"}]}`,
  spaces: (bytes) => `{"content":[${fill(" ", bytes)}]}`,
  lines: (bytes) => `{"content":[${fill("\r", bytes)}]}`,
  digits: (bytes) => `{"content":[],"structuredContent":{"n":${fill("7", bytes)}}}`,
  emptyObjects: (bytes) => `{"content":[],"structuredContent":{"a":${list("{}", bytes)}}}`,
  numbers: (bytes) => `{"content":[],"structuredContent":{"a":${list("1", bytes)}}}`,
  members: (bytes) =>
    `{"content":[],"structuredContent":{${Array.from({ length: bytes / 14 }, (_, at) => `"m${at}":${at % 10}`).join(",")}}}`,
  resultMembers: (bytes) =>
    `{"content":[],${Array.from({ length: bytes / 14 }, (_, at) => `"m${at}":${at % 10}`).join(",")}}`,
  longKeys: (bytes) =>
    `{"content":[],"structuredContent":{"${noise(bytes / 2)}":1,"${fill("k", bytes / 2)}":2}}`,
  longMemberKey: (bytes) => `{"content":[],"${fill("k", bytes)}":2}`,
  deep: (bytes) =>
    `{"content":[],"structuredContent":{"a":${list(`${"[".repeat(990)}${"]".repeat(990)}`, bytes)}}}`,
  tooDeep: (bytes) =>
    `{"content":[],"structuredContent":{"a":${"[".repeat(bytes / 2)}${"]".repeat(bytes / 2)}}}`,
  items: (bytes) => `{"content":${list('{"type":"text","text":"x"}', bytes)}}`,
  links: (bytes) => `{"content":${list('{"type":"resource_link","uri":"file:///a","name":"a"}', bytes)}}`,
  mentions: (bytes) => text(fill("call search_issues or ask echo, ", bytes)),
  structured: (bytes) =>
    `{"content":[],"structuredContent":{"rows":${list('{"id":12345,"name":"a name of a row","tags":["a","b"]}', bytes)}}}`,
  meta: (bytes) => `{"content":[],"_meta":{"a":"${noise(bytes)}"}}`,
  isError: (bytes) => `{"isError":true,"content":[{"type":"text","text":"${noise(bytes)}"}]}`,
};
