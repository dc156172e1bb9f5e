// Moves answers to where providers require them: directly after the turn with the calls.

import type { HistoryItem } from "./history.js";

/**
 * The same items, with every result moved to the end of the assistant turn that contains its call. Most providers
 * reject a conversation that a person interrupted, or whose answers came late.
 */
export function answerCalls(items: readonly HistoryItem[]): readonly HistoryItem[] {
  const waiting = positionsOfResults(items);
  const ordered: HistoryItem[] = [];
  const moved = new Set<number>();
  let open: string[] = [];
  const answer = (): void => {
    // If a conversation uses an id twice, each call gets one answer.
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

/** Items that only the assistant produces continue its turn. */
function endsTurn(item: HistoryItem): boolean {
  return item.kind === "result" || (item.kind === "text" && item.role !== "assistant");
}
