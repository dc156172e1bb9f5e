import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MAX_VALUES, SLICED_BYTES } from "../../mcp/fast-path/parse-large.js";
import { LINES_AS_ONE } from "../../mcp/framing/sse-reader.js";
import type { JsonObject } from "../../mcp/json.js";
import { type Clock, systemClock } from "../../model/clock.js";
import { serveScriptedHttp } from "../testing/serve-scripted-http.js";
import {
  createTestClock,
  readContent,
  startDownstream,
  type TestDownstream,
} from "../testing/start-downstream.js";
import {
  ArrivingMessages,
  createPacedReading,
  DROPPABLE_COST,
  FREE_VALUES,
  LOG_BURST,
  LOG_RATE,
  Pace,
  TURN_MESSAGES,
  UNSOLICITED_BURST,
  UNSOLICITED_RATE,
  UNSOLICITED_VALUES,
} from "./pace.js";

/** With a clock that stands still until it is set. */
function createPace(): {
  readonly pace: Pace;
  readonly floods: () => number;
  readonly droppedLog: readonly number[];
  readonly pass: (ms: number) => void;
} {
  let now = 0;
  let floods = 0;
  const clock = { ...createTestClock(), now: () => now };
  const droppedLog: number[] = [];
  const pace = new Pace(clock, {
    onFlood: () => {
      floods += 1;
    },
    onDropped: () => {},
    onDroppedLog: (messages) => void droppedLog.push(messages),
  });
  return {
    pace,
    floods: () => floods,
    droppedLog,
    pass: (ms) => {
      now += ms;
    },
  };
}

/** Messages until others get a turn, each with what it is counted as. Returns the rest that is wanted. */
function turn(pace: Pace, kind: "answers" | "droppable" | "unsolicited"): number | undefined {
  for (let n = 1; n <= TURN_MESSAGES; n += 1) {
    pace.count(0);
    if (kind === "unsolicited") pace.countUnsolicited();
    if (kind === "droppable") pace.countDroppable();
    if (n < TURN_MESSAGES) expect(pace.delayAfter(10)).toBe(undefined);
  }
  return pace.delayAfter(10);
}

