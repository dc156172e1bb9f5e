import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isReadable,
  MAX_CLIENT_VALUES,
  MAX_ESCAPES,
  MAX_READ_BYTES,
  MAX_VALUES,
} from "./fast-path/parse-large.js";
import { MAX_SCANNED } from "./fast-path/scan.js";
import { unreadBytesOf } from "./fast-path/unread-object.js";
import { type JsonObject, parseJson } from "./json.js";
import {
  MAX_ID_LENGTH,
  parseMessage,
  parseServerMessage,
  type ReadMessage,
  readClientMessage,
  readMessage,
  refuseLargeParams,
} from "./message.js";

const FILLER = '\\"é\\n{[" : "]},'.repeat(1_000);

function read(text: string | Buffer): ReadMessage | undefined {
  const parsed = parseMessage(text);
  return parsed.ok ? readMessage(parsed.value, parsed.text) : undefined;
}

/** As it would be if the message were small. */
function readWhole(text: string): ReadMessage | undefined {
  const parsed = parseJson(text);
  return parsed.ok ? readMessage(parsed.value, text) : undefined;
}

/** Letters as text, so that the two ways can be compared. */
function plain(read: ReadMessage | undefined): unknown {
  if (read === undefined || read.kind === "invalid") return read;
  const {
    argumentsText = undefined,
    resultText = undefined,
    ...rest
  } = { ...read.message } as {
    argumentsText?: { text: string | Buffer };
    resultText?: string | Buffer;
  };
  return [JSON.stringify(rest), argumentsText?.text.toString(), resultText?.toString()];
}

