// The body of a POST, read once and never beyond the limit.

import type { IncomingMessage } from "node:http";

export type Body =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "too-large" }
  /** The client went away while sending. */
  | { readonly kind: "gone" };

export function readBody(req: IncomingMessage, limit: number, done: (body: Body) => void): void {
  const declared = Number(req.headers["content-length"]);
  if (declared > limit) {
    done({ kind: "too-large" });
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let settled = false;
  const settle = (body: Body) => {
    if (settled) return;
    settled = true;
    done(body);
  };
  req.on("data", (chunk: Buffer) => {
    if (settled) return;
    size += chunk.length;
    if (size > limit) {
      chunks.length = 0;
      req.pause();
      settle({ kind: "too-large" });
    } else chunks.push(chunk);
  });
  req.on("end", () => {
    const [first] = chunks;
    const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size);
    settle({ kind: "bytes", bytes });
  });
  req.on("error", () => settle({ kind: "gone" }));
  req.on("close", () => settle({ kind: "gone" }));
}
