// Numbers in sentences: `1 tool`, `2 tools`.

/** @example countNoun(1, "profile"); // "1 profile" */
export function countNoun(number: number, noun: string, several = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : several}`;
}
