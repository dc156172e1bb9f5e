// What a text looks like: the skeleton of UTS 39. Two texts with the same skeleton can be mistaken for each other
// (SAFE-2). For comparison only: a skeleton is never shown, never used as a name, and never replaces a raw name.

import { CONFUSABLES } from "./confusables-data.js";

const PRINTABLE_ASCII = /^[\x20-\x7E]*$/;
const CONFUSABLE_ASCII = /["01I`m|]/;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

let prototypes: ReadonlyMap<string, string> | undefined;

/**
 * The skeleton: decomposed, without invisible characters, each character replaced by the one it looks like.
 *
 * It covers look-alikes of ASCII, because tool names are mostly ASCII. Two texts in other scripts that look like
 * each other but like no ASCII text have different skeletons. Beyond UTS 39, a character that compatibility
 * decomposition turns into ASCII (`ｓ`, `ⓢ`, `ˢ`) also counts as a look-alike.
 *
 * @example
 * skeletonOf("sеarch") === skeletonOf("search"); // true: the first е is Cyrillic
 */
export function skeletonOf(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return CONFUSABLE_ASCII.test(text) ? replaceConfusables(text) : text;
  return replaceConfusables(text.normalize("NFD").replace(INVISIBLE, "")).normalize("NFD");
}

function replaceConfusables(text: string): string {
  prototypes ??= readPrototypes();
  let skeleton = "";
  for (const character of text)
    skeleton += prototypes.get(character) ?? compatiblePrototype(character, prototypes);
  return skeleton;
}

function compatiblePrototype(character: string, known: ReadonlyMap<string, string>): string {
  if (character <= "\x7F") return character;
  const compatible = character.normalize("NFKD");
  if (!PRINTABLE_ASCII.test(compatible)) return character;
  return Array.from(compatible, (ascii) => known.get(ascii) ?? ascii).join("");
}

function readPrototypes(): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  let codePoint = 0;
  for (const entry of CONFUSABLES.split("·")) {
    const space = entry.indexOf(" ");
    codePoint += Number.parseInt(entry.slice(0, space), 36);
    read.set(String.fromCodePoint(codePoint), entry.slice(space + 1));
  }
  return read;
}
