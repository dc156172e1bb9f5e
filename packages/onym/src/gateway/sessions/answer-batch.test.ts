import { describe, expect, it } from "vitest";
import { errorReply, type Message, type Reply, resultReply } from "../../mcp/message.js";
import { answerBatch, type BatchPorts, joinAnswers, MAX_BATCH_BYTES } from "./answer-batch.js";

const ask = (id: number): Message => ({ kind: "request", message: { jsonrpc: "2.0", id, method: "ping" } });
const PORTS: BatchPorts = {
  answer: (_, finish) => finish(resultReply({})),
  accept: () => {},
  countNext: () => undefined,
};
const textOf = (answers: Awaited<ReturnType<typeof answerBatch>>) => {
  const joined = joinAnswers(answers);
  return typeof joined === "string" ? joined : Buffer.concat(joined ?? []).toString();
};
const idsAndErrors = (text: string) =>
  JSON.parse(text).map(({ id, error }: { id: number; error?: { data?: object } }) => [id, error?.data]);

describe("the answers to a batch", () => {
  it("are one message, in the order of the requests, whoever is done first", async () => {
    const finished: (() => void)[] = [];
    const answers = answerBatch([ask(1), ask(2), ask(3)], {
      ...PORTS,
      answer: ({ id }, finish) =>
        void finished.push(() =>
          finish(id === 2 ? undefined : id === 3 ? errorReply(-1, "no") : resultReply({ ok: id })),
        ),
    });
    while (finished.length < 3) await new Promise(setImmediate);
    for (const finish of finished.toReversed()) finish();
    expect(textOf(await answers)).toBe(
      '[{"jsonrpc":"2.0","id":1,"result":{"ok":1}},{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"no"}}]',
    );
    expect(joinAnswers([])).toBeUndefined();
  });

  it("share the bytes of a list that callers share, beside texts (SAFE-4)", async () => {
    const list = Buffer.from('{"tools":[]}');
    const answers = await answerBatch([ask(1), ask(2), ask(3)], {
      ...PORTS,
      answer: ({ id }, finish) => finish(id === 2 ? resultReply({}) : { kind: "bytes", pieces: [list] }),
    });
    const joined = joinAnswers(answers);
    expect(Array.isArray(joined) && joined.filter((piece) => piece === list)).toHaveLength(2);
    expect(JSON.parse(textOf(answers))).toEqual(
      [{ tools: [] }, {}, { tools: [] }].map((result, at) => ({ jsonrpc: "2.0", id: at + 1, result })),
    );
  });

  it.each(["json", "umlauts", "bytes"] as const)(
    "have a limit, one below, at and one above: what goes beyond is refused and not run, as %s (SAFE-5)",
    async (kind) => {
      const around = JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }).length - 2;
      for (const [more, fits] of [
        [-1, true],
        [0, true],
        [1, false],
      ] as const) {
        const size = MAX_BATCH_BYTES / 2 - around;
        const run: unknown[] = [];
        const replyOf = (id: unknown): Reply => {
          const length = size - 2 + (id === 2 ? more : 0);
          const json = `"${kind === "umlauts" ? "ü".repeat(length / 2).padEnd(Math.ceil(length / 2), "x") : "x".repeat(length)}"`;
          return kind === "bytes" ? { kind, pieces: [Buffer.from(json)] } : { kind: "json", json };
        };
        const answers = await answerBatch([ask(1), ask(2), ask(3)], {
          ...PORTS,
          answer({ id }, finish) {
            run.push(id);
            finish(id === 3 ? resultReply({}) : replyOf(id));
          },
        });
        const refused = { limit: "batchBytes", max: MAX_BATCH_BYTES };
        expect(idsAndErrors(textOf(answers))).toEqual([
          [1, undefined],
          [2, fits ? undefined : refused],
          [3, refused],
        ]);
        expect(run).toEqual(fits ? [1, 2, 3] : [1, 2]);
      }
    },
  );

  it("count every request but the first, and begin in turns of their own (SAFE-4, SAFE-5)", async () => {
    let [counted, begun, turns] = [0, 0, 0];
    const watch = (): void => {
      turns += 1;
      if (begun < 4) setImmediate(watch);
    };
    setImmediate(watch);
    const accepted: Message[] = [];
    const notification: Message = { kind: "notification", message: { jsonrpc: "2.0", method: "x" } };
    const answers = await answerBatch([notification, ...[1, 2, 3, 4, 5].map(ask)], {
      answer: (_, finish) => {
        begun += 1;
        finish(resultReply({}));
      },
      accept: (message) => void accepted.push(message),
      countNext: () => {
        counted += 1;
        return counted < 4 ? undefined : { code: "too-many-requests", message: "slower" };
      },
    });
    expect(accepted).toEqual([notification]);
    expect([counted, begun, answers.length]).toEqual([4, 4, 5]);
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(String(answers.at(-1))).toContain("slower");
  });
});
