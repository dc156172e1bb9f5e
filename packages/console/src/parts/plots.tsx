// Plots in SVG: rates over an hour, one call's waterfall.

import type { Call, Calls } from "../api.js";
import { shortMs } from "./text.js";

type Series = Calls["servers"][number];

const WIDTH = 360;
const HEIGHT = 40;

/** Calls and, over them, errors, in ten-second slots. */
export function Rate({ series }: { series: Series }) {
  const most = Math.max(1, ...series.slots.map(([calls]) => calls));
  const bar = (value: number) => (value / most) * HEIGHT;
  return (
    <svg
      class="rate"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${series.calls} calls and ${series.errors} errors in the last hour`}
    >
      <title>{`${series.calls} calls, ${series.errors} errors in the last hour`}</title>
      <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {series.slots.map(
        ([calls, errors], index) =>
          calls > 0 && (
            <g key={index}>
              <rect class="calls" x={index} y={HEIGHT - bar(calls)} width="1" height={bar(calls)} />
              <rect class="errors" x={index} y={HEIGHT - bar(errors)} width="1" height={bar(errors)} />
            </g>
          ),
      )}
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
