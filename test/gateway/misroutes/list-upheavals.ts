// Every kind of thing that happens to a downstream during the run.

import type { CallBehaviour } from "../../servers/control.js";
import type { Chance } from "./chance.js";
import type { Fleet, Server } from "./fleet.js";
import type { Traffic } from "./traffic.js";

export interface Upheaval {
  readonly name: string;
  readonly suits: (server: Server) => boolean;
  readonly happen: (server: Server) => Promise<void>;
}

/** What an upheaval can do. */
interface Means {
  readonly fleet: Fleet;
  readonly traffic: Traffic;
  readonly chance: Chance;
  /** Offers other tools, and says so. */
  readonly change: (server: Server, tools: ReadonlyMap<string, unknown>) => Promise<void>;
  /** Calls may fail from now on until the server is well again. */
  readonly trouble: (server: Server, happen: () => Promise<void>) => Promise<void>;
  /** Ends the process, and waits for the next. */
  readonly restart: (server: Server, end: () => Promise<unknown>) => Promise<void>;
  /** Answers so for a while, and then as before. */
  readonly behave: (
    server: Server,
    behaviour: CallBehaviour,
    meanwhile: () => Promise<void>,
  ) => Promise<void>;
  /** After so many more calls, whoever makes them. */
  readonly callsLater: (count: number) => Promise<void>;
  readonly reload: (alter: () => void) => Promise<void>;
  readonly misconfigure: () => Promise<void>;
}

const GARBAGE = [
  "}{ this is no JSON",
  "null",
  "[]",
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":{"a":1},"result":{}}',
  '{"jsonrpc":"2.0","id":[1],"result":{}}',
  '{"jsonrpc":"2.0","id":true,"result":{}}',
  '{"jsonrpc":"2.0","id":1e999,"result":{}}',
  '{"jsonrpc":"2.0","id":"__proto__","result":{"structuredContent":{"server":"a lie"}}}',
  '{"jsonrpc":"2.0","id":-1,"error":{"code":-32603,"message":"a lie"}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"1","progress":1}}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":null}}',
  '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":[]}',
  '{"jsonrpc":"2.0","id":7,"method":"no/such"}',
  "\u0000\u0001\u2028",
  `${"[".repeat(20_000)}`,
  "x".repeat(100_000),
].join("\n");

