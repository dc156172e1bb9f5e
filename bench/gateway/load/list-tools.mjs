// The complete list, page after page, over one lane. Only the time from each request to the end of its answer counts.

import { performance } from "node:perf_hooks";
import { buildBody, createStamp, headersFor } from "./build-request.mjs";

let sequence = 500_000_000;

/** The answers to every page, as bytes, and how long they took together. */
export async function fetchList({ era, lane, frame }) {
  const pages = [];
  let ms = 0;
  let cursor;
  do {
    const text = buildBody({ era, method: "tools/list", cursor });
    const { buffer, stamp } = createStamp(frame(text, headersFor({ era, method: "tools/list" })));
    sequence += 1;
    const id = stamp(sequence);
    const start = performance.now();
    const parts = await new Promise((resolve, reject) => {
      lane.onAnswer = (status, answer) => {
        ms += performance.now() - start;
        if (status === 200) resolve(answer);
        else
          reject(new Error(`tools/list: HTTP ${status}: ${Buffer.concat(answer).toString("utf8", 0, 300)}`));
      };
      lane.onLost = (why) => reject(new Error(`tools/list: ${why}`));
      lane.send(buffer, id);
    });
    const body = Buffer.concat(parts);
    if (!body.includes(`"id":${id}`)) throw new Error("tools/list: the answer to another request");
    pages.push(body);
    cursor = /"nextCursor":"([^"]+)"/.exec(ends(body))?.[1];
  } while (cursor !== undefined);
  lane.onLost = () => {};
  return { pages, ms };
}

/** How many tools, and under which name the one is called whose own name is `wanted`. */
export function readList(pages, wanted) {
  const tools = pages.flatMap((page) => {
    const { result, error } = parseAnswer(page);
    if (error !== undefined) throw new Error(`tools/list: ${error.message}`);
    return result.tools;
  });
  return {
    count: tools.length,
    name: tools.find((tool) => tool.name.endsWith(wanted))?.name,
    bytes: pages.reduce((sum, { length }) => sum + length, 0),
  };
}

function ends(body) {
  return body.length < 4000
    ? body.toString()
    : body.toString("utf8", 0, 1000) + body.toString("utf8", body.length - 3000);
}

/** JSON, or the one message of an event stream. */
function parseAnswer(body) {
  const text = body.toString();
  if (text.startsWith("{")) return JSON.parse(text);
  const data = text.split("\n").findLast((line) => line.startsWith("data:") && line.includes('"id"'));
  return JSON.parse(data.slice(5));
}
