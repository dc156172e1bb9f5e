// Bars as SVG, readable on light and dark pages: one panel for each way through a gateway, one bar for each target.

const WIDTH = 760;
const LABEL = 250;
const ROW = 22;
const STYLE = `text{font:13px system-ui,sans-serif;fill:#1f2328}.quiet{fill:#656d76;font-size:12px}.head{font-weight:600}
.other{fill:#8c959f}.floor{fill:#bf8700}.ours{fill:#0969da}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#8d96a0}.other{fill:#6e7681}.floor{fill:#d29922}.ours{fill:#4493f8}}`;

/** `panels`: `[{title, bars: [{label, value, min, max, tone}]}]`; `format` says a value in words. */
export function drawBars({ title, note, panels, format }) {
  const parts = [];
  let y = 24;
  parts.push(`<text class="head" x="0" y="${y}">${escapeXml(title)}</text>`);
  parts.push(`<text class="quiet" x="0" y="${y + 18}">${escapeXml(note)}</text>`);
  y += 44;
  for (const { title: heading, bars } of panels.filter(({ bars }) => bars.length > 0)) {
    parts.push(`<text class="head" x="0" y="${y + 4}">${escapeXml(heading)}</text>`);
    y += 14;
    const most = Math.max(...bars.map(({ value }) => value));
    for (const { label, value, min, max, tone } of bars) {
      const width = Math.max(1, (value / most) * (WIDTH - LABEL - 170));
      const middle = y + ROW / 2;
      parts.push(`<text x="0" y="${middle + 4}">${escapeXml(label)}</text>`);
      parts.push(
        `<rect class="${tone}" x="${LABEL}" y="${y + 4}" width="${width.toFixed(1)}" height="${ROW - 8}" rx="2"/>`,
      );
      const spread = min === max ? "" : ` (${format(min)} to ${format(max)})`;
      parts.push(
        `<text x="${(LABEL + width + 6).toFixed(1)}" y="${middle + 4}">${escapeXml(format(value))}<tspan class="quiet">${escapeXml(spread)}</tspan></text>`,
      );
      y += ROW;
    }
    y += 22;
  }
  const size = `viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escapeXml(title)}">\n<style>${STYLE}</style>\n${parts.join("\n")}\n</svg>\n`;
}

function escapeXml(text) {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
