// Transport forms of canonical names (CANON-5): `~` for the first slash, percent-encoding; decoded once, strictly.

import type { ParseResult } from "./problem.js";

/**
 * Decodes the transport form of a name, at most once. Text without `%` and `~` is returned unchanged.
 *
 * @example
 * decodeTransport("salesforce%401~get_leads%401"); // { ok: true, value: "salesforce@1/get_leads@1" }
 * decodeTransport("100%");                         // { ok: false, problem: { code: "bad-escape", … } }
 */
export function decodeTransport(text: string): ParseResult<string> {
  const percent = text.indexOf("%");
  const tilde = text.indexOf("~");
  if (percent < 0 && tilde < 0) return { ok: true, value: text };

  // A tilde means the slash only if no slash, plain or encoded, comes before it.
  const slashed =
    tilde >= 0 && !hasSlashBefore(text, tilde) ? `${text.slice(0, tilde)}/${text.slice(tilde + 1)}` : text;
  if (percent < 0) return { ok: true, value: slashed };

  const decoded = decodeAscii(slashed) ?? decodeUtf8(slashed);
  if (decoded === undefined) {
    return {
      ok: false,
      problem: {
        code: "bad-escape",
        severity: "error",
        message: "A % is not followed by two hex digits, or the encoded bytes are not UTF-8.",
        fix: "Encode each byte of the UTF-8 form as %XX, or send the name without percent-encoding.",
        position: percent,
      },
    };
  }
  if (decoded.includes("\0")) {
    return {
      ok: false,
      problem: {
        code: "encoded-nul",
        severity: "error",
        message: "The encoded name holds a NUL character.",
        fix: "Remove the %00.",
        position: Math.max(0, text.indexOf("%00")),
      },
    };
  }
  return { ok: true, value: decoded };
}

/** Fast path for the usual case, in which every escape is an ASCII character. */
function decodeAscii(text: string): string | undefined {
  let decoded = "";
  let from = 0;
  for (let at = text.indexOf("%"); at >= 0; at = text.indexOf("%", from)) {
    const high = hexDigit(text.charCodeAt(at + 1));
    const low = hexDigit(text.charCodeAt(at + 2));
    if (high < 0 || high > 7 || low < 0) return undefined;
    decoded += text.slice(from, at) + String.fromCharCode(high * 16 + low);
    from = at + 3;
  }
  return decoded + text.slice(from);
}

function hexDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function decodeUtf8(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function hasSlashBefore(text: string, end: number): boolean {
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x2f) return true;
    if (unit === 0x25 && text.charCodeAt(i + 1) === 0x32 && (text.charCodeAt(i + 2) | 0x20) === 0x66)
      return true;
  }
  return false;
}
