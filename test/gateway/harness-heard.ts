// What an SDK client is told, counted and waited for.

interface Hearing {
  setNotificationHandler(method: "notifications/tools/list_changed", handler: () => void): void;
}

export interface Heard {
  readonly count: () => number;
  /** Resolves once it was told so often. */
  readonly reach: (count: number) => Promise<void>;
}

export function hearListChanges(client: Hearing): Heard {
  let heard = 0;
  let wake = () => {};
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    heard += 1;
    wake();
  });
  return {
    count: () => heard,
    reach: (count) =>
      new Promise<void>((resolve) => {
        wake = () => void (heard >= count && resolve());
        wake();
      }),
  };
}