export function listUpheavals(means: Means): readonly Upheaval[] {
  const { fleet, traffic, chance, change, trouble, restart, behave, callsLater, reload, misconfigure } =
    means;
  let news = 0;
  const isThere = ({ present }: Server): boolean => present;
  const isStdio = (server: Server): boolean => isThere(server) && server.kind.transport === "stdio";
  const isHttp = (server: Server): boolean => isThere(server) && server.kind.transport === "http";
  const some = (server: Server): readonly string[] =>
    [...server.tools.keys()].filter(() => chance.next() < 0.2);

  return [
    {
      name: "tools removed",
      suits: isThere,
      happen: async (server) => {
        const before = new Map(server.tools);
        const gone = new Set(some(server));
        await change(server, new Map([...before].filter(([name]) => !gone.has(name))));
        await callsLater(100);
        if (chance.next() < 0.5) await change(server, before);
      },
    },
    {
      name: "tools added",
      suits: isThere,
      happen: async (server) => {
        news += 1;
        const added = [`search_${news}`, `new ${news}`, `crm_search_${news}`, `${"n".repeat(70)}${news}`];
        await change(server, new Map([...server.tools, ...added.map((name) => [name, name] as const)]));
      },
    },
    {
      name: "tools renamed",
      suits: isThere,
      happen: async (server) => {
        const renamed = new Set(some(server));
        const to = (name: string): string => (renamed.has(name) ? `${name}_2` : name);
        await change(server, new Map([...server.tools.keys()].map((name) => [to(name), to(name)])));
      },
    },
    {
      name: "tools reordered",
      suits: isThere,
      happen: (server) => change(server, new Map([...server.tools].reverse())),
    },
    {
      name: "definitions changed",
      suits: isThere,
      happen: async (server) => {
        news += 1;
        const tools = [...server.tools.keys()].map((name) => ({
          name,
          description: `Change ${news}: see search and files_read`,
          inputSchema: { type: "object", properties: { nonce: { type: "string" }, [`p${news}`]: {} } },
        }));
        await (await server.directed()).direct({ do: "set", tools });
        for (const tool of tools) server.tools.set(tool.name, tool);
      },
    },
    {
      name: "change that is none announced",
      suits: isThere,
      happen: async (server) => void (await (await server.directed()).direct({ do: "announce" })),
    },
    {
      name: "answers held, released last first",
      suits: isThere,
      happen: (server) =>
        behave(server, { hold: true }, async () => {
          const directed = await server.directed();
          await directed.direct({ do: "awaitHeld", count: 4 });
          await directed.direct({ do: "behave" });
          await directed.direct({ do: "release", order: "lifo" });
        }),
    },
    {
      name: "answers held, half cancelled",
      suits: isThere,
      happen: (server) =>
        behave(server, { hold: true, progress: 1 }, async () => {
          const directed = await server.directed();
          await directed.direct({ do: "awaitHeld", count: 4 });
          traffic.cancelSome(server);
          await directed.direct({ do: "behave" });
          await directed.direct({ do: "release" });
        }),
    },
    {
      name: "server hangs, half cancelled",
      suits: isThere,
      happen: async (server) => {
        const directed = await server.directed();
        await directed.direct({ do: "hang" });
        await directed.direct({ do: "awaitParked", count: 3 });
        traffic.cancelSome(server);
        await directed.direct({ do: "resume" });
      },
    },
    {
      name: "answers slow, with progress and logs",
      suits: isThere,
      happen: (server) =>
        behave(server, { delayMs: 30, progress: 3, log: ["a", "b"] }, () => callsLater(200)),
    },
    {
      name: "answers failing",
      suits: isThere,
      happen: (server) =>
        behave(server, { fail: chance.next() < 0.5 ? "error" : "isError" }, () => callsLater(100)),
    },
    {
      name: "answers large",
      suits: isThere,
      happen: (server) => behave(server, { bytes: 50_000 }, () => callsLater(100)),
    },
    {
      name: "garbage among messages",
      suits: isStdio,
      happen: async (server) =>
        void (await (await server.directed()).direct({ do: "garbage", text: `${GARBAGE}\n` })),
    },
    {
      name: "garbage instead of an answer",
      suits: isHttp,
      happen: (server) =>
        trouble(server, async () => {
          const lie = { server: server.id, raw: "a lie", nonce: "a lie" };
          const answer = { jsonrpc: "2.0", id: 999_999_999, result: { content: [], structuredContent: lie } };
          const text = chance.next() < 0.5 ? "}{" : JSON.stringify([answer, { ...answer, id: "1" }]);
          await (await server.directed()).direct({ do: "garbage", text });
          await callsLater(100);
        }),
    },
    {
      name: "frame too large",
      suits: isStdio,
      happen: (server) =>
        restart(server, async () => (await server.directed()).direct({ do: "huge", bytes: 400_000 })),
    },
    {
      name: "process ends",
      suits: isThere,
      happen: (server) =>
        restart(server, async () => (await server.directed()).direct({ do: "exit", code: 3 })),
    },
    {
      name: "HTTP 503 for a while",
      suits: isHttp,
      happen: (server) =>
        trouble(server, async () => {
          const directed = await server.directed();
          await directed.direct({ do: "refuse", status: 503 });
          await callsLater(60);
          await directed.direct({ do: "refuse" });
        }),
    },
    {
      name: "sessions dropped",
      suits: isHttp,
      happen: (server) =>
        trouble(server, async () => void (await (await server.directed()).direct({ do: "dropSessions" }))),
    },
    {
      name: "streams closed",
      suits: isHttp,
      happen: (server) =>
        trouble(server, async () => void (await (await server.directed()).direct({ do: "closeStreams" }))),
    },
    {
      name: "server added or taken out by a reload",
      suits: ({ kind }) => kind.guest === true,
      happen: (server) =>
        trouble(server, async () => {
          const comes = !server.present;
          if (comes && server.kind.transport === "http" && server.url === undefined)
            await fleet.startHttp(server);
          const gone = comes || server.kind.transport === "http" ? undefined : (await server.directed()).gone;
          if (comes && server.kind.transport === "stdio") fleet.forget(server);
          await reload(() => {
            server.present = comes;
          });
          await gone;
        }),
    },
    {
      name: "config that is wrong",
      suits: isThere,
      happen: misconfigure,
    },
  ];
}
