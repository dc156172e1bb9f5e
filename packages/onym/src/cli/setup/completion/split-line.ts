// A command line as it is being typed → its words, as a POSIX shell would take them.

/** Quotes and backslashes are taken off, also those that nobody has closed yet. Nothing is expanded. The last word is open. */
export function splitLine(line: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let isStarted = false;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote === "" && (character === " " || character === "\t")) {
      if (isStarted) words.push(word);
      word = "";
      isStarted = false;
      continue;
    }
    isStarted = true;
    if (character === quote) quote = "";
    else if (quote === "" && (character === '"' || character === "'")) quote = character;
    else if (character === "\\" && quote !== "'") word += line.charAt(++at);
    else word += character;
  }
  return [...words, word];
}
