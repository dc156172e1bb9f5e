// Arithmetic with figures, `{value, noisy}` or undefined where nothing was measured; what comes of a noisy one is noisy.

export function divide(a, b) {
  if (a === undefined || b === undefined || b.value <= 0) return undefined;
  return { value: a.value / b.value, noisy: isNoisy(a, b) };
}

export function subtract(a, b) {
  if (a === undefined || b === undefined) return undefined;
  return { value: a.value - b.value, noisy: isNoisy(a, b) };
}

export function most(figures) {
  return extreme(figures, (a, b) => a > b);
}

export function least(figures) {
  return extreme(figures, (a, b) => a < b);
}

/** Whether a goal was met, and else by which share of it it was missed. */
export function judge(figure, relation, wanted) {
  if (figure === undefined) return { outcome: "not measured" };
  const { value: ratio, noisy } = figure;
  const met = relation === "≥" ? ratio >= wanted : ratio <= wanted;
  if (met) return { ratio, noisy, outcome: "met" };
  return {
    ratio,
    noisy,
    outcome: "missed",
    missedBy: relation === "≥" ? 1 - ratio / wanted : ratio / wanted - 1,
  };
}

function extreme(figures, beats) {
  return figures.reduce(
    (best, figure) =>
      figure !== undefined && (best === undefined || beats(figure.value, best.value)) ? figure : best,
    undefined,
  );
}

function isNoisy(...figures) {
  return figures.some(({ noisy }) => noisy === true);
}
