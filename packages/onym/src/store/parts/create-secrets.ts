// Secrets that Onym keeps for itself; they come here encrypted and are never looked at.

import { encodeText, rowId } from "../schema/stored-text.js";
import type { StoreSession } from "../session.js";
import type { SecretStore } from "../store.js";

export function createSecrets(session: StoreSession): SecretStore {
  return {
    read: (key) =>
      session.read(async (db) => {
        const row = await db
          .selectFrom("onym_secrets")
          .select("value")
          .where("id", "=", rowId(key))
          .executeTakeFirst();
        // A copy: one engine gives a Buffer that shares its memory, the other an ArrayBuffer.
        return row === undefined ? undefined : new Uint8Array(row.value);
      }),
    write: (key, value) =>
      session.change(async (tx) => {
        await tx
          .insertInto("onym_secrets")
          .values({ id: rowId(key), key: encodeText(key), value: Buffer.from(value) })
          .onConflict((on) => on.column("id").doUpdateSet((eb) => ({ value: eb.ref("excluded.value") })))
          .execute();
        return { value: undefined, changed: true };
      }),
    swap: (key, before, next) =>
      session.change(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable("onym_secrets")
          .set({ value: Buffer.from(next) })
          .where("id", "=", rowId(key))
          .where("value", "=", Buffer.from(before))
          .executeTakeFirst();
        const changed = numUpdatedRows > 0n;
        return { value: changed, changed };
      }),
    remove: (key) =>
      session.change(async (tx) => {
        const gone = await tx.deleteFrom("onym_secrets").where("id", "=", rowId(key)).executeTakeFirst();
        return { value: undefined, changed: gone.numDeletedRows > 0n };
      }),
  };
}
