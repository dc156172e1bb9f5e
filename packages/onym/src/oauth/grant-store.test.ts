import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { openSecret, sealSecret } from "./grant-store.js";

const key = randomBytes(32);
const input = { key, purpose: '["crm","https://a.example"]' };

it("opens what it sealed, and no two seals are alike", () => {
  const text = 'refresh \0 "ü" token';
  const [one, two] = [sealSecret(text, input), sealSecret(text, input)];
  expect(openSecret(one, input)).toEqual({ kind: "opened", text });
  expect(one).not.toEqual(two);
  expect(Buffer.from(one).includes("refresh")).toBe(false);
  expect(openSecret(sealSecret("", input), input)).toEqual({ kind: "opened", text: "" });
});

it("tells another key from damage, and opens for its own purpose alone", () => {
  const sealed = sealSecret("token", input);
  expect(openSecret(sealed, { ...input, key: randomBytes(32) })).toEqual({ kind: "other-key" });
  expect(openSecret(sealed, { ...input, purpose: '["crm","https://b.example"]' })).toEqual({
    kind: "damaged",
  });
});

it("takes nothing that was changed or cut in any byte", () => {
  const sealed = sealSecret("token", input);
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Uint8Array.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(openSecret(changed, input).kind).not.toBe("opened");
    expect(openSecret(sealed.slice(0, at), input).kind).not.toBe("opened");
  }
});
