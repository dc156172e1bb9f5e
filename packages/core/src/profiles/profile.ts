// The shape of a profile: the rules of one client or provider, as data (RULE-1).

/** `observed`: the client was run against a recording provider (RULE-6). */
export type Confidence = "observed" | "documented" | "verified-in-code" | "reported" | "assumed";

/**
 * How the characters of a name are chosen. `any`: every code point. `ascii`: the characters of `alphabet`. `snake`:
 * lower-case words joined by single underscores. `camel`: words joined by capitals, letters and digits only.
 */
export type NameShape = "any" | "ascii" | "snake" | "camel";

/** The rules for names that Onym assigns, before the client changes them. */
export interface NameRules {
  readonly shape: NameShape;
  /** Every character allowed in a name, e.g. `a…zA…Z0…9_-`, listed one by one. Empty for `any`. */
  readonly alphabet: string;
  /** Every character allowed in first place, listed one by one. Empty: no rule beyond `alphabet`. */
  readonly first: string;
  /** Texts that a name must not contain (`--` in Roo Code). */
  readonly forbidden: readonly string[];
  /**
   * Separates the three parts of a toolbox name, although the pattern allows it nowhere else: `__` in `universal`
   * (BOX-8). Only in that style.
   */
  readonly partSeparator?: "__";
  /** Whole names that the client or provider reserves (`no_tool` in TGI). Absent: none known. */
  readonly reserved?: readonly string[];
  readonly minLength: number;
  /** UTF-16 units; `Infinity` if no limit is known. */
  readonly maxLength: number;
}

/** How the client rewrites the alias under which it registers the gateway, before it adds it to a prefix. */
export type AliasRewrite =
  | "verbatim"
  | "underscore" // every character outside A-Za-z0-9_- becomes _
  | "underscore-only" // every character outside A-Za-z0-9_ becomes _
  | "slug" // lower case, runs outside a-z0-9 become one _, edges trimmed (Continue)
  | "announced" // lower case, runs outside a-z0-9_.- become one _, then . becomes _ (VS Code)
  | "extension-key" // lower case, white space removed, others become _ (Goose)
  | "delete" // white space becomes _, other invalid characters vanish, -- collapses (Roo Code)
  | "keep-dots" // every character outside A-Za-z0-9_.- becomes _, then edges are trimmed (LibreChat)
  | "gemini" // every character outside A-Za-z0-9_.:- becomes _ (Gemini CLI)
  | "runs" // each run outside A-Za-z0-9_- becomes one _ (Cline)
  | "alnum" // every character outside A-Za-z0-9 becomes _ (n8n)
  | "squeeze" // as `underscore`, and runs of _ become one (Kimi)
  | "one-each" // as `underscore-only`, by code point: an emoji is one _ (Codex)
  | "punycode" // other ASCII becomes -, a name with more than ASCII its punycode (Copilot CLI)
  | "snake" // lower_snake_case, camelCase split, accents dropped (CrewAI)
  | "camel"; // camelCase (Cherry Studio)

/**
 * How the client rewrites the tool's own name. Absent: it does not. The values mean the same as in `AliasRewrite`.
 * `hyphen`: every character outside A-Za-z0-9_.- becomes - (Microsoft Agent Framework). `letters`: characters
 * outside A-Za-z0-9_ and every ___ vanish, and a name that does not start with a letter gets an a in front (Amazon
 * Q).
 */
export type NameRewrite =
  | "underscore"
  | "underscore-only"
  | "one-each"
  | "squeeze"
  | "punycode"
  | "runs"
  | "delete"
  | "gemini"
  | "hyphen"
  | "letters"
  | "snake"
  | "camel";

/** What the client does with a name that is too long with its prefix and suffix. Absent: it sends it unchanged. */
export type NameCut =
  | "slice" // cut, no digest (VS Code, Zed, Roo Code)
  | "middle" // first 30, "...", last 30 (Gemini CLI)
  | "sha1-8" // first 55, _ and 8 hex digits; also after any rewrite (Cline)
  | "sha1-12" // cut, _ and 12 hex digits (Codex)
  | "sha256-8" // cut, _ and 8 hex digits (CrewAI)
  | "sha256-20" // always cut to 42, _ and 20 hex digits (Cherry Studio)
  | "fnv-7" // cut, _ and 7 base-36 digits; also after any rewrite (Qwen Code)
  | "fnv-hex" // cut, _ and the signed hex digits (Kimi)
  | "md5-12"; // the tool part becomes MD5HASH_ and 12 hex digits (LobeHub)

