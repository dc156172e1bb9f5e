// What a user writes down to describe a client or provider of their own.

import type { AliasRewrite } from "./profile.js";

/** What a user says about a client that Onym does not know. */
export interface ProfileInput {
  /** `[a-z0-9]+(-[a-z0-9]+)*` */
  readonly id: string;
  readonly title?: string;
  /** What the client accepts, e.g. `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly pattern: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Put before each name: `mcp__{server}__`. `{server}` is the alias under which the gateway is registered. */
  readonly prefix?: string;
  /** Put after each name. */
  readonly suffix?: string;
  /** Longest prefix the client makes. */
  readonly prefixMaxLength?: number;
  /** Limit on prefix, name and suffix together. */
  readonly combinedMaxLength?: number;
  /** How the client rewrites the alias; `verbatim` unless given. */
  readonly aliasRewrite?: AliasRewrite;
  /** What must hold for prefix, name and suffix together. */
  readonly sentPattern?: string;
  readonly maxTools?: number;
  readonly listChanged?: boolean;
  /** Every character that may stand in a name: needed where it cannot be read off the pattern. */
  readonly alphabet?: string;
  /** Every character that may come first. */
  readonly first?: string;
  /** Texts that may not stand anywhere in a name. */
  readonly forbidden?: readonly string[];
  /** When this was last true, as a date. */
  readonly asOf?: string;
}