describe("the pace of a server", () => {
  it("leaves no more than four messages of the largest size incomplete: one below, at and one above (limits: OPEN_FRAMES of pace) (SAFE-5)", () => {
    const { pace } = createPace();
    expect([399, 1, 1].map((bytes) => pace.addOpenBytes(bytes, 100))).toEqual([true, true, false]);
    expect(pace.addOpenBytes(-1, 100)).toBe(true);
  });

  it("gives others a turn after so many messages or bytes: one below, and at the limit (SAFE-4)", () => {
    const { pace } = createPace();
    expect(turn(pace, "answers")).toBe(0);
    expect(turn(pace, "answers")).toBe(0);
    expect(pace.delayAfter(128 * 1024 - 1)).toBe(undefined);
    expect(pace.delayAfter(1)).toBe(0);
  });

  it("never slows answers down", () => {
    const { pace, floods } = createPace();
    for (let n = 0; n < (UNSOLICITED_BURST / TURN_MESSAGES) * 3; n += 1)
      expect(turn(pace, "answers")).toBe(0);
    expect(floods()).toBe(0);
  });

  it("slows down what answers nothing, beyond a burst, to so many a second, and says so once (SAFE-5)", () => {
    const { pace, floods, pass } = createPace();
    const turns = Math.floor(UNSOLICITED_BURST / TURN_MESSAGES);
    for (let n = 0; n < turns; n += 1) expect(turn(pace, "unsolicited")).toBe(0);
    expect(floods()).toBe(0);
    const over = (turns + 1) * TURN_MESSAGES - UNSOLICITED_BURST;
    expect(turn(pace, "unsolicited")).toBeCloseTo((over * 1000) / UNSOLICITED_RATE);
    expect(floods()).toBe(1);
    pass((over * 1000) / UNSOLICITED_RATE);
    const full = (TURN_MESSAGES * 1000) / UNSOLICITED_RATE;
    expect(turn(pace, "unsolicited")).toBeCloseTo(full);
    pass(full * 2);
    expect(turn(pace, "unsolicited")).toBeCloseTo(0);
    expect(floods()).toBe(1);
    pass(60_000);
    for (let n = 0; n <= turns; n += 1) turn(pace, "unsolicited");
    expect(floods()).toBe(2);
  });

  it("slows down what may be dropped only where it is a hundred times as much (SAFE-5)", () => {
    const { pace, floods } = createPace();
    const count = (messages: number): number | undefined => {
      for (let n = 0; n < messages; n += 1) {
        pace.count(0);
        pace.countDroppable();
      }
      return pace.delayAfter(10);
    };
    expect(count(UNSOLICITED_BURST / DROPPABLE_COST - 1000)).toBe(0);
    expect(floods()).toBe(0);
    expect(count(2000)).toBeCloseTo((1000 * DROPPABLE_COST * 1000) / UNSOLICITED_RATE);
    expect(floods()).toBe(1);
  });

  it("counts the bytes of what may be dropped as those of anything else (SAFE-5)", () => {
    const { pace } = createPace();
    pace.count(UNSOLICITED_BURST * 16 * 1024);
    pace.countDroppable();
    expect(pace.delayAfter(128 * 1024)).toBeCloseTo((DROPPABLE_COST * 1000) / UNSOLICITED_RATE);
  });

  it("admits log messages up to a burst, one below, at and one above, and then so many a second (SAFE-5)", () => {
    const { pace, droppedLog, pass } = createPace();
    const admitted = (times: number) => Array.from({ length: times }, () => pace.admitsLog()).filter(Boolean);
    expect(admitted(LOG_BURST - 1)).toHaveLength(LOG_BURST - 1);
    expect([pace.admitsLog(), pace.admitsLog()]).toEqual([true, false]);
    pass(1000);
    expect(admitted(LOG_RATE + 2)).toHaveLength(LOG_RATE);
    expect(droppedLog).toEqual([1]);
    pass(60_000);
    admitted(LOG_BURST + 1);
    expect(droppedLog).toEqual([1, 3]);
  });

  it.each([
    ["as many as are free: one below", FREE_VALUES - 1, 0],
    ["as many as are free: at", FREE_VALUES, 0],
    ["as many as are free: one above", FREE_VALUES + 1, 1 / UNSOLICITED_VALUES],
    ["many", FREE_VALUES + 10 * UNSOLICITED_VALUES, 10],
    ["more than are parsed", 10 * MAX_VALUES, (MAX_VALUES - FREE_VALUES) / UNSOLICITED_VALUES],
  ])(
    "counts the values of what nobody asked for, once there are more than a few: %s (SAFE-4, SAFE-5)",
    (_, values, cost) => {
      // The list is a value, too.
      const source = `[${Array(values - 1)
        .fill("1")
        .join()}]`;
      const charge = (count: (pace: Pace) => void): number => {
        const { pace } = createPace();
        // What a burst has at its end.
        pace.count(UNSOLICITED_BURST * 16 * 1024);
        pace.countUnsolicited();
        pace.count(0, source);
        count(pace);
        const delay = pace.delayAfter(128 * 1024) ?? Number.NaN;
        return (delay * UNSOLICITED_RATE) / 1000 - 1;
      };
      expect(charge((pace) => pace.countUnsolicited())).toBeCloseTo(1 + cost);
      expect(charge((pace) => pace.countDroppable())).toBeCloseTo(DROPPABLE_COST + cost);
      // An answer that is waited for, and what was counted before it was parsed.
      expect(charge(() => {})).toBeCloseTo(0);
      expect(
        charge((pace) => {
          pace.forget();
          pace.countUnsolicited();
        }),
      ).toBeCloseTo(1);
    },
  );

  it("counts the values of a batch once, whether its messages are handled or dropped (SAFE-4, SAFE-5)", () => {
    const source = JSON.stringify(Array(100).fill(Array(99).fill(1)));
    const charge = (handled: number): number => {
      const { pace } = createPace();
      pace.count(UNSOLICITED_BURST * 16 * 1024);
      pace.countUnsolicited();
      pace.count(0, source);
      pace.countBatch(100);
      for (let n = 0; n < handled; n += 1) pace.countUnsolicited();
      pace.countDropped(100 - handled);
      return ((pace.delayAfter(128 * 1024) ?? Number.NaN) * UNSOLICITED_RATE) / 1000 - 1;
    };
    const values = (100 * 100 + 1 - FREE_VALUES) / UNSOLICITED_VALUES;
    for (const handled of [0, 1, 99, 100]) expect(charge(handled)).toBeCloseTo(handled + values);
  });

  it("counts large messages more than once, and stops for 5 s at most (SAFE-5)", () => {
    const { pace, pass } = createPace();
    pace.count(UNSOLICITED_BURST * 16 * 1024);
    pace.countUnsolicited();
    expect(pace.delayAfter(128 * 1024)).toBeCloseTo(1000 / UNSOLICITED_RATE);
    pass(1000 / UNSOLICITED_RATE);
    pace.count(1024 * 1024 * 1024);
    pace.countUnsolicited();
    expect(pace.delayAfter(128 * 1024)).toBe(5000);
  });
});

