import { describe, expect, it } from "vitest";
import { SLICED_BYTES } from "../../mcp/fast-path/parse-large.js";
import type { JsonObject } from "../../mcp/json.js";
import { ArrivingMessages } from "./pace.js";

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
    expect(ids).toEqual([1, 2, 3, 4, 5]);
    expect(turns).toBeGreaterThan(1);
    messages.push(small(6));
    expect(ids.at(-1)).toBe(6);
  });
});
