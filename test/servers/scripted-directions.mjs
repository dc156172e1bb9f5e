// What a scripted server can be told to do while it runs. Each direction answers once it is done.

import { notice } from "./scripted-message.mjs";
import { describeTool } from "./scripted-script.mjs";

const META = "io.modelcontextprotocol/subscriptionId";

export function createDirections(state, receive) {
  const waiting = new Set();

  /** Called whenever something happened that a direction may be waiting for. */
  function wake() {
    for (const look of [...waiting]) look();
  }

  function until(isSo, answer) {
    return new Promise((resolve) => {
      const look = () => {
        if (!isSo()) return;
        waiting.delete(look);
        resolve(answer());
      };
      waiting.add(look);
      look();
    });
  }

  function announce(method, wish, params = {}) {
    // Modern clients are told only what they listen for.
    for (const { tell, capabilities } of state.peers)
      if (capabilities !== undefined) tell?.(notice(method, params));
    for (const { tell, filter, id } of state.listens) {
      if (wish(filter)) tell(notice(method, { ...params, _meta: { [META]: id } }));
    }
  }

  function changeTools(tools, { quiet = false }) {
    state.tools = tools;
    if (!quiet) announceTools();
    return { tools: state.tools.length };
  }

  const announceTools = () =>
    announce("notifications/tools/list_changed", (filter) => filter.toolsListChanged === true);
  const receivedOf = ({ method }) => state.received.filter((message) => message.method === method);
  const isNamed = (names) => (tool) => names.includes(tool?.name);

  const directions = new Map([
    ["set", (order) => changeTools(order.tools.map(describeTool), order)],
    ["add", (order) => changeTools([...state.tools, ...order.tools.map(describeTool)], order)],
    [
      "remove",
      (order) =>
        changeTools(
          state.tools.filter((tool) => !isNamed(order.names)(tool)),
          order,
        ),
    ],
    /** Says that the list changed, although it did not. */
    ["announce", () => void announceTools()],
    [
      "fix",
      () => {
        state.isMended = true;
        announceTools();
      },
    ],
    ["behave", ({ do: _, tool, ...behaviour }) => void state.behaviours.set(tool, behaviour)],
    [
      "hang",
      () => {
        state.parked ??= [];
      },
    ],
    ["resume", () => resume()],
    ["release", ({ order = "fifo" }) => release(order)],
    [
      "awaitHeld",
      ({ count }) =>
        until(
          () => state.held.length >= count,
          () => ({ held: state.held.map(({ name }) => name) }),
        ),
    ],
    [
      "awaitParked",
      ({ count }) =>
        until(
          () => (state.parked?.length ?? 0) >= count,
          () => ({ parked: state.parked.length }),
        ),
    ],
    [
      "awaitReceived",
      (order) =>
        until(
          () => receivedOf(order).length >= (order.count ?? 1),
          () => ({ received: receivedOf(order) }),
        ),
    ],
    [
      "awaitListens",
      ({ count }) =>
        until(
          () => state.listens.size >= count,
          () => ({ listens: state.listens.size }),
        ),
    ],
    ["received", () => ({ received: state.received })],
    [
      "forget",
      () => {
        state.received = [];
      },
    ],
    ["huge", ({ bytes }) => tellAll("notifications/message", { level: "info", data: "x".repeat(bytes) })],
    ["tell", ({ method, params }) => tellAll(method, params)],
    [
      "touch",
      ({ uri }) =>
        announce("notifications/resources/updated", (filter) => filter.resourceSubscriptions?.includes(uri), {
          uri,
        }),
    ],
    ["exit", ({ code = 0 }) => process.exit(code)],
  ]);

  function tellAll(method, params) {
    for (const peer of state.peers) peer.tell?.(notice(method, params));
  }

  function resume() {
    const parked = state.parked ?? [];
    state.parked = undefined;
    for (const [message, exchange] of parked) receive(message, exchange);
    return { resumed: parked.length };
  }

  function release(order) {
    const held = state.held.splice(0);
    for (const { release: go } of order === "lifo" ? held.reverse() : held) go();
    return { released: held.length };
  }

  return {
    wake,
    /** A transport's own directions. */
    extend: (name, direction) => void directions.set(name, direction),
    async direct(order) {
      const direction = directions.get(order.do);
      if (direction === undefined) throw new Error(`no such direction: ${order.do}`);
      return (await direction(order)) ?? {};
    },
  };
}
