// What a client makes of the names it gets: the form people find in it, and write into its allow lists (RULE-4).

import { type NamedTool, type Profile, quoteText, sentName } from "@onym/core";

/** `mcp__onym__NAME` in Claude Code; `undefined` where the client leaves names as they are. */
export function sentForm({
  name,
  sent,
}: {
  readonly name: string | undefined;
  readonly sent: string | undefined;
}): string | undefined {
  if (name === undefined || sent === undefined) return undefined;
  const form = sent.replace(name, "NAME");
  return form === "NAME" || form === "" ? undefined : form;
}

const FALLBACKS: ReadonlySet<string> = new Set(["universal", "generic-safe"]);

/** For names that fit every client: it has the longest prefix of any, which none of them needs to write. */
export function isNoClient({ id }: Pick<Profile, "id">): boolean {
  return FALLBACKS.has(id);
}

/** For below a list of names; `undefined` where they are what the client shows. */
export function explainSentForm(
  tools: readonly Pick<NamedTool, "name">[],
  { profile, as }: { readonly profile: Profile; readonly as: string },
): string | undefined {
  const [first] = tools;
  if (first !== undefined && isNoClient(profile))
    return "these names fit every client; --profile CLIENT shows those of one, such as claude-code.";
  const form = first && sentForm({ name: first.name, sent: sentName(first.name, profile, as) });
  return form === undefined
    ? undefined
    : `${profile.id} shows and sends ${quoteText(form)} where Onym is registered as ${quoteText(as)}: write that in its allow lists.`;
}