/** How the client changes a name before the model or the provider sees it (RULE-4). */
export interface ClientTransformation {
  /** Template with `{server}` for the alias and `{index}` for a position: `mcp__{server}__`. Empty: none. */
  readonly prefix: string;
  /** Like `prefix`, after the name: `_mcp_{server}`. `{digest}` stands for 20 digits. */
  readonly suffix: string;
  /** The longest prefix that the client makes; it cuts longer ones. */
  readonly prefixMaxLength?: number;
  readonly alias: AliasRewrite;
  /** The client omits the prefix if the name already starts with the alias. */
  readonly skipsPrefixOn?: "own-slug";
  /** The client adds the `mcp_` or `mcp__` of its prefix only if the alias does not start with it (Gemini CLI, Codex). */
  readonly prefixesMcpOnce?: boolean;
  /** The client removes the start of the name if it repeats the alias, in any case (LibreChat). */
  readonly stripsOwnAlias?: boolean;
  /** The client shortens its own prefix, never the name (n8n). */
  readonly prefixYields?: boolean;
  /** The prefix counts towards the limit but is not sent (Cursor). */
  readonly countsOnly?: boolean;
  /** The client treats `-` and `_` as equal when it compares names (Roo Code). */
  readonly equatesHyphens?: boolean;
  /** How the client rewrites the name itself. */
  readonly rewrite?: NameRewrite;
  /** What the client does with names longer than `cutAt`. */
  readonly cut?: NameCut;
  /** The client's own hard limit, beyond which it cuts. `sentMaxLength` may be a safer, lower one. */
  readonly cutAt?: number;
  /** The pattern for the name as finally sent, including prefix and suffix. */
  readonly sentPattern: string;
  /**
   * The length limit for the name as finally sent; the safe one if the data gives one. `Infinity` if none is known.
   */
  readonly sentMaxLength: number;
}

/** The rules of one client or provider. Made by `defineProfile` or built in. */
export interface Profile {
  readonly id: string;
  readonly title: string;
  readonly kind: "provider" | "client" | "specification";
  /** The accepted pattern, as its source states it. */
  readonly pattern: string;
  readonly minLength: number;
  /** Hard limit on the bare name, as its source states it. */
  readonly maxLength: number | undefined;
  /** A limit that is safe in every setting, if the source gives one below the hard limit. */
  readonly safeMaxLength?: number | undefined;
  /** First-character rule, as its source states it. */
  readonly firstChar: string | undefined;
  readonly prefixAddedByClient: string | undefined;
  readonly suffixAddedByClient: string | undefined;
  /** Hard limit on prefix and name together, as its source states it. */
  readonly combinedMaxLength: number | undefined;
  /** Like `safeMaxLength`, for prefix and name together. */
  readonly safeCombinedMaxLength?: number | undefined;
  readonly maxTools: number | undefined;
  /** `false`: the client treats names that differ only in case as the same. */
  readonly caseSensitive: boolean;
  /** Whether the client handles `tools/list_changed`; `undefined` if this was not checked. */
  readonly listChanged: boolean | undefined;
  readonly onViolation: string;
  readonly clientInfoNames: readonly string[];
  readonly userAgentHints: readonly string[];
  readonly confidence: Confidence;
  readonly asOf: string;
  /** The release that was tested, if `confidence` is `observed`. */
  readonly version: string | undefined;
  /** The product is no longer offered. */
  readonly retired: boolean;
  /** Where locks from before a correction store the names of this profile. */
  readonly lockedBefore?: { readonly id: string; readonly aliasMattered: boolean };
  /** Rules for the names that Onym assigns. `maxLength` does not include the client's prefix yet. */
  readonly rules: NameRules;
  readonly client: ClientTransformation;
  /** Nothing is restricted, so canonical names are shown unchanged. */
  readonly unrestricted: boolean;
}