describe("streams of one server", () => {
  /** Each push is as much as a turn takes. */
  function readings(pace: Pace, count: number, after: Clock["after"] = systemClock.after) {
    const taken: number[] = [];
    const all = Array.from({ length: count }, (_, index) =>
      createPacedReading({
        pace,
        clock: { ...createTestClock(), after },
        take: () => {
          taken.push(index);
          for (let n = 0; n < TURN_MESSAGES; n += 1) pace.count(1);
        },
        pause: () => {},
        resume: () => {},
      }),
    );
    return { taken, all };
  }

  it("have one turn together, and go on one after another (SAFE-4, SAFE-5)", async () => {
    const { pace } = createPace();
    const { taken, all } = readings(pace, 3);
    for (let round = 0; round < 2; round += 1) for (const reading of all) reading.push(Buffer.from("x"));
    const perTurn = [taken.length];
    while (taken.length < 6) {
      const before = taken.length;
      await new Promise(setImmediate);
      perTurn.push(taken.length - before);
    }
    expect(Math.max(...perTurn)).toBe(1);
    // The first waited before the others had anything to read.
    expect(taken).toEqual([0, 0, 1, 2, 1, 2]);
  });

  it("pay for what answers nothing one after another, not all at once (SAFE-5)", () => {
    const { pace, pass } = createPace();
    pace.count(UNSOLICITED_BURST * 16 * 1024);
    pace.countUnsolicited();
    const full = (TURN_MESSAGES * 1000) / UNSOLICITED_RATE;
    pace.delayAfter(128 * 1024);
    pass(1000 / UNSOLICITED_RATE);
    expect([1, 2, 3].map(() => turn(pace, "unsolicited"))).toEqual([full, 2 * full, 3 * full]);
    // Answers go on meanwhile.
    expect(turn(pace, "answers")).toBe(0);
    pass(2 * full);
    expect(turn(pace, "unsolicited")).toBeCloseTo(2 * full);
  });

  it("that are closed take no turn", async () => {
    const { pace } = createPace();
    const { taken, all } = readings(pace, 2);
    for (const reading of all) reading.push(Buffer.from("x"));
    all[1]?.close();
    for (let n = 0; n < 3; n += 1) await new Promise(setImmediate);
    expect(taken).toEqual([0]);
  });
});

describe("a stream that is read at a pace", () => {
  it("keeps the order, holds what comes meanwhile, and ends after the last byte (SAFE-4)", async () => {
    const { pace } = createPace();
    const taken: string[] = [];
    const flow: string[] = [];
    const reading = createPacedReading({
      pace,
      clock: createTestClock(),
      take: (bytes) => {
        taken.push(Buffer.from(bytes).toString());
        for (let n = 0; n < TURN_MESSAGES; n += 1) pace.count(1);
      },
      pause: () => flow.push("pause"),
      resume: () => flow.push("resume"),
    });
    reading.push(Buffer.from(`${"a".repeat(2048)}${"b".repeat(2048)}c`));
    reading.push(Buffer.from("d"));
    const ended = new Promise<void>((resolve) => reading.end(resolve));
    expect(taken.map(([first]) => first)).toEqual(["a"]);
    await ended;
    expect(taken.map(([first]) => first)).toEqual(["a", "b", "c", "d"]);
    expect(taken.map(({ length }) => length)).toEqual([2048, 2048, 1, 1]);
    expect(flow.at(-1)).toBe("resume");
    expect(flow.filter((what) => what === "resume")).toHaveLength(1);
  });
});

const LINES: Readonly<Record<string, string>> = {
  garbage: "x",
  "broken JSON": "{",
  "empty lines": "",
  "empty batches": "[]",
  "requests with wrong params": '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}',
  pings: '{"jsonrpc":"2.0","id":7,"method":"ping"}',
  notifications: '{"jsonrpc":"2.0","method":"notifications/test/x"}',
  progress: '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1}}',
  "answers to nothing": '{"jsonrpc":"2.0","id":99999,"result":{}}',
};
const TIMES = UNSOLICITED_BURST + 2 * TURN_MESSAGES;

