// Names: every tool × every client. Rows come first, then one client after the other.

import { computed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api, type Column, namesRevision, type Names as Report, read } from "../api.js";
import { useLoad } from "../parts/load.js";
import { Matrix } from "../parts/matrix.js";
import { Empty, plain } from "../parts/text.js";

const PICKED = "onym-console-clients";

export function Names() {
  const {
    value: report,
    error,
    reload,
  } = useLoad(() => read(api.names.$get()), {
    key: namesRevision.value,
  });
  const columns = useSignal<ReadonlyMap<string, Column>>(new Map());
  const picked = useSignal<readonly string[] | undefined>(readPicked());
  const query = useSignal("");
  const server = useSignal("");
  const only = useSignal<"all" | "marked" | "problems">("all");
  const clients = picked.value ?? report.value?.usual ?? [];
  const wanted = clients.join();
  const current = report.value;
  useEffect(() => {
    if (current === undefined) return;
    let isCurrent = true;
    void (async () => {
      // One after the other: each is a table that the gateway may have to make.
      for (const profile of wanted.split(",").filter((id) => id !== "")) {
        if (!isCurrent) return;
        const column = await read(api.names[":profile"].$get({ param: { profile } })).catch(() => undefined);
        if (isCurrent && column !== undefined) columns.value = new Map(columns.value).set(profile, column);
      }
    })();
    return () => {
      isCurrent = false;
    };
  }, [current, wanted]);
  const problems = useMemo(() => {
    const own = clients.flatMap((id) => columns.value.get(id)?.problems ?? []);
    return [...(current?.problems ?? []), ...own];
  }, [current, columns.value, wanted]);
  const troubled = useMemo(
    () =>
      new Map(
        // Errors last, so that they stand over warnings.
        [...problems]
          .sort((a, b) => Number(a.severity === "error") - Number(b.severity === "error"))
          .flatMap(({ tools, severity, message, fix }) =>
            tools.map((key) => [key, { severity, text: plain(`${message} ${fix}`, 600) }] as const),
          ),
      ),
    [problems],
  );
  const rows = useMemo(
    () =>
      filterRows(current, columns.value, {
        query: query.value,
        server: server.value,
        only: only.value,
        clients,
        troubled,
      }),
    [current, columns.value, query.value, server.value, only.value, wanted, troubled],
  );
  const titles = new Map(current?.profiles.map(({ id, title }) => [id, title]));
  const servers = useMemo(() => [...new Set(current?.tools.map((tool) => tool.server))].sort(), [current]);
  return (
    <section class="page full">
      <div class="bar">
        <h1>Names</h1>
        <input
          type="search"
          aria-label="Search tools and names"
          placeholder="Search tools and names"
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
        <select
          aria-label="Server"
          value={server.value}
          onChange={(event) => {
            server.value = event.currentTarget.value;
          }}
        >
          <option value="">all servers</option>
          {servers.map((id) => (
            <option key={id} value={id}>
              {plain(id, 60)}
            </option>
          ))}
        </select>
        <select
          aria-label="Which names"
          value={only.value}
          onChange={(event) => {
            only.value = event.currentTarget.value as "all" | "marked" | "problems";
          }}
        >
          <option value="all">all names</option>
          <option value="marked">cut or numbered</option>
          <option value="problems">with problems</option>
        </select>
        <Picker
          profiles={current?.profiles ?? []}
          picked={clients}
          onPick={(next) => {
            picked.value = next;
            localStorage.setItem(PICKED, JSON.stringify(next));
          }}
        />
        <span class="dim total">
          {current === undefined
            ? ""
            : `${rows.length} of ${current.tools.length} tools × ${clients.length} clients`}
        </span>
      </div>
      {error.value !== undefined && <p class="error-text">{error.value}</p>}
      <Problems problems={problems} />
      {current !== undefined && current.tools.length === 0 ? (
        <Empty>
          No tools yet. <a href="#/servers">Servers</a> tells what is starting or down.{" "}
          <button type="button" class="quiet" onClick={reload}>
            Look again
          </button>
        </Empty>
      ) : (
        <Matrix
          rows={rows}
          columns={clients.map((id) => ({ id, title: titles.get(id) ?? id, column: columns.value.get(id) }))}
          troubled={troubled}
        />
      )}
      <p class="legend dim">
        <b># </b>cut, with a digest · <b>2 </b>numbered · <b>~ </b>fitted to the client · <b>= </b>kept by the
        lock · the bar is how much of the client's length a name takes
      </p>
    </section>
  );
}

function readPicked(): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PICKED) ?? "null");
    return Array.isArray(value) ? value.filter((id) => typeof id === "string") : undefined;
  } catch {
    return undefined;
  }
}

interface Filters {
  readonly query: string;
  readonly server: string;
  readonly only: "all" | "marked" | "problems";
  readonly clients: readonly string[];
  readonly troubled: ReadonlyMap<string, unknown>;
}

function filterRows(
  report: Report | undefined,
  columns: ReadonlyMap<string, Column>,
  { query, server, only, clients, troubled }: Filters,
) {
  const text = query.trim().toLowerCase();
  const shown = clients.flatMap((id) => columns.get(id) ?? []);
  return (report?.tools ?? [])
    .map((tool, index) => ({ tool, index }))
    .filter(({ tool, index }) => {
      if (server !== "" && tool.server !== server) return false;
      if (only === "problems" && !troubled.has(tool.key)) return false;
      if (
        only === "marked" &&
        !shown.some(({ cells }) => cells[index]?.[2] === "cut" || cells[index]?.[2] === "numbered")
      )
        return false;
      if (text === "") return true;
      return (
        tool.canonical.toLowerCase().includes(text) ||
        tool.raw.toLowerCase().includes(text) ||
        shown.some(({ cells }) => cells[index]?.[0].toLowerCase().includes(text))
      );
    });
}

function Problems({ problems }: { problems: Report["problems"] }) {
  if (problems.length === 0) return null;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return (
    <details class={errors > 0 ? "problems bad" : "problems"}>
      <summary>
        {problems.length === 1 ? "1 problem" : `${problems.length} problems`}
        {errors > 0 ? `, ${errors} of them errors` : ""}
      </summary>
      <ul>
        {problems.slice(0, 100).map((problem, index) => (
          <li key={index} class={problem.severity}>
            <b>{plain(problem.message, 600)}</b> <span class="dim">{plain(problem.fix, 600)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Picker({
  profiles,
  picked,
  onPick,
}: {
  profiles: Report["profiles"];
  picked: readonly string[];
  onPick: (next: readonly string[]) => void;
}) {
  const query = useSignal("");
  const found = useMemo(
    () =>
      computed(() =>
        profiles.filter(({ id, title }) =>
          `${id} ${title}`.toLowerCase().includes(query.value.toLowerCase()),
        ),
      ),
    [profiles],
  );
  return (
    <details class="picker">
      <summary>{picked.length} clients</summary>
      <div class="pop">
        <input
          type="search"
          aria-label="Search clients"
          placeholder="Search clients"
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
        <div class="choices">
          {found.value.map(({ id, title }) => (
            <label key={id}>
              <input
                type="checkbox"
                checked={picked.includes(id)}
                onChange={(event) => {
                  onPick(
                    event.currentTarget.checked ? [...picked, id] : picked.filter((each) => each !== id),
                  );
                }}
              />
              {title}
            </label>
          ))}
        </div>
      </div>
    </details>
  );
}
