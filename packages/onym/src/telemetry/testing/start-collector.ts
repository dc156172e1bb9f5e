// A span collector for tests: a real HTTP server that stores what it receives and answers as configured.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code: number };
  readonly attributes: Readonly<Record<string, string>>;
}

interface Collected {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly resource: Readonly<Record<string, string>>;
  readonly spans: readonly CollectedSpan[];
}

export interface Collector {
  readonly url: string;
  /** Every received batch, whatever the answer was. */
  readonly batches: readonly Collected[];
  readonly spans: () => readonly CollectedSpan[];
  /** Resolves with the matching spans once there are this many. */
  readonly reach: (
    fits: (span: CollectedSpan) => boolean,
    count?: number,
  ) => Promise<readonly CollectedSpan[]>;
  /** Resolves once this many batches were received. */
  readonly took: (batches: number) => Promise<void>;
  /** How the next requests are answered. Default: 200. */
  readonly answer: (next: (res: ServerResponse, req: IncomingMessage) => void) => void;
  readonly close: () => Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

export async function startCollector(): Promise<Collector> {
  const batches: Collected[] = [];
  const waiting = new Set<() => void>();
  let answer = (res: ServerResponse, _req: IncomingMessage): void => void res.end("{}");
  const server = createServer((req, res) => {
    let text = "";
    req.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    req.on("end", () => {
      batches.push({ path: req.url ?? "", headers: req.headers, ...readBatch(text) });
      answer(res, req);
      for (const look of [...waiting]) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const spans = () => batches.flatMap((batch) => batch.spans);
  const until = <T>(read: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = () => {
        const value = read();
        if (value === undefined) return;
        waiting.delete(look);
        resolve(value);
      };
      waiting.add(look);
      look();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches,
    spans,
    reach: (fits, count = 1) =>
      until(() => {
        const found = spans().filter(fits);
        return found.length >= count ? found : undefined;
      }),
    took: (count) => until(() => (batches.length >= count ? true : undefined)).then(() => {}),
    answer(next) {
      answer = next;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function readBatch(text: string): Pick<Collected, "resource" | "spans"> {
  const { resourceSpans } = JSON.parse(text);
  const [{ resource, scopeSpans }] = resourceSpans;
  return {
    resource: attributesOf(resource.attributes),
    spans: scopeSpans[0].spans.map((span: CollectedSpan & { readonly attributes: readonly Attribute[] }) => ({
      ...span,
      attributes: attributesOf(span.attributes),
    })),
  };
}

/** A repeated key would be ambiguous. */
function attributesOf(list: readonly Attribute[]): Record<string, string> {
  const keys = list.map(({ key }) => key);
  if (new Set(keys).size !== keys.length) throw new Error(`an attribute is there twice: ${keys.join()}`);
  return Object.fromEntries(
    list.map(({ key, value }) => [key, value.stringValue ?? `int ${value.intValue}`]),
  );
}
