import { expect, it } from "vitest";
import { ownPrefixLength } from "./own-prefix.js";

it.each([
  ["GitHub-create_issue", "github", 7],
  ["github_search", "git", 0],
  ["github_search", "github", 7],
  ["githubSearch", "github", 6],
  ["GITHUBSearch", "github", 0],
  ["GITHUB_Search", "github", 7],
  ["github2search", "github", 0],
  ["github9", "github", 0],
  ["githubz", "github", 0],
  ["githuba", "github", 0],
  ["gitHUB", "github", 0],
  ["github", "github", 0],
  ["github__", "github", 0],
  ["git_hub.search", "github", 8],
  ["git-hub--search", "git_hub", 9],
  ["_github_search", "github", 8],
  ["github_search", "git-hub", 7],
  ["data-grout/prism", "data-grout", 11],
  ["gitlab_search", "github", 0],
  ["git", "github", 0],
  ["git__", "github", 0],
  ["search", "", 0],
  ["search", "--", 0],
  ["été_search", "été", 4],
  ["étés_search", "été", 0],
  ["a1_b", "a1", 3],
  ["a1b", "a1", 0],
  ["a1B", "a1", 2],
  ["Zed_z", "zED", 4],
  ["[ed_z", "{ed", 4],
  ["@a_b", "`a", 3],
])("of %j, %j takes %j characters (NAME-2)", (toolName, owner, length) => {
  expect(ownPrefixLength(toolName, owner)).toBe(length);
});
