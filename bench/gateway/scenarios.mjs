// What is measured: each scenario is a way through a gateway, with servers behind it and jobs to do there.
// `who` says which targets take part: `all`, `gateways`, or their ids; `not` takes some out, `jobs[].who` narrows further.

const GATEWAYS = ["R", "N", "onym", "onym-no-audit"];
/** Onym with single features off: told for one way, and left out of the others. */
const VARIANTS = ["onym-no-tracing", "onym-no-policy", "onym-bare"];

const call = (concurrency, more = {}) => ({ id: `call-${concurrency}`, kind: "call", concurrency, ...more });

const LARGE_ARGUMENTS = { id: "arguments-100k", kind: "call", concurrency: 16, argumentBytes: 100_000 };

/** What a quick run leaves out: large, and no other code. */
export const LARGE = [
  "list-1000",
  "list-10000",
  "tools-1000",
  "tools-10000",
  "tools-100000",
  "servers-20",
  "servers-200",
  "profile-view",
];

export const SCENARIOS = [
  {
    id: "http-http",
    title: "HTTP client, HTTP server",
    kind: "load",
    in: "http",
    out: "http",
    era: "legacy",
    tools: 10,
    who: "all",
    jobs: [
      call(64),
      call(1),
      call(16, { who: ["D", ...GATEWAYS] }),
      call(256, { who: ["D", ...GATEWAYS] }),
      { id: "result-100k", kind: "call", concurrency: 16, resultBytes: 100_000, who: GATEWAYS },
      { id: "result-1m", kind: "call", concurrency: 4, resultBytes: 1_000_000, who: GATEWAYS },
      { ...LARGE_ARGUMENTS, who: GATEWAYS },
    ],
  },
  {
    id: "http-http-modern",
    title: "HTTP client, HTTP server, 2026-07-28",
    kind: "load",
    in: "http",
    out: "http",
    era: "modern",
    tools: 10,
    who: ["D", ...GATEWAYS],
    jobs: [call(64), call(1)],
  },
  {
    id: "http-stdio",
    title: "HTTP client, stdio server",
    kind: "load",
    in: "http",
    out: "stdio",
    era: "legacy",
    tools: 10,
    who: "gateways",
    not: VARIANTS,
    jobs: [
      call(64),
      call(1),
      { id: "result-100k", kind: "call", concurrency: 16, resultBytes: 100_000, who: GATEWAYS },
    ],
  },
  {
    id: "stdio-stdio",
    title: "stdio client, stdio server",
    kind: "load",
    in: "stdio",
    out: "stdio",
    era: "legacy",
    tools: 10,
    who: "all",
    not: VARIANTS,
    jobs: [call(64), call(1)],
  },
  {
    id: "stdio-http",
    title: "stdio client, HTTP server",
    kind: "load",
    in: "stdio",
    out: "http",
    era: "legacy",
    tools: 10,
    who: "gateways",
    not: VARIANTS,
    jobs: [call(64), call(1)],
  },
  ...[10, 1_000, 10_000].map((tools) => ({
    id: `list-${tools}`,
    title: `tools/list with ${tools.toLocaleString("en")} tools`,
    kind: "load",
    in: "http",
    out: "http",
    era: "legacy",
    tools,
    // The goals speak of the largest; the others show how it grows.
    rounds: tools < 10_000 ? 3 : undefined,
    who: "all",
    not: VARIANTS,
    memory: true,
    jobs: [
      { id: "list", kind: "lists", count: 100 },
      { id: "new-session", kind: "views", who: ["D", ...GATEWAYS] },
      { id: "new-view", kind: "views", isNewProfile: true, who: ["D", ...GATEWAYS] },
    ],
  })),
  // What they cost is compared with each other, so that their rounds are interleaved.
  ...[
    { id: "tools-10", tools: 10 },
    { id: "tools-1000", tools: 1_000 },
    { id: "tools-10000", tools: 10_000 },
    { id: "tools-100000", tools: 10_000, servers: 10, rounds: 3, patienceMs: 240_000 },
    { id: "servers-20", tools: 5, servers: 20 },
    { id: "servers-200", tools: 5, servers: 200 },
  ].map((size) => ({
    title: `${(size.tools * (size.servers ?? 1)).toLocaleString("en")} tools, ${size.servers ?? 1} server${size.servers === undefined ? "" : "s"}`,
    kind: "load",
    together: "growth",
    in: "http",
    out: "http",
    era: "legacy",
    who: ["R", "onym", "onym-no-audit"],
    jobs: [call(64)],
    ...size,
  })),
  {
    id: "cold-start",
    title: "cold start with three stdio servers",
    kind: "cold",
    servers: 3,
    tools: 10,
    who: "gateways",
    not: VARIANTS,
  },
  { id: "resolve", title: "`onym resolve` on a small config", kind: "resolve", who: ["onym"] },
  {
    id: "memory",
    title: "memory after calls",
    kind: "memory",
    tools: 10,
    rounds: 2,
    who: ["R", "N", "onym", "onym-no-audit"],
  },
  ...[
    { id: "profile", title: "small calls, HTTP to HTTP", in: "http", out: "http", job: call(64) },
    { id: "profile-one", title: "one call at a time, HTTP to HTTP", in: "http", out: "http", job: call(1) },
    { id: "profile-stdio", title: "small calls, stdio to stdio", in: "stdio", out: "stdio", job: call(64) },
    {
      id: "profile-100k",
      title: "arguments of 100 KB, HTTP to HTTP",
      in: "http",
      out: "http",
      job: LARGE_ARGUMENTS,
    },
    {
      id: "profile-view",
      title: "first lists of new client views, 10,000 tools",
      in: "http",
      out: "http",
      tools: 10_000,
      job: { id: "new-view", kind: "views" },
    },
  ].map(({ title, ...way }) => ({
    title: `where the time goes: ${title}`,
    kind: "profile",
    tools: 10,
    ...way,
    rounds: 1,
    who: ["onym", "onym-no-audit"],
  })),
];
