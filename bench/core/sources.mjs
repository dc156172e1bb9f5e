// Catalogs to measure with: an ordinary one, and those that are likely to be slow.

const VERBS = ["get", "list", "create", "update", "delete", "search", "export", "archive"];
const THINGS = [
  "invoice",
  "customer",
  "order_line",
  "calendar_event",
  "pull_request",
  "lead",
  "dashboard",
  "secret",
];

/** Names as real servers have them, twenty tools a server. */
export function ordinarySources(count) {
  return servers(count, (index) => `${VERBS[index % 8]}_${THINGS[(index >> 3) % 8]}_${index}`);
}

/** Every name is too long and must be cut and digested. */
export function longSources(count) {
  return servers(count, (index) => `${THINGS[index % 8]}_${"with_every_known_detail_".repeat(3)}${index}`);
}

/** Every tool of a server wants the same name as the one before it. */
export function collidingSources(count) {
  const joints = ["_", ".", "/", "@", "~", " ", ",", "!"];
  return [
    {
      server: "crowd",
      tools: Array.from({ length: count }, (_, index) => {
        let name = "go";
        for (let rest = index; rest > 0; rest = Math.floor(rest / 8)) name += joints[rest % 8];
        return `${name}${joints[index % 8]}x`;
      }),
    },
  ];
}

/** Long names that become alike once they are cut for a number. */
export function foldingSources(count) {
  const tools = Array.from({ length: count }, (_, index) => {
    const name = `${"w".repeat(55)}${String(Math.floor(index / 2) % 100).padStart(2, "0")}`;
    return `${name}${index % 2 === 0 ? "." : "/"}`;
  });
  return tools
    .map((tool, index) => ({ server: `crowd${Math.floor(index / 200)}`, tool }))
    .reduce((list, { server, tool }) => {
      const last = list.at(-1);
      if (last?.server === server) last.tools.push(tool);
      else list.push({ server, integration: "crowd", version: list.length + 1, tools: [tool] });
      return list;
    }, []);
}

function servers(count, nameOf) {
  const sources = [];
  for (let index = 0; index < count; index += 20) {
    const size = Math.min(20, count - index);
    sources.push({
      server: `server-${index / 20}`,
      alias: `s${index / 20}`,
      tools: Array.from({ length: size }, (_, at) => nameOf(index + at)),
    });
  }
  return sources;
}
