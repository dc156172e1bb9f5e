// Calls as they end: server-sent events over fetch, because they need the token. A connection that is lost is opened again.

import { ask, type Call, isOnline, token } from "./api.js";

const RETRY_MS = 1_500;

/** Returns how to stop. `onOpen` is called each time the stream begins: what was missed has to be read again. */
export function watchCalls(onCall: (call: Call) => void, onOpen: () => void): () => void {
  const stop = new AbortController();
  void follow(stop.signal, onCall, onOpen);
  return () => stop.abort();
}

async function follow(signal: AbortSignal, onCall: (call: Call) => void, onOpen: () => void): Promise<void> {
  while (!signal.aborted && token.value !== undefined) {
    try {
      const response = await ask("/console/api/calls/stream", {
        signal,
        headers: { accept: "text/event-stream" },
      });
      onOpen();
      await readEvents(response, (event, data) => {
        if (event === "call") onCall(JSON.parse(data) as Call);
      });
      isOnline.value = signal.aborted;
    } catch {
      // Told by `isOnline`, and tried again.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function readEvents(response: Response, take: (event: string, data: string) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return;
    const blocks = (rest + part.value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const lines = block.split("\n");
      const fieldOf = (name: string) =>
        lines
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim() ?? "";
      take(fieldOf("event"), fieldOf("data"));
    }
  }
}
