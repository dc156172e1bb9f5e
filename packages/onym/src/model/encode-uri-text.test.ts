import { expect, it } from "vitest";
import { encodeUriText } from "./encode-uri-text.js";

it.each([
  ["a/b c", "a%2Fb%20c"],
  ["\u{1f600}", "%F0%9F%98%80"],
  ["a\ud800b", "a%ED%A0%80b"],
  ["\udfff", "%ED%BF%BF"],
  ["", ""],
])("encodes %j", (text, encoded) => {
  expect(encodeUriText(text)).toBe(encoded);
});
