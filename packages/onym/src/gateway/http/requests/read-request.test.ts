import { type IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { checkHost, isJsonType, MAX_TYPE_LENGTH, parseAccept, readBody } from "./read-request.js";

const check = (headers: IncomingHttpHeaders, allow: readonly string[]) =>
  checkHost(
    { headers, rawHeaders: Object.entries(headers).flatMap(([name, value]) => [name, String(value)]) },
    allow,
  );

describe("checkHost", () => {
  it("refuses two Host headers, in any case, whichever would be taken", () => {
    const headers = { host: "localhost" };
    const rawHeaders = ["Host", "localhost", "X-Host", "host", "HOST", "evil.example"];
    expect(checkHost({ headers, rawHeaders }, [])?.code).toBe("bad-request");
    expect(checkHost({ headers, rawHeaders: rawHeaders.slice(0, 4) }, [])).toBeUndefined();
  });

  it.each([
    [{ host: "localhost" }],
    [{ host: "LocalHost:3000" }],
    [{ host: "localhost.:3000" }],
    [{ host: "127.0.0.1:65535" }],
    [{ host: "[::1]" }],
    [{ host: "[::1]:8080", origin: "http://localhost:5173" }],
    [{ host: "gateway.internal:8443", origin: "https://Gateway.Internal" }],
  ])("lets %j through", (headers) => {
    expect(check(headers, ["gateway.internal"])).toBeUndefined();
  });

  it.each([
    [{}],
    [{ host: "" }],
    [{ host: "evil.example" }],
    [{ host: "127.0.0.1.evil.example" }],
    [{ host: "evil.example#localhost" }],
    [{ host: "localhost@evil.example" }],
    [{ host: "localhost:80:80" }],
    [{ host: "localhost, evil.example" }],
    [{ host: "127.0.0.2" }],
    [{ host: "0.0.0.0" }],
    [{ host: "[::ffff:127.0.0.1]" }],
    [{ host: "localhost", origin: "" }],
    [{ host: "localhost", origin: "null" }],
    [{ host: "localhost", origin: "https://evil.example" }],
    [{ host: "localhost", origin: "https://localhost.evil.example" }],
    [{ host: "localhost", origin: "file://localhost" }],
    [{ host: "localhost", origin: "http://localhost/path" }],
    [{ host: "localhost", origin: "http://evil.example\\@localhost" }],
    [{ host: "xgateway.internal" }],
  ])("refuses %j", (headers) => {
    expect(check(headers, ["gateway.internal"])?.code).toBe("forbidden");
  });

  it("says what to do, and shows what was sent escaped (SAFE-1)", () => {
    const refusal = check({ host: "localhost", origin: "http://evil\u001b[31m\u202e.example" }, []);
    expect(refusal?.message).toContain("Origin");
    expect(refusal?.message).toContain("localhost or 127.0.0.1");
    expect(refusal?.message).not.toMatch(/[\u001b\u202e]/);
  });
});

describe("a header that names types", () => {
  it.each([
    ["one below", -1, true],
    ["at", 0, true],
    ["one above", 1, false],
  ])(
    "is taken apart up to a length: %s the limit (limits: MAX_TYPE_LENGTH of read-request) (SAFE-4)",
    (_, more, isRead) => {
      const type = "application/json;".padEnd(MAX_TYPE_LENGTH + more, "x");
      expect(isJsonType(type)).toBe(isRead);
      expect(parseAccept(type)).toEqual({ json: isRead, stream: false });
    },
  );
});

describe("readBody", () => {
  it("keeps no pieces, of which each would take two hundred bytes for one (SAFE-4)", async () => {
    const req = new IncomingMessage(new Socket());
    const read = new Promise((resolve) =>
      readBody(req, { limit: 100, take: () => undefined }, (body) => resolve(body)),
    );
    const packet = Buffer.alloc(1);
    for (const letter of "abc") {
      packet.write(letter);
      req.emit("data", letter === "a" ? Buffer.from(packet) : packet);
    }
    req.emit("end");
    expect(await read).toEqual({ kind: "bytes", bytes: Buffer.from("abc") });
  });
});
