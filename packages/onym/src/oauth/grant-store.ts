// The place of one server's grant in the store. Another address, or another server of that id, finds nothing there.

import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import { formatGrant, type Grant, parseGrant } from "./grant.js";
import { type KeyPlace, loadSecretKey } from "./load-secret-key.js";
import { signInError } from "./protocol/check-address.js";

/** What this room needs of the store. */
export interface Secrets {
  readonly read: (key: string) => Promise<Uint8Array | undefined>;
  readonly write: (key: string, value: Uint8Array) => Promise<void>;
  readonly swap: (key: string, before: Uint8Array, next: Uint8Array) => Promise<boolean>;
  readonly remove: (key: string) => Promise<void>;
}

export interface ServerBinding {
  readonly server: string;
  readonly toolbox: string | undefined;
  readonly url: string;
}

type ReadGrant =
  | { readonly kind: "none" }
  | { readonly kind: "grant"; readonly grant: Grant; readonly sealed: Uint8Array }
  /** For people. What is there stays as it is. */
  | { readonly kind: "unreadable"; readonly reason: string; readonly hint: string };

export interface GrantStore {
  readonly read: () => Promise<ReadGrant>;
  /** @throws OnymError where there is no key to encrypt with; before anybody signs in for nothing. */
  readonly checkKey: () => void;
  readonly write: (grant: Grant) => Promise<void>;
  /** Writes where nobody else has written since; what is there now, if so. */
  readonly swap: (before: Uint8Array, next: Grant) => Promise<Uint8Array | undefined>;
  /** Whether there was one. Needs no key. */
  readonly remove: () => Promise<boolean>;
}

const OUT_AND_IN = "Else sign out and in again: onym logout SERVER, onym login SERVER.";

export function createGrantStore(secrets: Secrets, place: KeyPlace, binding: ServerBinding): GrantStore {
  const purpose = JSON.stringify(["onym oauth 1", binding.toolbox ?? null, binding.server, binding.url]);
  // An address may hold a secret, so the store sees it only as a digest.
  const key = `oauth ${createHash("sha256").update(purpose).digest("hex")}`;
  const loadKey = (): Uint8Array => {
    const loaded = loadSecretKey(place, "seal");
    if (loaded.kind === "key") return loaded.key;
    throw signInError(`The tokens cannot be kept: ${loaded.reason}.`, loaded.hint);
  };
  const seal = (grant: Grant): Uint8Array => sealSecret(formatGrant(grant), { key: loadKey(), purpose });
  return {
    async read() {
      const sealed = await secrets.read(key);
      if (sealed === undefined) return { kind: "none" };
      const loaded = loadSecretKey(place, "open");
      if (loaded.kind === "problem")
        return {
          kind: "unreadable",
          reason: `its tokens cannot be read: ${loaded.reason}`,
          hint: loaded.hint,
        };
      const opened = openSecret(sealed, { key: loaded.key, purpose });
      if (opened.kind === "other-key")
        return {
          kind: "unreadable",
          reason: "its tokens cannot be read: they were encrypted with another key",
          hint: `Give the key that was used, in ONYM_SECRET_KEY or beside the store. ${OUT_AND_IN}`,
        };
      const grant = opened.kind === "opened" ? parseGrant(opened.text) : undefined;
      if (grant !== undefined) return { kind: "grant", grant, sealed };
      return {
        kind: "unreadable",
        reason: "its tokens cannot be read: what the store holds is damaged",
        hint: `Put the store back from a backup. ${OUT_AND_IN}`,
      };
    },
    checkKey: () => void loadKey(),
    write: async (grant) => secrets.write(key, seal(grant)),
    async swap(before, next) {
      const sealed = seal(next);
      return (await secrets.swap(key, before, sealed)) ? sealed : undefined;
    },
    async remove() {
      const isThere = (await secrets.read(key)) !== undefined;
      if (isThere) await secrets.remove(key);
      return isThere;
    },
  };
}

// Secrets at rest: AES-256-GCM. What a secret is for is part of its seal, so that it opens for nothing else (decision 0023).

interface SealInput {
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** Whose secret it is; it opens for the same text alone. */
  readonly purpose: string;
}

type OpenedSecret =
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
