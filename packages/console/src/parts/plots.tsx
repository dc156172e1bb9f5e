// Plots in SVG: rates over an hour, one call's waterfall.

import type { Call, Calls } from "../api.js";
import { shortMs } from "./text.js";

type Series = Calls["servers"][number];

const WIDTH = 360;
const HEIGHT = 40;
const LATENCY_HEIGHT = 24;

export function countOf(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

/** Calls and, over them, errors, in slots of half a minute. */
export function Rate({ series }: { series: Series }) {
  const most = Math.max(1, ...series.slots.map(([calls]) => calls));
  const bar = (value: number) => (value / most) * HEIGHT;
  const step = WIDTH / series.slots.length;
  return (
    <svg
      class="rate"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${countOf(series.calls, "call")} and ${countOf(series.errors, "error")} in the last hour`}
    >
      <title>{`Up to ${countOf(most, "call")} in half a minute`}</title>
      <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {series.slots.map(
        ([calls, errors], index) =>
          calls > 0 && (
            <g key={index}>
              <rect class="calls" x={index * step} y={HEIGHT - bar(calls)} width={step} height={bar(calls)} />
              <rect
                class="errors"
                x={index * step}
                y={HEIGHT - bar(errors)}
                width={step}
                height={bar(errors)}
              />
            </g>
          ),
      )}
    </svg>
  );
}

/** The median of each slot with calls, from nothing to the slowest. */
export function Latency({ series }: { series: Series }) {
  const slowest = Math.max(1, ...series.slots.map(([, , p50]) => p50));
  const step = WIDTH / series.slots.length;
  const points = series.slots.flatMap(([calls, , p50], index) =>
    calls === 0
      ? []
      : [{ x: (index + 0.5) * step, y: LATENCY_HEIGHT - 3 - (p50 / slowest) * (LATENCY_HEIGHT - 6) }],
  );
  return (
    <svg
      class="latency"
      viewBox={`0 0 ${WIDTH} ${LATENCY_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Median latency over the last hour, up to ${shortMs(slowest)}`}
    >
      <title>{`Median latency, up to ${shortMs(slowest)}`}</title>
      <line class="axis" x1="0" x2={WIDTH} y1={LATENCY_HEIGHT - 0.5} y2={LATENCY_HEIGHT - 0.5} />
      <polyline points={points.map(({ x, y }) => `${x},${y}`).join(" ")} />
      {points.map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r="2" />
      ))}
    </svg>
  );
}

const PHASES: Readonly<Record<string, string>> = {
  resolve: "resolve the name",
  decide: "decide by policy",
  ask: "ask somebody",
  record: "record the intent",
  server: "the server",
};

export function Waterfall({ call }: { call: Call }) {
  const total = Math.max(call.ms, 0.001);
  let before = 0;
  const bars = call.phases.map(({ name, end }) => {
    const bar = { name, from: before, to: end };
    before = end;
    return bar;
  });
  if (before < call.ms) bars.push({ name: "answer" as never, from: before, to: call.ms });
  return (
    <table class="waterfall">
      <caption class="dim">{shortMs(call.ms)} in all</caption>
      <tbody>
        {bars.map(({ name, from, to }) => (
          <tr key={name}>
            <th scope="row">{PHASES[name] ?? "answer"}</th>
            <td>
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect class="all" width="100" height="10" rx="1" />
                <rect
                  class={`phase ${name}`}
                  x={(from / total) * 100}
                  width={Math.max(0.5, ((to - from) / total) * 100)}
                  height="10"
                  rx="1"
                />
              </svg>
            </td>
            <td class="number">{shortMs(to - from)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
