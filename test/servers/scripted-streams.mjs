// One HTTP response of a scripted server: plain JSON, or a stream from the moment something is told before the answer.

const STATUS = new Map([
  [-32601, 404],
  [-32022, 400],
]);

export function createExchange({ res, peer, headers, session }) {
  let stream;
  const extra = session === undefined ? {} : { "mcp-session-id": session };
  const tell = (notice) => {
    stream ??= openStream(res, extra);
    stream.send(notice);
  };
  const reply = (response) => {
    if (res.writableEnded || res.destroyed) return;
    if (stream !== undefined) {
      stream.send(response);
      return void stream.end();
    }
    // In a session errors are ordinary answers; a request that stands alone has a status of its own.
    const status = session === undefined ? (STATUS.get(response.error?.code) ?? 200) : 200;
    res.writeHead(status, { "content-type": "application/json", ...extra }).end(JSON.stringify(response));
  };
  return { peer, tell, reply, headers, end: () => res.end() };
}

export function openStream(res, headers = {}) {
  res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...headers });
  res.flushHeaders();
  return {
    send: (message) => res.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    end: () => res.end(),
  };
}
