// Who gives up a connection where too many are open (SAFE-5).

import { describe, expect, it } from "vitest";
import { findVictim, type OpenConnection } from "./find-victim.js";

interface Named extends OpenConnection {
  readonly name: string;
}

type State = "new" | "idle" | "receiving" | "running" | "unread";

/** `b2:idle` is a connection of `b`. Unread ones are the longer unread the higher their number is. */
const connection = (text: string): Named => {
  const [name = "", state] = text.split(":") as [string, State];
  return {
    name,
    owner: name.charAt(0),
    hasAsked: state !== "new",
    isIdle: state === "new" || state === "idle",
    isReceiving: state === "receiving",
    unreadSince: state === "unread" ? 100 - Number(name.slice(1)) : undefined,
  };
};
const victimOf = (text: string): string | undefined =>
  findVictim(text.split(" ").filter(Boolean).map(connection))?.name;

describe("where too many connections are open", () => {
  it.each([
    ["nobody gives up one if there is none", "", undefined],
    ["the oldest that never asked goes", "a1:idle a2:new a3:new", "a2"],
    ["else the oldest that is idle", "a1:receiving a2:idle a3:idle", "a2"],
    ["else the oldest whose request arrives", "a1:unread a2:running a3:receiving a4:receiving", "a3"],
    ["else the one that is unread for longest", "a1:running a2:unread a3:unread", "a3"],
    ["none that runs goes", "a1:running a2:running", undefined],
    [
      "who holds most gives up one that arrives, before others one that is idle",
      "b1:idle c1:new a1:receiving a2:receiving",
      "a1",
    ],
    ["and one that is not read", "b1:idle c1:new a1:unread a2:running", "a1"],
    ["those that run count, too", "b1:idle b2:idle a1:running a2:running a3:receiving", "a3"],
    ["who has only running ones loses none of them", "a1:running a2:running b1:idle", "b1"],
  ])("%s (SAFE-5)", (_, all, victim) => {
    expect(victimOf(all)).toBe(victim);
  });
});
