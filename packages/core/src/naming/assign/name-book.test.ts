import { describe, expect, it } from "vitest";
import { NameBook } from "./name-book.js";

const KEYS = ["k0", "k1", "k2"];
const lower = (name: string): string => name.toLowerCase();

describe("the book of names (NAME-3)", () => {
  it("gives a free name once", () => {
    const book = new NameBook(undefined);
    expect(book.claim("a", 0)).toBe(true);
    expect(book.claim("a", 1)).toBe(false);
    expect(book.claim("a", 0)).toBe(false);
    expect([book.has("a"), book.has("b")]).toEqual([true, false]);
    expect([book.indexOf("a"), book.indexOf("b")]).toEqual([0, undefined]);
    expect(book.keptFor("a")).toBeUndefined();
  });

  it("keeps a name for its owner alone", () => {
    const book = new NameBook(undefined, (index) => KEYS[index]);
    book.keep("a", "k1");
    book.keep("b", "the gateway itself");
    expect([book.has("a"), book.indexOf("a"), book.keptFor("a")]).toEqual([true, undefined, "k1"]);
    expect([book.keptFor("b"), book.keptFor("c")]).toEqual(["the gateway itself", undefined]);
    expect([book.claim("a", 0), book.claim("a", 2), book.claim("b", 1)]).toEqual([false, false, false]);
    expect(book.claim("a", 1)).toBe(true);
    expect([book.indexOf("a"), book.keptFor("a")]).toEqual([1, undefined]);
  });

  it("knows who stands at no position as nobody", () => {
    const book = new NameBook(undefined);
    book.keep("a", "k1");
    expect(book.claim("a", 1)).toBe(false);
    const other = new NameBook(undefined, (index) => KEYS[index]);
    other.keep("a", "k1");
    expect(other.claim("a", 9)).toBe(false);
  });

  it("keeps names apart that a client takes for one (RULE-5)", () => {
    const book = new NameBook(lower, (index) => KEYS[index]);
    expect(book.claim("A", 0)).toBe(true);
    expect([book.rivalOf("a"), book.rivalOf("A"), book.rivalOf("b")]).toEqual(["A", undefined, undefined]);
    expect(book.claim("a", 1)).toBe(false);
    expect(book.has("a")).toBe(false);
    book.keep("B", "k2");
    expect(book.claim("b", 1)).toBe(false);
    expect(book.claim("b", 2)).toBe(true);
    expect(book.rivalOf("b")).toBe("B");
    expect(new NameBook(undefined).rivalOf("a")).toBeUndefined();
  });
});