describe("a large message", () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue());
  const part = fc.oneof(fc.jsonValue(), object);

  it("is read as a small one is", () => {
    const member = fc.oneof(
      fc.tuple(fc.constant("id"), fc.oneof(fc.nat(), fc.string(), fc.constant(null))),
      fc.tuple(fc.constant("method"), fc.constantFrom("tools/call", "prompts/get", "x")),
      fc.tuple(fc.constantFrom("params", "result", "error", "x", "__proto__"), part),
      fc.tuple(fc.constant("error"), fc.constant({ code: 1, message: "no" })),
      fc.tuple(fc.constant("params"), fc.record({ name: fc.string(), arguments: object, _meta: part })),
      fc.tuple(fc.constant("result"), fc.record({ content: fc.array(part), isError: fc.boolean() })),
    );
    fc.assert(
      fc.property(fc.array(member), fc.constantFrom("", " ", "\n"), fc.boolean(), (members, gap, isBytes) => {
        const written = [["jsonrpc", "2.0"], ...members, ["filler", FILLER]].map(
          ([key, value]) => `${JSON.stringify(key)}:${gap}${JSON.stringify(value)}`,
        );
        const text = `{${written.join(`,${gap}`)}}`;
        expect(plain(read(isBytes ? Buffer.from(text) : text))).toEqual(plain(readWhole(text)));
      }),
      { numRuns: 500 },
    );
  });

  it("keeps the letters of arguments and results (GW-5)", () => {
    const letters = `{"n":12345678901234567890,"x":1.0,"filler":${JSON.stringify(FILLER)}}`;
    const call = read(
      Buffer.from(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":${letters},"name":"x"}}`,
      ),
    );
    const answer = read(Buffer.from(`{"id":"a","result": ${letters} ,"jsonrpc":"2.0"}`));
    expect(call).toMatchObject({ kind: "request", message: { params: { name: "x" } } });
    expect(plain(call)).toEqual(expect.arrayContaining([letters]));
    expect(plain(answer)).toEqual(expect.arrayContaining([letters]));
  });

  it("is written anew where it could be read in two ways", () => {
    const filler = JSON.stringify(FILLER);
    for (const params of [
      `{"arguments":{"a":1},"arguments":{"a":2},"filler":${filler}}`,
      `{"name":"a","\\u0061rguments":{"a":1},"filler":${filler}}`,
    ]) {
      const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
      expect(read(text)).toMatchObject({ kind: "request" });
      expect(read(text)).not.toHaveProperty("message.argumentsText.text");
    }
  });

  it("is passed on in one line: line ends become spaces, and nothing else changes", () => {
    const filler = JSON.stringify(FILLER);
    for (const args of [`{\n"a":1,"filler":${filler}}`, `{"a":1,\r\n"filler":${filler}\n}`]) {
      const params = `{"name":"a","arguments":${args}}`;
      const found = read(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
      const message = found?.kind === "request" ? found.message : undefined;
      expect(String(message?.argumentsText?.text)).toBe(args.replaceAll(/[\r\n]/g, " "));
    }
  });

  it.each([
    [
      "broken inside of its arguments",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"a":tru,"f":"$"}}}`,
    ],
    ["broken behind its result", `{"jsonrpc":"2.0","id":1,"result":{"f":"$"}},"id":2}`],
    ["cut off", `{"jsonrpc":"2.0","id":1,"result":{"f":"$`],
    [
      "nested beyond reason",
      `{"jsonrpc":"2.0","id":1,"result":{"f":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`,
    ],
    ["no JSON for a control character", `{"jsonrpc":"2.0","id":1,"result":{"f":"$\t"}}`],
  ])("is refused where it is %s (SAFE-1)", (_how, text) => {
    const filled = text.replace("$", "x".repeat(20_000));
    expect(parseMessage(filled)).toMatchObject({ ok: false });
    expect(parseMessage(Buffer.from(filled))).toMatchObject({ ok: false });
  });

  it("is a batch where it is one", () => {
    const batch = [{ jsonrpc: "2.0", id: 1, method: "ping" }, FILLER];
    expect(parseMessage(Buffer.from(JSON.stringify(batch)))).toMatchObject({ ok: true, value: batch });
  });

  const shapes: Record<string, (values: number) => string> = {
    "a batch": (values) => `[${list("{}", values - 1)}]`,
    "a member of params": (values) =>
      `{"jsonrpc":"2.0","id":1,"method":"x","params":{"x":[${list("{ }", values - 4)}]}}`,
    "the keys of params": (values) =>
      `{"jsonrpc":"2.0","id":1,"method":"x","params":{${Array.from({ length: values - 5 }, (_, n) => `"${n}":0`).join()}}}`,
    "an error": (values) => `{"jsonrpc":"2.0","id":1,"error":{"x":[${list('"[{,"', values - 4)}]}}`,
    "what could be read in two ways": (values) =>
      `{"jsonrpc":"2.0","id":1,"x":1,"x":2,"result":{"x":[${list("[ ]", values - 9)}],"y":[0]}}`,
  };
  function list(value: string, count: number): string {
    return Array.from({ length: count }, () => value).join(",");
  }

  it.each([
    ["a request", '"id":1,"method":"sampling/createMessage"', 5],
    ["a notification", '"method":"notifications/message"', 4],
    ["a call, which servers do not make", '"id":1,"method":"tools/call"', 5],
  ])(
    "of a server counts the arguments that it names in %s, for they are parsed: one below, at and one above (SAFE-4)",
    (_, start, around) => {
      const message = (values: number): string =>
        `{"jsonrpc":"2.0",${start},"params":{"arguments":{"x":[${list("{}", values - around)}]}}}`;
      for (const values of [MAX_VALUES - 1, MAX_VALUES])
        expect(parseServerMessage(message(values))).toMatchObject({ ok: true });
      expect(parseServerMessage(message(MAX_VALUES + 1))).toMatchObject({ ok: false, isRefused: true });
    },
  );

  it.each(Object.entries(shapes))(
    "is refused before it is parsed where %s has more values than are parsed at once: one below, at and one above (limits: MAX_CLIENT_VALUES of parse-large) (limits: MAX_VALUES of parse-large) (SAFE-4)",
    (_where, shape) => {
      const max = MAX_CLIENT_VALUES;
      for (const each of [max - 1, max])
        for (const source of [shape(each), Buffer.from(shape(each))])
          expect(parseMessage(source)).toMatchObject({ ok: true });
      for (const source of [shape(max + 1), Buffer.from(shape(max + 1))])
        expect(parseMessage(source)).toMatchObject({ ok: false, isRefused: true });
      // Nobody reads on to see that this one is no JSON either.
      expect(parseMessage(`${shape(max + 1).slice(0, -1)}x`)).toMatchObject({ isRefused: true });
      for (const [each, isRead] of [
        [MAX_VALUES - 1, true],
        [MAX_VALUES, true],
        [MAX_VALUES + 1, false],
      ] as const) {
        const parsed = parseServerMessage(shape(each));
        const isRefusal = parsed.ok && Reflect.get(parsed.value as object, "error")?.code === -32603;
        expect(parsed.ok && !isRefusal).toBe(isRead);
      }
    },
  );

  it("of a server that is a response, and has more values than are parsed at once, is an error (SAFE-4)", () => {
    const values = list("{}", MAX_VALUES);
    const message =
      "a message holds at most 20000 values or 4194304 bytes, and 2500000 values with the arguments and the result of a call; of more than 1048576 bytes, those beside them have at most 100000 escapes";
    const error = { jsonrpc: "2.0", id: 7, error: { code: -32603, message } };
    const tooMany = "1,".repeat(MAX_SCANNED);
    for (const member of [
      `"error":{"code":1,"message":"m","data":[${values}]}`,
      `"result":[${values}]`,
      `"result":{"x":[${tooMany}1]}`,
    ])
      expect(parseServerMessage(`{"jsonrpc":"2.0","id":7,${member}}`)).toMatchObject({
        ok: true,
        value: error,
      });
    const request = `{"jsonrpc":"2.0","id":7,"method":"m","params":{"x":[${values}]}}`;
    expect(parseServerMessage(request)).toMatchObject({ ok: false, isRefused: true });
    expect(parseServerMessage(`[${values},{}]`)).toMatchObject({ ok: false, isRefused: true });
  });

  it("is refused where what is parsed of it has too many bytes: one below, at and one above (limits: MAX_READ_BYTES of parse-large) (SAFE-4)", () => {
    const shapes: readonly ((bytes: number) => string)[] = [
      (bytes) => `{"method":"m","params":{"x":"${"x".repeat(bytes - 5)}"}}`,
      (bytes) => `{"params":"${"x".repeat(bytes - 5)}","method":"m"}`,
      (bytes) => `{"a":1,"a":"${"x".repeat(bytes - 14)}"}`,
    ];
    for (const shape of shapes) {
      for (const bytes of [MAX_READ_BYTES - 1, MAX_READ_BYTES])
        expect(parseMessage(shape(bytes))).toMatchObject({ ok: true });
      expect(parseMessage(shape(MAX_READ_BYTES + 1))).toMatchObject({ ok: false, isRefused: true });
    }
    const large = `{"x":"${"x".repeat(MAX_READ_BYTES + 4)}"}`;
    expect(parseMessage(`{"id":1,"result":${large}}`)).toMatchObject({ ok: true });
    expect(parseMessage(`{"id":1,"result":${large.replace(":", ":\n")}}`)).toMatchObject({ ok: true });
    expect(parseMessage(`{"method":"m","params":{"name":"a","arguments":${large}}}`)).toMatchObject({
      ok: true,
    });
  });

  it("may have 2,500,000 values with its result: one below, at and one above (limits: MAX_SCANNED of scan) (SAFE-4)", () => {
    // The message, the result and the list count themselves, and the two members before it.
    const resultOf = (values: number) => `{"x":[${"1,".repeat(values - 6)}1]}`;
    const outcomes = [MAX_SCANNED - 1, MAX_SCANNED, MAX_SCANNED + 1].map((values) => {
      const parsed = parseServerMessage(`{"jsonrpc":"2.0","id":7,"result":${resultOf(values)}}`);
      return parsed.ok && "result" in (parsed.value as object);
    });
    expect(outcomes).toEqual([true, true, false]);
  });

  it.each([
    ["one below", 1_023, true],
    ["at", 1_024, true],
    ["one above", 1_025, false],
  ])("of a server begins after white space of at most 1,024 bytes: %s (SAFE-4)", (_, length, ok) => {
    const text = `${" ".repeat(length - 1)}\t{"jsonrpc":"2.0","method":"x"}`;
    expect([text, Buffer.from(text)].map((source) => parseServerMessage(source).ok)).toEqual([ok, ok]);
  });

  it("may have any number of line ends in its result, which become spaces", () => {
    const result = `{"x":"${"x".repeat(MAX_READ_BYTES)}"${"\t\r".repeat(300_000)}\n}`;
    const parsed = parseServerMessage(Buffer.from(`{"jsonrpc":"2.0","id":7,"result":${result}}`));
    const { value } = parsed as { readonly value: JsonObject };
    expect(unreadBytesOf(value["result"])?.toString()).toBe(result.replaceAll(/[\r\n]/g, " "));
  });

  it.each([
    ["one below", MAX_ESCAPES - 1, true],
    ["at", MAX_ESCAPES, true],
    ["one above", MAX_ESCAPES + 1, false],
  ])(
    "of more than 1 MiB may have 100,000 escapes in what is parsed: %s (limits: MAX_ESCAPES of parse-large) (SAFE-4)",
    (_, escapes, ok) => {
      const text = `"${"\\n".repeat(escapes)}${"x".repeat(1_048_576)}"`;
      expect(parseMessage(`{"method":"m","params":{"x":${text}}}`).ok).toBe(ok);
      expect(parseMessage(`{"a":1,"a":${text}}`).ok).toBe(ok);
      const found = read(`{"jsonrpc":"2.0","id":1,"result":{"x":${text}}}`);
      expect(found?.kind === "response" && isReadable(found.message.result ?? {})).toBe(ok);
    },
  );

  it("is readable where it is parsed, or small enough to be: one below, at and above the bound (SAFE-4)", () => {
    const resultOf = (values: number) => {
      const found = read(`{"jsonrpc":"2.0","id":1,"result":{"x":[${list("{}", values - 3)},0]}}`);
      return found?.kind === "response" ? (found.message.result ?? {}) : {};
    };
    const sizes = [MAX_VALUES - 1, MAX_VALUES, MAX_VALUES + 1];
    expect(sizes.map((values) => isReadable(resultOf(values)))).toEqual([true, true, false]);
    expect(isReadable({ x: Array.from({ length: MAX_VALUES + 1 }, () => ({})) })).toBe(true);
  });

  it("may have any number of values in arguments and results, which are passed on unread", () => {
    const many = `{"x":[${list("{}", MAX_VALUES + 1)}]}`;
    const call = (letters: string) =>
      read(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":${letters}}}`);
    expect(plain(call(many))).toEqual(expect.arrayContaining([many]));
    expect(plain(read(`{"jsonrpc":"2.0","id":1,"result":${many}}`))).toEqual(expect.arrayContaining([many]));
    expect(plain(call(many.replaceAll(",", ",\r\n")))).toEqual(
      expect.arrayContaining([many.replaceAll(",", ",  ")]),
    );
  });
});

