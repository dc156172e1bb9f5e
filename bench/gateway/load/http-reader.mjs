// Reads HTTP/1.1 messages from a raw connection, as cheaply as it can: requests and responses, by length or in chunks.

const END = Buffer.from("\r\n\r\n");
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;

/** Calls `onMessage(head, parts)` for every whole message; `head` is text, `parts` are the bytes of the body as they came. */
export function createHttpReader(onMessage) {
  let rest;
  let head;
  let wanted = 0;
  let parts = [];
  let size = 0;
  let chunks;

  const finish = (body) => {
    const said = head;
    head = undefined;
    parts = [];
    size = 0;
    chunks = undefined;
    onMessage(said, body);
  };

  const takeHead = (data) => {
    const end = data.indexOf(END);
    if (end < 0) return undefined;
    head = data.latin1Slice(0, end);
    wanted = -1;
    if (CHUNKED.test(head)) chunks = createChunks();
    else wanted = Number(LENGTH.exec(head)?.[1] ?? 0);
    return data.subarray(end + 4);
  };

  return (data) => {
    let left = rest === undefined ? data : Buffer.concat([rest, data]);
    rest = undefined;
    while (left.length > 0 || (head !== undefined && wanted === 0)) {
      if (head === undefined) {
        const after = takeHead(left);
        if (after === undefined) {
          rest = left;
          return;
        }
        left = after;
      }
      if (chunks !== undefined) {
        const used = chunks.take(left);
        left = left.subarray(used);
        if (!chunks.ended) return;
        finish(chunks.parts);
      } else if (size + left.length >= wanted) {
        const last = left.subarray(0, wanted - size);
        left = left.subarray(wanted - size);
        parts.push(last);
        finish(parts);
      } else {
        parts.push(left);
        size += left.length;
        return;
      }
    }
  };
}

/** The body of a message that comes in chunks. */
function createChunks() {
  const parts = [];
  let line = "";
  /** Bytes of this chunk, with its line break, that are still to come; 0 while its length is read. */
  let open = 0;
  let last = false;
  const chunks = {
    ended: false,
    parts,
    take(data) {
      let at = 0;
      while (at < data.length) {
        if (open > 0) {
          const end = Math.min(data.length, at + open);
          const content = Math.min(end, at + Math.max(0, open - 2));
          if (content > at) parts.push(data.subarray(at, content));
          open -= end - at;
          at = end;
          continue;
        }
        const stop = data.indexOf(10, at);
        if (stop < 0) {
          line += data.latin1Slice(at);
          return data.length;
        }
        line += data.latin1Slice(at, stop);
        at = stop + 1;
        const text = line.trim();
        line = "";
        if (last) {
          if (text !== "") continue; // a trailer
          chunks.ended = true;
          return at;
        }
        const length = Number.parseInt(text, 16);
        if (length === 0) last = true;
        else open = length + 2;
      }
      return at;
    },
  };
  return chunks;
}
