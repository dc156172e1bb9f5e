// Tools as real servers list them: five shapes with descriptions and nested schemas, 600 to 1,000 bytes each.

const text = (description, more = {}) => ({ type: "string", description, ...more });
const number = (description, more = {}) => ({ type: "integer", description, ...more });
const list = (description, items = { type: "string" }) => ({ type: "array", description, items });

const PAGING = {
  limit: number("How many entries to return at most.", { minimum: 1, maximum: 1_000_000, default: 30 }),
  cursor: text("Where to go on, from the answer before."),
};

const SHAPES = [
  {
    verb: "search",
    description: (noun) =>
      `Search ${noun} by free text and filters. Returns the best matches first, with the fields that are needed to open each of them. Use it before you create anything, to find what is there already.`,
    properties: {
      query: text("What to look for. Words are combined with AND; use quotes for phrases."),
      labels: list("Only entries that have all of these labels."),
      state: text("Only entries in this state.", { enum: ["open", "closed", "all"], default: "open" }),
      ...PAGING,
    },
    required: ["query"],
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
  {
    verb: "create",
    description: (noun) =>
      `Create one of the ${noun}. The title is shown in lists, the body is Markdown. Returns the new entry with its number and address.`,
    properties: {
      query: text("The title, one line, without a full stop."),
      body: text("The body as Markdown; may hold links, lists and code."),
      labels: list("Labels to set. Unknown ones are created."),
      assignees: list("Who takes care of it, by login name."),
      milestone: number("The number of the milestone it belongs to.", { minimum: 1 }),
    },
    required: ["query"],
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  {
    verb: "update",
    description: (noun) =>
      `Change one of the ${noun}. Fields that are left out stay as they are; a field that is null is cleared. Fails when somebody else changed it since "version".`,
    properties: {
      query: text("The id of what to change."),
      version: number("The version that was read before."),
      fields: {
        type: "object",
        description: "What to change, by field.",
        properties: {
          title: text("The new title."),
          body: text("The new body, as Markdown."),
          state: text("The new state.", { enum: ["open", "closed"] }),
        },
        additionalProperties: false,
      },
    },
    required: ["query"],
    annotations: { idempotentHint: true, destructiveHint: true },
  },
  {
    verb: "list",
    description: (noun) =>
      `List ${noun} of a project, newest first, page by page. Large projects have many; narrow the list with "since" and "author" where you can.`,
    properties: {
      query: text("The project, as owner/name."),
      since: text("Only what changed after this time.", { format: "date-time" }),
      author: text("Only what this person wrote."),
      sort: text("The order.", { enum: ["created", "updated", "comments"], default: "created" }),
      ...PAGING,
    },
    required: ["query"],
    annotations: { readOnlyHint: true },
  },
  {
    verb: "query",
    description: (noun) =>
      `Run one read-only SQL statement on ${noun} and return its rows as JSON. Only SELECT and WITH are taken; statements that take longer than the time limit are cancelled on the server.`,
    properties: {
      query: text("One statement. Use $1, $2 and so on for parameters."),
      parameters: list("Values for the parameters, in order.", {
        type: ["string", "number", "boolean", "null"],
      }),
      schema: text("The schema to look in first.", { default: "public" }),
      timeoutMs: number("The time limit.", { minimum: 1, maximum: 600_000, default: 30_000 }),
      ...PAGING,
    },
    required: ["query"],
    annotations: { readOnlyHint: true, idempotentHint: true },
  },
];

const NOUNS = [
  "issues",
  "pages",
  "messages",
  "invoices",
  "events",
  "leads",
  "files",
  "builds",
  "alerts",
  "orders",
];

/** `count` tools; the same ones each time. The first is `search_issues_0`. */
export function buildTools(count) {
  return Array.from({ length: count }, (_, index) => {
    const { verb, description, properties, required, annotations } = SHAPES[index % SHAPES.length];
    const noun = NOUNS[Math.floor(index / SHAPES.length) % NOUNS.length];
    return {
      name: `${verb}_${noun}_${index}`,
      title: `${verb[0].toUpperCase()}${verb.slice(1)} ${noun}`,
      description: description(noun),
      inputSchema: { type: "object", properties, required },
      annotations,
    };
  });
}
