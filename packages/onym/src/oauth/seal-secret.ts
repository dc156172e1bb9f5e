// Secrets at rest: AES-256-GCM. What a secret is for is part of its seal, so that it opens for nothing else (decision 0023).

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

export interface SealInput {
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** Whose secret it is; it opens for the same text alone. */
  readonly purpose: string;
}

export type OpenedSecret =
  | { readonly kind: "opened"; readonly text: string }
  | { readonly kind: "other-key" }
  /** Changed, cut, or of another purpose. */
  | { readonly kind: "damaged" };

const VERSION = 1;
const MARK_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + MARK_BYTES + NONCE_BYTES;

/** Version, mark of the key, nonce, what is encrypted, tag. */
export function sealSecret(text: string, { key, purpose }: SealInput): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const head = Buffer.concat([Uint8Array.of(VERSION), markOf(key), nonce]);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(associated(head, purpose));
  return new Uint8Array(
    Buffer.concat([head, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]),
  );
}

export function openSecret(sealed: Uint8Array, { key, purpose }: SealInput): OpenedSecret {
  if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== VERSION) return { kind: "damaged" };
  const bytes = Buffer.from(sealed);
  const head = bytes.subarray(0, HEAD_BYTES);
  if (!head.subarray(1, 1 + MARK_BYTES).equals(markOf(key))) return { kind: "other-key" };
  const nonce = head.subarray(1 + MARK_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(associated(head, purpose))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()]);
    return { kind: "opened", text: text.toString("utf8") };
  } catch {
    return { kind: "damaged" };
  }
}

/** Tells a wrong key from a damaged secret, and nothing about the key. */
function markOf(key: Uint8Array): Buffer {
  return createHmac("sha256", key).update("onym: mark of a key").digest().subarray(0, MARK_BYTES);
}

function associated(head: Uint8Array, purpose: string): Buffer {
  return Buffer.concat([head, Buffer.from(purpose, "utf8")]);
}