/** No time passes by itself; what rests goes on at once, as if its time were over. */
function createRestlessClock(): Clock {
  let now = 0;
  const passAndCall = (ms: number, call: () => void) => (): void => {
    now += ms;
    call();
  };
  return {
    now: () => now,
    after: (ms, call) => systemClock.after(ms <= 5000 ? 0 : ms, passAndCall(ms, call)),
  };
}

/** With nearly as many values as are parsed, near the depth that is. */
const CROWD = Array(75)
  .fill(`${"[".repeat(240)}${"]".repeat(240)}`)
  .join();
const CROWDED: Readonly<Record<string, string>> = {
  garbage: `{"x":[${CROWD}]}`,
  "broken JSON": `[${CROWD}`,
  "levels beyond the limit": `{"x":${"[".repeat(18_000)}${"]".repeat(18_000)}}`,
  requests: `{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"x":[${CROWD}]}}`,
  "requests with wrong params": `{"jsonrpc":"2.0","id":"q","method":"ping","params":[${CROWD}]}`,
  notifications: `{"jsonrpc":"2.0","method":"notifications/test/x","params":{"x":[${CROWD}]}}`,
  "log messages": `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":[${CROWD}]}}`,
  progress: `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"x":[${CROWD}]}}`,
  "answers to nothing": `{"jsonrpc":"2.0","id":99999,"result":{"x":[${CROWD}]}}`,
  "late answers": `{"jsonrpc":"2.0","id":1,"result":{"x":[${CROWD}]}}`,
  batches: `[[${CROWD}]]`,
  "batches that are too long": `[${Array(9000).fill("[]").join()}]`,
};
/** More messages than a burst has values for, and far fewer than it has messages for. */
const CROWDS = 2 * Math.ceil((UNSOLICITED_BURST * UNSOLICITED_VALUES) / MAX_VALUES);

const running: TestDownstream[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ downstream }) => downstream.close()));
});

/** Sends lines before an answer, and returns what the log says of them. */
async function floodOverStdio(line: string, times: number): Promise<readonly string[]> {
  const path = fileURLToPath(new URL("../testing/scripted-server.mjs", import.meta.url));
  const launch = { command: process.execPath, args: [path], env: new Map(), cwd: process.cwd() };
  const test = startDownstream({ launch: { kind: "stdio", ...launch }, clock: createRestlessClock() });
  running.push(test);
  await test.downstream.firstAttempt;
  const reply = await test.call("write", {
    lines: [
      `${`${line}\n`.repeat(times)}{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"1"}]}}`,
    ],
  });
  expect(readContent(reply)).toBe(1);
  expect(test.downstream.status.kind).toBe("ready");
  return test.logged.filter((text) => text.includes("messages a second that answer nothing"));
}

