// Calls, live: who called what by which name, what was decided, how long it took and what it came to.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api, type Call, read } from "../api.js";
import { watchCalls } from "../live.js";
import { useLoad } from "../parts/load.js";
import { countOf, Latency, Rate, Waterfall } from "../parts/plots.js";
import { Badge, Empty, plain, shortMs, Text, Time } from "../parts/text.js";

const MAX_SHOWN = 500;

export function Calls() {
  const { value: report, reload } = useLoad(() => read(api.calls.$get()), {
    everyMs: 10_000,
  });
  const live = useSignal<readonly Call[]>([]);
  /** What is shown while it is paused; more goes on coming in. */
  const frozen = useSignal<readonly Call[] | undefined>(undefined);
  const query = useSignal("");
  const outcome = useSignal("");
  const by = useSignal<"servers" | "tools">("servers");
  useEffect(
    () =>
      watchCalls(
        (call) => {
          live.value = [call, ...live.value].slice(0, MAX_SHOWN);
        },
        // What came while the connection was lost is in the report.
        reload,
      ),
    [],
  );
  const calls = useMemo(() => {
    const all = new Map<number, Call>();
    for (const call of [...live.value, ...(report.value?.calls ?? [])]) all.set(call.id, call);
    return [...all.values()].sort((a, b) => b.id - a.id).slice(0, MAX_SHOWN);
  }, [live.value, report.value]);
  const text = query.value.trim().toLowerCase();
  const shown = (frozen.value ?? calls).filter(
    (call) =>
      (outcome.value === "" || call.outcome === outcome.value) &&
      (text === "" ||
        [call.sent, call.tool?.canonical, call.tool?.server, call.principal, call.client, call.reason].some(
          (each) => each?.toLowerCase().includes(text) === true,
        )),
  );
  const series = report.value?.[by.value] ?? [];
  return (
    <section class="page">
      <div class="bar">
        <h1>Calls</h1>
        <input
          type="search"
          aria-label="Search calls"
          placeholder="Search names, tools, callers"
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
        <select
          aria-label="Outcome"
          value={outcome.value}
          onChange={(event) => {
            outcome.value = event.currentTarget.value;
          }}
        >
          <option value="">all outcomes</option>
          {["result", "tool_error", "error", "refused", "cancelled", "input_required"].map((each) => (
            <option key={each} value={each}>
              {each.replace("_", " ")}
            </option>
          ))}
        </select>
        <button
          type="button"
          aria-pressed={frozen.value !== undefined}
          onClick={() => {
            frozen.value = frozen.value === undefined ? calls : undefined;
          }}
        >
          {frozen.value === undefined ? "Pause" : "Resume"}
        </button>
        <span class="dim total">{countOf(shown.length, "call")}, the newest first</span>
      </div>
      {series.length > 0 && (
        <details class="plots" open>
          <summary>The last hour</summary>
          <div class="segments" role="group" aria-label="Plots by">
            {(["servers", "tools"] as const).map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={by.value === each}
                onClick={() => {
                  by.value = each;
                }}
              >
                by {each.slice(0, -1)}
              </button>
            ))}
          </div>
          <div class="plot-grid">
            {series.slice(0, 12).map((each) => (
              <figure key={each.name}>
                <figcaption>
                  <Text value={each.name} mono />
                  <span class="dim">
                    {countOf(each.calls, "call")} ·{" "}
                    <span class={each.errors > 0 ? "bad-text" : ""}>{countOf(each.errors, "error")}</span> ·
                    p50 {shortMs(each.p50)} · p95 {shortMs(each.p95)}
                  </span>
                </figcaption>
                <Rate series={each} />
                <Latency series={each} />
                <div class="span dim">
                  <span>an hour ago</span>
                  <span>now</span>
                </div>
              </figure>
            ))}
          </div>
        </details>
      )}
      {shown.length === 0 ? (
        <Empty>
          {calls.length === 0 ? "No calls yet. They appear here as they end." : "No call fits the filters."}
        </Empty>
      ) : (
        <CallRows calls={shown} />
      )}
    </section>
  );
}

const GOOD: Readonly<Record<string, "good" | "bad" | "warn" | "plain">> = {
  result: "good",
  tool_error: "bad",
  error: "bad",
  refused: "warn",
  cancelled: "plain",
  input_required: "plain",
};

export function CallRows({ calls }: { calls: readonly Call[] }) {
  const open = useSignal<number | undefined>(undefined);
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Calls">
      <table class="calls">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Caller</th>
            <th scope="col">Name as sent</th>
            <th scope="col">Tool and server</th>
            <th scope="col">Decision</th>
            <th scope="col" class="number">
              Took
            </th>
            <th scope="col">Outcome</th>
          </tr>
        </thead>
        <tbody>
          {calls.flatMap((call) => [
            <tr key={call.id} class={open.value === call.id ? "open" : ""}>
              <td>
                <button
                  type="button"
                  class="link"
                  aria-expanded={open.value === call.id}
                  onClick={() => {
                    open.value = open.value === call.id ? undefined : call.id;
                  }}
                >
                  <Time at={call.at} />
                </button>
              </td>
              <td>
                <Text value={call.principal} />{" "}
                <span class="dim">
                  <Text value={call.client} max={60} />
                </span>
              </td>
              <td>
                <Text value={call.sent ?? call.method} mono />
              </td>
              <td>
                {call.tool === undefined ? (
                  <span class="dim">—</span>
                ) : (
                  <>
                    <a href={`#/tool/${encodeURIComponent(call.tool.key)}`}>
                      <Text value={call.tool.canonical} mono />
                    </a>{" "}
                    <span class="dim">
                      <Text value={call.tool.server} max={60} />
                    </span>
                    {call.isDeprecated && <Badge kind="warn">former name</Badge>}
                  </>
                )}
              </td>
              <td>
                {call.decision === undefined ? (
                  <span class="dim">—</span>
                ) : (
                  <>
                    {call.decision}{" "}
                    <span class="dim">{call.rule === undefined ? "" : plain(call.rule, 40)}</span>
                  </>
                )}
              </td>
              <td class="number">{shortMs(call.ms)}</td>
              <td>
                <Badge kind={GOOD[call.outcome] ?? "plain"}>
                  {call.reason ?? call.outcome.replace("_", " ")}
                </Badge>
              </td>
            </tr>,
            open.value === call.id && (
              <tr key={`${call.id} details`} class="details">
                <td colSpan={7}>
                  <div class="columns">
                    <Waterfall call={call} />
                    <dl>
                      <Fact name="method" value={call.method} />
                      <Fact name="client" value={`${call.client} (${call.profile})`} />
                      <Fact name="found by" value={call.step} />
                      <Fact name="server" value={call.tool?.server} />
                      <Fact name="request id" value={call.request} />
                      <Fact name="trace id" value={call.trace} />
                      <Fact name="audit record" value={call.call} />
                      <Fact
                        name="error code"
                        value={call.code === undefined ? undefined : String(call.code)}
                      />
                    </dl>
                  </div>
                </td>
              </tr>
            ),
          ])}
        </tbody>
      </table>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string | undefined }) {
  if (value === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Text value={value} mono />
      </dd>
    </div>
  );
}
