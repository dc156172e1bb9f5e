// What happens to the downstreams while clients call: they change, fall, lie, hang, move, come and go.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { CallBehaviour } from "../../servers/control.js";
import type { RunningOnym } from "../harness.js";
import type { Chance } from "./chance.js";
import type { Fleet, Server } from "./fleet.js";
import { listUpheavals } from "./list-upheavals.js";
import type { LoadClient } from "./load-client.js";
import type { Traffic } from "./traffic.js";

export interface UpheavalPorts {
  readonly fleet: Fleet;
  readonly onym: RunningOnym;
  readonly traffic: Traffic;
  /** Looks at lists and tries calls. */
  readonly looker: LoadClient;
  readonly chance: Chance;
  readonly wrongs: string[];
}

export interface Upheavals {
  readonly made: ReadonlyMap<string, number>;
  /** Every kind has happened. */
  readonly isComplete: () => boolean;
  /** One thing after the other, until told to stop. */
  readonly rage: (isOver: () => boolean) => Promise<void>;
}

const SETTLE_MS = 90_000;
const POLL_MS = 50;

export function createUpheavals(ports: UpheavalPorts): Upheavals {
  const { fleet, onym, traffic, looker, chance, wrongs } = ports;
  const made = new Map<string, number>();
  const busy = new Set<Server>();
  let configs: Promise<void> = Promise.resolve();

  /** Until lists show of this server what it offers and nothing else, and it answers. */
  const settle = async (server: Server): Promise<void> => {
    const until = Date.now() + SETTLE_MS;
    for (let turn = 1; ; turn += 1) {
      const listed = await traffic.list(looker);
      const shown = [...listed.values()].filter((identity) => identity.server === server.id);
      const wanted = server.present ? server.tools : new Map();
      const isListed = shown.length === wanted.size && shown.every(({ raw }) => wanted.has(raw));
      // Lists go on showing a server that is about to be back.
      if (isListed && (!server.present || (await traffic.isAnswering(looker, server)))) return;
      if (Date.now() > until) {
        const missing = [...wanted.keys()].filter((raw) => !shown.some((tool) => tool.raw === raw));
        wrongs.push(
          `${server.id}: lists show ${shown.length} of ${wanted.size} tools, without ${JSON.stringify(missing)}`,
        );
        return;
      }
      // Word of a change is lost when nobody listens at that moment; a server that cares says it again.
      if (turn % 20 === 0 && server.present) await (await server.directed()).direct({ do: "announce" });
      await pause(POLL_MS);
    }
  };

  const trouble = async (server: Server, happen: () => Promise<void>): Promise<void> => {
    server.troubles += 1;
    server.epoch += 1;
    try {
      await happen();
      await settle(server);
    } finally {
      server.troubles -= 1;
      server.epoch += 1;
    }
  };

  const change = (server: Server, tools: ReadonlyMap<string, unknown>): Promise<void> =>
    trouble(server, async () => {
      fleet.note(server, [...tools.keys()]);
      server.tools.clear();
      for (const [name, tool] of tools) server.tools.set(name, tool);
      await (await server.directed()).direct({ do: "set", tools: [...tools.values()] });
    });

  /** For a while, and then as before. */
  const behave = async (server: Server, behaviour: CallBehaviour, meanwhile: () => Promise<void>) => {
    const directed = await server.directed();
    await directed.direct({ do: "behave", ...behaviour });
    await meanwhile();
    await directed.direct({ do: "behave" });
  };

  /** So many more calls, whoever makes them. */
  const callsLater = async (count: number): Promise<void> => {
    const target = traffic.calls() + count;
    while (traffic.calls() < target) await pause(POLL_MS);
  };

  /** Until Onym has said it once more. */
  const said = async (text: string, begin: () => void): Promise<void> => {
    const times = (): number => onym.stderr().split(text).length;
    const before = times();
    begin();
    while (times() === before) await pause(POLL_MS);
  };

  const reload = (alter: () => void): Promise<void> => {
    configs = configs.then(() => {
      alter();
      return said("config in force", () => fleet.writeConfig(onym));
    });
    return configs;
  };

  /** A config that is wrong changes nothing (CFG-4). */
  const misconfigure = (): Promise<void> => {
    configs = configs.then(() =>
      said("the new config is not used", () =>
        writeFileSync(join(onym.dir, "onym.json"), '{"mcpServers": {"crm": {"comand": 1}'),
      ),
    );
    return reload(() => {});
  };

  const restart = (server: Server, end: () => Promise<unknown>): Promise<void> =>
    trouble(server, async () => {
      const { gone } = await server.directed();
      await end();
      await gone;
      fleet.forget(server);
      if (server.kind.transport === "stdio") await server.directed();
      else {
        await fleet.startHttp(server);
        await reload(() => {});
      }
    });

  const upheavals = listUpheavals({
    fleet,
    traffic,
    chance,
    change,
    trouble,
    restart,
    behave,
    callsLater,
    reload,
    misconfigure,
  });

  return {
    made,
    isComplete: () => made.size === upheavals.length,
    async rage(isOver) {
      while (!isOver()) {
        const rare = upheavals.filter(({ name }) => !made.has(name));
        const upheaval = chance.pick(rare.length > 0 ? rare : upheavals);
        const suited = fleet.servers.filter((server) => !busy.has(server) && upheaval?.suits(server));
        const server = chance.pick(suited);
        if (upheaval === undefined || server === undefined) {
          await pause(POLL_MS);
          continue;
        }
        busy.add(server);
        try {
          made.set(upheaval.name, (made.get(upheaval.name) ?? 0) + 1);
          await upheaval.happen(server);
        } finally {
          busy.delete(server);
        }
        await callsLater(20);
      }
    },
  };
}
