// Groups consecutive blocks into turns, for providers whose messages are turns of blocks (Anthropic, Bedrock).

export type TurnRole = "system" | "user" | "assistant";

export interface Turn<Block> {
  readonly role: TurnRole;
  readonly blocks: Block[];
}

/**
 * Consecutive blocks of one role become one turn. In a user's turn, results come first: both providers require them
 * directly after their calls. System text at the start is returned separately, because both expect it in its own
 * field.
 */
export function gatherTurns<Block>(
  parts: readonly { readonly role: TurnRole; readonly block: Block }[],
  isResult: (block: Block) => boolean,
): { readonly system: Block[]; readonly turns: readonly Turn<Block>[] } {
  const turns: Turn<Block>[] = [];
  for (const { role, block } of parts) {
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(block);
    else turns.push({ role, blocks: [block] });
  }
  const [first, ...rest] = turns;
  const opensWithSystem = first?.role === "system";
  return {
    system: opensWithSystem ? first.blocks : [],
    turns: (opensWithSystem ? rest : turns).map(({ role, blocks }) => ({
      role,
      blocks: [
        ...blocks.filter((block) => role === "user" && isResult(block)),
        ...blocks.filter((block) => role !== "user" || !isResult(block)),
      ],
    })),
  };
}
