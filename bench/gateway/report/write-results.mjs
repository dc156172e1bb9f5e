export function writeResults({ samples }) {
  return { summary: `${samples.length} samples`, results: { samples } };
}
