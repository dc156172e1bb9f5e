// Messages of JSON-RPC as the scripted servers make and read them.

export function notice(method, params) {
  return { jsonrpc: "2.0", method, params };
}

/** An error of JSON-RPC as something to throw. */
export function fault(code, message, data) {
  return Object.assign(new Error(message), { code, data });
}

/** Calls `take` with every line. Not node:readline, which ends lines at signs that JSON text may hold (U+2028). */
export function readLines(stream, take) {
  let rest = "";
  stream.setEncoding("utf8").on("data", (part) => {
    const lines = (rest + part).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.trim() !== "") take(line);
  });
}
