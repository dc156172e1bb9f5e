// Answers where providers want them: right after the turn in which the calls were made.

import type { HistoryItem } from "./history.js";

/**
 * The same items, with every result moved up to the end of the assistant's turn that holds its call. A conversation
 * that a person interrupted, or whose answers came late, is refused by most providers as it stands.
 */
export function answerCalls(items: readonly HistoryItem[]): readonly HistoryItem[] {
  const waiting = positionsOfResults(items);
  const ordered: HistoryItem[] = [];
  const moved = new Set<number>();
  let open: string[] = [];
  const answer = (): void => {
    // An id that a conversation uses twice is answered once each time.
    const due = open.flatMap((callId) => waiting.get(callId)?.shift() ?? []);
    for (const position of due.sort((a, b) => a - b)) {
      if (moved.has(position)) continue;
      moved.add(position);
      ordered.push(items[position] as HistoryItem);
    }
    open = [];
  };
  for (const [position, item] of items.entries()) {
    if (item.kind === "call") open.push(item.callId);
    else if (endsTurn(item)) answer();
    if (!moved.has(position)) ordered.push(item);
    if (item.kind === "result") moved.add(position);
  }
  return ordered;
}

function positionsOfResults(items: readonly HistoryItem[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const [position, item] of items.entries()) {
    if (item.kind !== "result") continue;
    const known = positions.get(item.callId);
    if (known === undefined) positions.set(item.callId, [position]);
    else known.push(position);
  }
  return positions;
}

/** What only the assistant says goes on with its turn. */
function endsTurn(item: HistoryItem): boolean {
  return item.kind === "result" || (item.kind === "text" && item.role !== "assistant");
}
