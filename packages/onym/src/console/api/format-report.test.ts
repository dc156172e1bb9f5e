import { expect, it } from "vitest";
import { formatSteps } from "./format-report.js";

it("formats a report as JSON does, an entry of its lists per step (SAFE-4)", () => {
  const tools = Array.from({ length: 3_000 }, (_, n) => ({ raw: `t${n} é 文 \ud800 "`, at: [n, null] }));
  const report = { profile: "p", room: 60, tools, problems: [], usual: ["a"] };
  let count = 0;
  const steps = formatSteps(report);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      expect(Buffer.from(step.value).toString()).toBe(JSON.stringify(report));
      break;
    }
    count += 1;
  }
  expect(count).toBe(3_001);
});
