import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { Tool } from "../../catalog/tool.js";
import {
  claimedTwice,
  endlessRename,
  formerlyClaimed,
  formerlyLive,
  formerlyTaken,
  liveRename,
  lostRename,
  ownedRename,
  renameCircle,
  severalOld,
} from "./rename-problems.js";

const boxes = buildCatalog(
  ["dev", "ops"].map((toolbox) => ({ toolbox, server: "fs", tools: ["read"] })),
).tools;
const [read] = boxes as readonly [Tool];
const rename = { from: "old", to: "fs@1/read@1" };

/** Every problem of a rename is a warning about one tool or server: nothing else stops. */
describe("what is wrong with a declared rename, in words (LOCK-2) (LOCK-5)", () => {
  it.each([
    [
      "its window cannot be counted",
      endlessRename("old", read, undefined),
      {
        code: "rename-uncounted",
        message: `The window of the old name "old" is counted in major versions, but the server "fs" says no version; the name goes on working.`,
        fix: 'Give it a last day with "until", or correct "since".',
        tools: ["dev:fs@1/read@1"],
        servers: ["fs"],
      },
    ],
    [
      "its window cannot be counted in what the server says",
      endlessRename("old", read, "next"),
      { message: expect.stringContaining(`but the server "fs" says "next"; the name`) },
    ],
    [
      "it leads to nothing",
      lostRename(rename, { several: [], near: "fs@1/reads@1" }),
      {
        code: "rename-to-nothing",
        message: `The old name "old" is declared to lead to "fs@1/read@1", which is no tool here.`,
        fix: `Did you mean "fs@1/reads@1"? Correct "to" in renames, or take the entry out.`,
        tools: ["fs@1/read@1"],
        servers: [],
      },
    ],
    [
      "it leads to several tools",
      lostRename(rename, { several: boxes, near: undefined }),
      {
        code: "rename-to-nothing",
        message: `The old name "old" is declared to lead to "fs@1/read@1", which is in several toolboxes.`,
        fix: `Say which one in "to": "dev:fs@1/read@1" or "ops:fs@1/read@1".`,
        tools: ["fs@1/read@1"],
      },
    ],
    [
      "its old name is a tool's canonical name",
      liveRename("fs@1/read@1"),
      {
        code: "rename-from-live",
        message: `"fs@1/read@1" is declared to be an old name, but a tool has it as its canonical name; it stays that tool's.`,
        fix: 'Take the entry out of renames, or correct "from".',
        tools: ["fs@1/read@1"],
      },
    ],
    [
      "its old name was given to a tool that is there",
      ownedRename("old", read),
      {
        code: "rename-from-live",
        message: `"old" is declared to be an old name, but was given to "dev:fs@1/read@1", which is there; it stays that tool's.`,
        fix: 'Take the entry out of renames, or correct "from": a name that was given out never goes to another tool.',
        tools: ["dev:fs@1/read@1"],
      },
    ],
    [
      "another says something else",
      claimedTwice(rename),
      {
        code: "rename-claimed-twice",
        message: `"old" cannot become "fs@1/read@1": another rename, declared or on record in the lock, says something else of one of them. The old name leads there, but names and approvals are not handed on.`,
        fix: "Declare one successor for each old tool, and one old tool for each successor.",
        tools: ["fs@1/read@1"],
      },
    ],
    [
      "its old name was several tools'",
      severalOld(rename),
      {
        code: "rename-from-several",
        message: `"old" was the name of several tools that are gone, so it is not clear which of them became "fs@1/read@1": nothing is handed on.`,
        fix: 'Write the canonical name of the old tool in "from"; `onym explain` shows it.',
        tools: ["fs@1/read@1"],
      },
    ],
    [
      "it leads in a circle",
      renameCircle(rename),
      {
        code: "rename-circle",
        message: `The renames of "old" and "fs@1/read@1" lead in a circle; none of them is used.`,
        fix: "Take the entry out that is no longer true.",
        tools: ["fs@1/read@1"],
      },
    ],
    [
      "a former id is a server's",
      formerlyLive("fs", "files"),
      {
        code: "formerly-live",
        message: `The server "fs" is declared to be "files" formerly, but there is a server with that id; its tools stay its own.`,
        fix: 'Take the id out of "formerly", or take the other server out.',
        tools: [],
        servers: ["fs", "files"],
      },
    ],
    [
      "a former id is two servers'",
      formerlyClaimed("fs", "files"),
      {
        code: "formerly-claimed-twice",
        message: `The server "fs" is not the only one that is declared to be "files" formerly; none of them is.`,
        fix: 'Leave the id in "formerly" of one server.',
        servers: ["fs"],
      },
    ],
    [
      "a former id contradicts renames on record",
      formerlyTaken("fs", ["files", "disk"], ["read", "write"]),
      {
        code: "formerly-taken",
        message: `The server "fs" is declared to be "files", "disk" formerly, but renames on record say something else of "read", "write": nothing is handed on there.`,
        fix: 'Take the id out of "formerly" if the server is another one; else declare in "renames" what became of each of these tools.',
        servers: ["fs"],
      },
    ],
  ])("%s", (_, problem, expected) => {
    expect(problem).toMatchObject({ severity: "warning", ...expected });
  });
});
