// What this room needs of a log: the shape of `observe`'s, which it does not see.

export type StoreLog = (
  severity: "debug" | "info" | "warn" | "error",
  text: string,
  facts?: Readonly<Record<string, string | number | boolean | undefined>>,
) => void;

export const silentStoreLog: StoreLog = () => {};