/** The same in events of a call's own answer. */
async function floodOverHttp(event: string, times: number): Promise<readonly string[]> {
  const server = await serveScriptedHttp(({ body }, response) => {
    if (body?.["method"] !== "tools/call") return false;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event.repeat(times));
    response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: body["id"], result: { done: true } })}\n\n`);
    return true;
  });
  const test = startDownstream({
    launch: { kind: "http", url: server.url, headers: new Map() },
    clock: createRestlessClock(),
  });
  running.push(test);
  await test.downstream.firstAttempt;
  expect(await test.call("echo")).toMatchObject({ result: { done: true } });
  await test.downstream.close();
  await server.close();
  return test.logged.filter((text) => text.includes("messages a second that answer nothing"));
}

describe("a server that floods", () => {
  it.each(Object.entries(LINES))(
    "over stdio with %s is read more slowly, which is told, and its answer still comes (SAFE-5)",
    async (_, line) => {
      expect(await floodOverStdio(line, TIMES)).toHaveLength(1);
    },
  );

  it.each(Object.entries(CROWDED))(
    "over stdio with many values in %s is read more slowly, which is told, and its answer still comes (SAFE-4, SAFE-5)",
    async (_, line) => {
      expect(await floodOverStdio(line, CROWDS)).toHaveLength(1);
    },
  );

  it("over stdio with as many long texts is read as ever, for they are few values (SAFE-5)", async () => {
    const text = "[{,:]}".repeat(6_000);
    const line = `{"jsonrpc":"2.0","method":"notifications/test/x","params":{"text":"${text}"}}`;
    expect(await floodOverStdio(line, CROWDS)).toEqual([]);
  });

  it("is read as fast as ever where a request asked for it, whose caller may have given up (SAFE-5)", async () => {
    const path = fileURLToPath(new URL("../testing/scripted-server.mjs", import.meta.url));
    const launch = { command: process.execPath, args: [path], env: new Map(), cwd: process.cwd() };
    const test = startDownstream({ launch: { kind: "stdio", ...launch }, clock: createRestlessClock() });
    running.push(test);
    await test.downstream.firstAttempt;
    const cancel = new AbortController();
    const passed: number[] = [];
    const given = test.call("wait", {}, { wantsProgress: true }, { signal: cancel.signal });
    await test.until(() => test.notifications.some(({ method }) => method === "notifications/test/waiting"));
    const id = String(test.notifications.at(-1)?.params?.["id"]);
    cancel.abort();
    await given;
    const flood = [
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},"progress":1}}`,
      `{"jsonrpc":"2.0","id":${id},"result":{}}`,
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$ID,"progress":1}}',
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}',
    ].map((line) => `${line}\n`.repeat(TIMES));
    const answer = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"1"}]}}';
    const reply = test.call(
      "write",
      { lines: [flood.join("") + answer] },
      { wantsProgress: true, notify: () => void passed.push(1) },
    );
    expect(readContent(await reply)).toBe(1);
    expect(test.logged.filter((text) => text.includes("messages a second that answer"))).toEqual([]);
    expect(test.logged.filter((text) => text.includes("log messages a second"))).toHaveLength(1);
    // The log of this caller, and of its progress what one second takes.
    expect(passed.length).toBeLessThan(LOG_BURST + TIMES);
  });

  it.each([
    ["notifications", `data: ${LINES["notifications"]}\n\n`],
    ["garbage", "data: x\n\n"],
    ["empty batches", "data: []\n\n"],
    ["events without data", "data:\n\n"],
    ["other events", "event: x\ndata: x\n\n"],
    ["comments", ":\n\n"],
    ["lines without a field that there is", "x\n".repeat(LINES_AS_ONE)],
    ["lines of ids", "id\n".repeat(LINES_AS_ONE)],
  ])(
    "over HTTP with %s before an answer is read more slowly, and the answer still comes (SAFE-5)",
    async (_, event) => {
      expect(await floodOverHttp(event, TIMES)).toHaveLength(1);
    },
  );

  // An answer with the id of a request that waits is no flood.
  it.each(Object.entries(CROWDED).filter(([what]) => what !== "late answers"))(
    "over HTTP with many values in %s before an answer is read more slowly, and the answer still comes (SAFE-4, SAFE-5)",
    async (_, line) => {
      expect(await floodOverHttp(`data: ${line}\n\n`, CROWDS)).toHaveLength(1);
    },
  );
});

const small = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;
const large = (id: number, text = "x"): string =>
  `{"jsonrpc":"2.0","id":${id},"result":{"x":"${text.repeat((8 * SLICED_BYTES) / text.length)}"}}`;

function collect() {
  const ids: unknown[] = [];
  const messages = new ArrivingMessages((parsed) => {
    ids.push(parsed.ok ? (parsed.value as JsonObject)["id"] : parsed.reason);
  });
  return { ids, messages };
}

describe("arriving messages", () => {
  it("are delivered at once if they are small", () => {
    const { ids, messages } = collect();
    for (const id of [1, 2]) messages.push(small(id));
    expect(ids).toEqual([1, 2]);
    expect(messages.busy).toBeUndefined();
  });

  it("are delivered in their order, although a large one is parsed between other work (SAFE-4)", async () => {
    const { ids, messages } = collect();
    // Every look at the clock is a slice later, however fast the machine is.
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
    messages.push(small(1));
    messages.push(Buffer.from(large(2, "\\u00e9")));
    messages.push(small(3));
    messages.push(large(4));
    messages.push(small(5));
    expect(ids).toEqual([1]);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (messages.busy !== undefined) setImmediate(count);
    };
    setImmediate(count);
    await messages.busy;
    clock.mockRestore();
    expect(ids).toEqual([1, 2, 3, 4, 5]);
    expect(turns).toBeGreaterThan(1);
    messages.push(small(6));
    expect(ids.at(-1)).toBe(6);
  });
});
