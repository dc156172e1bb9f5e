import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadSecretKey } from "./load-secret-key.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "onym-key-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bytes = Buffer.from("00112233445566778899aabbccddeeff".repeat(2), "hex");

it.each([
  ["hex", bytes.toString("hex")],
  ["hex in capitals, with a line break", `${bytes.toString("hex").toUpperCase()}\n`],
  ["base64", bytes.toString("base64")],
  ["base64url without padding", bytes.toString("base64url")],
])("takes a key in %s", (_, given) => {
  expect(loadSecretKey({ given, file: undefined }, "open")).toEqual({
    kind: "key",
    key: new Uint8Array(bytes),
  });
});

it.each(["x", "a".repeat(63), "=".repeat(44), `${"A".repeat(44)}=`])(
  "refuses %j, and does not repeat it",
  (given) => {
    const loaded = loadSecretKey({ given, file: join(folder, "unused.key") }, "seal");
    expect(loaded.kind).toBe("problem");
    expect(JSON.stringify(loaded)).not.toContain(JSON.stringify(given));
    expect(readdirSync(folder)).not.toContain("unused.key");
  },
);

it("makes a file when something is to be sealed, once, for its owner alone", () => {
  const place = { given: "", file: join(folder, "made.key") };
  expect(loadSecretKey(place, "open")).toMatchObject({
    kind: "problem",
    reason: expect.stringContaining("missing"),
  });
  const made = loadSecretKey(place, "seal");
  expect(made.kind).toBe("key");
  expect(loadSecretKey(place, "seal")).toEqual(made);
  expect(loadSecretKey(place, "open")).toEqual(made);
  expect(statSync(place.file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((file) => file.startsWith("made.key"))).toEqual(["made.key"]);
});

it("leaves a file alone that holds no key", () => {
  const file = join(folder, "cut.key");
  writeFileSync(file, "c3Vy");
  chmodSync(file, 0o600);
  expect(loadSecretKey({ given: undefined, file }, "seal")).toMatchObject({ kind: "problem" });
  expect(readFileSync(file, "utf8")).toBe("c3Vy");
});

it("makes none for a store that others share", () => {
  expect(loadSecretKey({ given: undefined, file: undefined }, "seal")).toMatchObject({
    kind: "problem",
    reason: expect.stringContaining("ONYM_SECRET_KEY is not set"),
  });
});
