import { describe, expect, it } from "vitest";
import { isoMoment, readDays, readMoment, showMoment } from "./read-moment.js";

describe("a moment on the command line", () => {
  it.each([
    ["2027-06-30", "first", "2027-06-30T00:00:00.000Z"],
    ["2027-06-30", "last", "2027-06-30T23:59:59.999Z"],
    ["2028-02-29", "first", "2028-02-29T00:00:00.000Z"],
    ["2027-06-30T12:00Z", "last", "2027-06-30T12:00:00.000Z"],
    ["2027-06-30T12:00:01.5+02:00", "first", "2027-06-30T10:00:01.500Z"],
  ] as const)("%s is, as the %s, %s", (text, side, told) => {
    expect(isoMoment(readMoment("--until", text, side))).toBe(told);
  });

  it.each([
    "",
    "2027",
    "2027-02-29",
    "2027-13-01",
    "2027-1-1",
    "tomorrow",
    "2027-06-30T12:00",
    "2027-06-30T25:00Z",
    "1e9",
  ])("%j is refused", (text) => {
    expect(() => readMoment("--until", text, "last")).toThrow("is no day");
  });

  it("is so many days from now, or refused", () => {
    expect(readDays("--for-days", "2", 5)).toBe(2 * 86_400_000 + 5);
    for (const text of ["0", "-1", "1.5", "x", "999999"])
      expect(() => readDays("--for-days", text, 0)).toThrow("no number of days");
  });

  it("is shown in UTC, and what is no moment as it is", () => {
    expect(showMoment(Date.UTC(2027, 5, 30, 12))).toBe("2027-06-30 12:00:00");
    expect(isoMoment(1e300)).toBe("1e+300");
  });
});
