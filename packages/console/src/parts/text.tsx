// Text of strangers, shown as text: what would be invisible or turn the line around is written out, and what is long is cut.

const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

export function plain(text: string, max = Number.POSITIVE_INFINITY): string {
  const short = text.length > max ? `${[...text.slice(0, max)].join("")}…` : text;
  return short.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** One line, isolated, cut by its box; the whole of it in a tooltip. */
export function Text({ value, max = 300, mono }: { value: string; max?: number; mono?: boolean }) {
  const shown = plain(value, max);
  return (
    <bdi class={mono === true ? "text mono" : "text"} title={plain(value, 1000)}>
      {shown}
    </bdi>
  );
}

/** Many lines, as the model reads them. */
export function Prose({ value }: { value: string }) {
  return <pre class="prose">{plain(value)}</pre>;
}

export function Time({ at }: { at: number }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {date.toTimeString().slice(0, 8)}
    </time>
  );
}

export function ago(at: number, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} d ago`;
}

export function shortMs(ms: number): string {
  if (ms < 1) return "<1 ms";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

export function Badge({ kind, children }: { kind: "good" | "bad" | "warn" | "plain"; children: string }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

export function Empty({ children }: { children: preact.ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
