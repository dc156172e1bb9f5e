import { expect, it } from "vitest";
import { OnymError } from "../../model/onym-error.js";
import { createFailureLog } from "./call-audit.js";

it("logs once that a store fails and once that it works, with a count, and no way to a known error", () => {
  const logged: string[] = [];
  let time = 0;
  const failureLog = createFailureLog(
    (severity, text, facts) => logged.push(`${severity} ${text} ${JSON.stringify(facts)}`),
    () => time,
  );
  const error = new OnymError("store-unavailable", "The store onym.db cannot be used: full.", "Make room.");
  failureLog.worked();
  for (let calls = 0; calls < 1000; calls += 1)
    failureLog.failed("calls cannot be recorded", error, { toolKey: "k" });
  expect(logged).toEqual([
    'error calls cannot be recorded: The store onym.db cannot be used: full. Make room. {"toolKey":"k"}',
  ]);
  time = 60_000;
  failureLog.failed("calls cannot be recorded", error);
  expect(logged.slice(1)).toEqual([expect.stringContaining('{"failures":1001}')]);
  time = 61_000;
  failureLog.worked();
  failureLog.worked();
  expect(logged.slice(2)).toEqual(['warn the store works again {"failures":1001,"seconds":61}']);
  failureLog.failed("calls cannot be recorded", new TypeError("a bug"));
  expect(logged.at(-1)).toContain("failure-log.test.ts");
});
