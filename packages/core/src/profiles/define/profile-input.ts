// What a user writes to describe a client or provider: everything that a built-in row says, with user-facing field
// names.

import type { AliasRewrite, Confidence, NameCut, NameRewrite } from "../profile.js";

/** A user's description of a client that Onym does not know, or knows differently. */
export interface ProfileInput {
  /** `[a-z0-9]+(-[a-z0-9]+)*` */
  readonly id: string;
  readonly title?: string;
  /** Default: `client`. */
  readonly kind?: "client" | "provider" | "specification";
  /** What the client accepts, e.g. `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly pattern: string;
  /** The pattern for assigned names, if it is narrower. */
  readonly emit?: string;
  /** The characters that may come first, as a class: `[a-zA-Z_]`. */
  readonly firstChar?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A limit that is safe in every setting, below `maxLength`. */
  readonly safeMaxLength?: number;
  /**
   * Added before each name: `mcp__{server}__`. `{server}` is the alias under which the client registers the
   * gateway.
   */
  readonly prefix?: string;
  /** Added after each name. */
  readonly suffix?: string;
  /** The longest prefix that the client makes. */
  readonly prefixMaxLength?: number;
  /** Limit on prefix, name and suffix together. */
  readonly combinedMaxLength?: number;
  /** A limit that is safe in every setting, below `combinedMaxLength`. */
  readonly safeCombinedMaxLength?: number;
  /** How the client rewrites the alias. Default: `verbatim`. */
  readonly aliasRewrite?: AliasRewrite;
  /** How the client rewrites the name itself. Default: it does not. */
  readonly rewrite?: NameRewrite;
  /** What the client does with names longer than `cutAt`. */
  readonly cut?: NameCut;
  readonly cutAt?: number;
  /** The pattern for prefix, name and suffix together. */
  readonly sentPattern?: string;
  readonly sentMaxLength?: number;
  readonly maxTools?: number;
  readonly listChanged?: boolean;
  /** `false`: the client treats names that differ only in case as the same. */
  readonly caseSensitive?: boolean;
  /** The client treats names that differ only in `-` and `_` as the same. */
  readonly equatesHyphens?: boolean;
  /** The prefix counts towards the limit but is not sent. */
  readonly countsOnly?: boolean;
  /** The client shortens its own prefix, never the name. */
  readonly prefixYields?: boolean;
  /** The client drops the alias from the start of a name. */
  readonly stripsOwnAlias?: boolean;
  /** The client adds the `mcp_` or `mcp__` of its prefix only if the alias does not start with it. */
  readonly prefixesMcpOnce?: boolean;
  /** The client omits the prefix if the name starts with the alias. */
  readonly skipsPrefixOn?: "own-slug";
  /** Whole names that are never assigned: the client's own tools. */
  readonly reserved?: readonly string[];
  /** Every character allowed in a name. Required if it cannot be derived from the pattern. */
  readonly alphabet?: string;
  /** Every character allowed in first place. */
  readonly first?: string;
  /** Texts that a name must not contain. */
  readonly forbidden?: readonly string[];
  /** Separates the parts of toolbox names, although the pattern allows it nowhere else. */
  readonly partSeparator?: "__";
  /** The names that the client announces in `clientInfo`; a trailing `{server}` stands for the alias. */
  readonly clientInfoNames?: readonly string[];
  /** The products in its `User-Agent`: `acme/{ver}`. */
  readonly userAgentHints?: readonly string[];
  /** What happens to names that break the rules, as text. */
  readonly onViolation?: string;
  readonly confidence?: Confidence;
  /** The date when this was last verified. */
  readonly asOf?: string;
  /** The release that was tested. */
  readonly version?: string;
  /** The product is no longer offered. */
  readonly retired?: boolean;
  /** Nothing is restricted, so canonical names are shown unchanged. */
  readonly unrestricted?: boolean;
}

/** The allowed values of a profile's fields, for code that validates or documents them. */
export const PROFILE_WORDS = {
  kind: ["client", "provider", "specification"],
  aliasRewrite: [
    "verbatim",
    "underscore",
    "underscore-only",
    "slug",
    "announced",
    "extension-key",
    "delete",
    "keep-dots",
    "gemini",
    "runs",
    "alnum",
    "squeeze",
    "one-each",
    "punycode",
    "snake",
    "camel",
  ],
  rewrite: [
    "underscore",
    "underscore-only",
    "one-each",
    "squeeze",
    "punycode",
    "runs",
    "delete",
    "gemini",
    "hyphen",
    "letters",
    "snake",
    "camel",
  ],
  cut: ["slice", "middle", "sha1-8", "sha1-12", "sha256-8", "sha256-20", "fnv-7", "fnv-hex", "md5-12"],
  skipsPrefixOn: ["own-slug"],
  partSeparator: ["__"],
  confidence: ["observed", "documented", "verified-in-code", "reported", "assumed"],
} as const satisfies { readonly [Key in keyof ProfileInput]?: readonly ProfileInput[Key][] };
