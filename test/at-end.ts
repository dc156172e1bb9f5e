// What helpers have to do when the tests of a file have run; end-of-file.ts does it, the last thing first.

type Ending = () => void | Promise<void>;

const endings: Ending[] = [];

export function atEnd(ending: Ending): void {
  endings.push(ending);
}

export async function endAll(): Promise<void> {
  for (let ending = endings.pop(); ending !== undefined; ending = endings.pop()) await ending();
}