describe("a request of a client", () => {
  it.each([
    ["one below", MAX_ID_LENGTH - 1, "request"],
    ["at", MAX_ID_LENGTH, "request"],
    ["one above", MAX_ID_LENGTH + 1, "invalid"],
  ])(
    "has an id, %s the limit of its characters (limits: MAX_ID_LENGTH of message) (SAFE-5)",
    (_, length, kind) => {
      const id = "é".repeat(length);
      expect(readClientMessage({ jsonrpc: "2.0", id, method: "ping" }).kind).toBe(kind);
      expect(readClientMessage({ jsonrpc: "2.0", id, method: "tools/call", params: {} }).kind).toBe(kind);
      // What matches no request is ignored.
      expect(readClientMessage({ jsonrpc: "2.0", id, result: {} }).kind).toBe("response");
    },
  );

  it("with a longer id is told so, by this id", () => {
    const id = "x".repeat(MAX_ID_LENGTH + 1);
    const read = readClientMessage({ jsonrpc: "2.0", id, method: "ping" });
    expect(read).toEqual({ kind: "invalid", reason: '"id" has more than 1,024 characters', id });
  });
});

describe("the params of a request", () => {
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
  const refusedFor = (params: JsonObject) => {
    const reply = refuseLargeParams(params);
    return reply?.kind === "error" ? reply.error : undefined;
  };
  /** `_meta` whose JSON has this many characters, of every kind of value. */
  const metaOfLength = (length: number) => {
    const some = { a: [1, -2.5, "x", null, true, {}, [], { b: "y" }], "": "" };
    return { ...some, fill: "é".repeat(length - JSON.stringify({ ...some, fill: "" }).length) };
  };

  it.each([
    ["one below", 255, false],
    ["at", 256, false],
    ["one above", 257, true],
  ])(
    "have members, %s the limit (limits: MAX_PARAMS_MEMBERS of message) (limits: MAX_META_MEMBERS of message) (SAFE-4)",
    (_, count, isRefused) => {
      const about = (what: string) => ({
        code: -32602,
        message: `Invalid params: "${what}" has more than 256 members. Send less of it.`,
        data: { limit: `${what} members`, max: 256 },
      });
      expect(refusedFor(members(count))).toEqual(isRefused ? about("params") : undefined);
      expect(refusedFor({ _meta: members(count) })).toEqual(isRefused ? about("_meta") : undefined);
      expect(refusedFor({ arguments: members(count), inputResponses: members(count) })).toBeUndefined();
    },
  );

  it.each([
    ["one below", 131_071, false],
    ["at", 131_072, false],
    ["one above", 131_073, true],
  ])(
    "have a _meta, %s the limit of its characters (limits: MAX_META_LENGTH of message) (SAFE-4)",
    (_, length, isRefused) => {
      const meta = metaOfLength(length);
      expect(JSON.stringify(meta)).toHaveLength(length);
      const error = {
        code: -32602,
        message: 'Invalid params: The JSON of "_meta" has more than 131,072 characters. Send less of it.',
        data: { limit: "_meta characters", max: 131_072 },
      };
      expect(refusedFor({ _meta: meta })).toEqual(isRefused ? error : undefined);
      expect(refusedFor({ _meta: { a: "x".repeat(length - 8) } })).toEqual(isRefused ? error : undefined);
      expect(refusedFor({ _meta: "x".repeat(length - 2) })).toEqual(isRefused ? error : undefined);
    },
  );
});
