import { expect, it } from "vitest";
import { metricSteps } from "./format-metrics.js";
import { BUCKETS, type Family } from "./metric-table.js";

const labels = (tool: string) => ["key", tool, "server"];
const counts = BUCKETS.map(() => 0).concat(2);
const histogram = (tool: string) => ({ labels: labels(tool), counts, sum: 0.5 });

/** The text, and the steps that it took. */
function format(families: readonly Family[]) {
  const steps = metricSteps(families);
  for (let count = 0; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return { text: Buffer.from(step.value).toString(), count };
  }
}

it("metrics are the text of Prometheus: bounds add up, labels are escaped, numbers as it reads them (OBS-1)", () => {
  const { text } = format([
    { name: "onym_tools", samples: [{ labels: [], value: Number.POSITIVE_INFINITY }] },
    { name: "onym_refusals_total", samples: [{ labels: ['a"\\\n'], value: 2 }] },
    {
      name: "onym_gateway_duration_seconds",
      histograms: [{ labels: [], counts: [1, 2, ...counts.slice(2)], sum: 0.25 }],
    },
    { name: "onym_call_duration_seconds", histograms: [histogram("mail@1/send@1")] },
  ]);
  const lines = text.split("\n");
  const own = 'tool_key="key",tool="mail@1/send@1",server="server"';
  expect(lines).toEqual(
    expect.arrayContaining([
      "# HELP onym_tools Tools in the catalog.",
      "# TYPE onym_tools gauge",
      "onym_tools +Inf",
      'onym_refusals_total{reason="a\\"\\\\\\n"} 2',
      'onym_gateway_duration_seconds_bucket{le="0.001"} 1',
      'onym_gateway_duration_seconds_bucket{le="0.0025"} 3',
      'onym_gateway_duration_seconds_bucket{le="+Inf"} 5',
      "onym_gateway_duration_seconds_sum 0.25",
      "onym_gateway_duration_seconds_count 5",
      `onym_call_duration_seconds_bucket{${own},le="60"} 0`,
      `onym_call_duration_seconds_bucket{${own},le="+Inf"} 2`,
      `onym_call_duration_seconds_sum{${own}} 0.5`,
      `onym_call_duration_seconds_count{${own}} 2`,
    ]),
  );
  expect(lines.at(-1)).toBe("");
});

it("metrics of many tools are formatted in steps, of which none is larger than a histogram (SAFE-4)", () => {
  const tools = Array.from({ length: 1_000 }, (_, number) => `mail@1/é_${number}@1`);
  const { text, count } = format([
    {
      name: "onym_calls_total",
      samples: tools.map((tool) => ({ labels: [...labels(tool), "result"], value: 1 })),
    },
    { name: "onym_call_duration_seconds", histograms: tools.map(histogram) },
  ]);
  expect(count).toBe(2_002);
  expect(text.match(/\n/g)).toHaveLength(4 + 1_000 + 1_000 * (counts.length + 2));
  expect(text).toContain(
    'onym_calls_total{tool_key="key",tool="mail@1/é_999@1",server="server",outcome="result"} 1\n',
  );
});
