// The shape of a profile: the rules of one client or provider, as data (RULE-1).

/** `observed`: the client was run against a recording provider (RULE-6). */
export type Confidence = "observed" | "documented" | "verified-in-code" | "reported" | "assumed";

/**
 * How the characters of a name are chosen.
 * `any`: every code point. `ascii`: the characters of `alphabet`. `snake`: lower-case words joined by single
 * underscores. `camel`: words joined by capitals, letters and digits only.
 */
export type NameShape = "any" | "ascii" | "snake" | "camel";

/** What a name must look like when Onym gives it out, before the client touches it. */
export interface NameRules {
  readonly shape: NameShape;
  /** Every character that may stand in a name, e.g. `a…zA…Z0…9_-`, spelled out. Empty for `any`. */
  readonly alphabet: string;
  /** Every character that may come first, spelled out. Empty: no rule beyond `alphabet`. */
  readonly first: string;
  /** Texts that may not stand anywhere in the name (`--` in Roo Code). */
  readonly forbidden: readonly string[];
  /**
   * Stands between the three parts of a toolbox name though the pattern takes it nowhere else: `__` in `universal`
   * (BOX-8). Only in that style.
   */
  readonly partSeparator?: "__";
  /** Whole names that the client or provider keeps for itself (`no_tool` in TGI). Absent: none known. */
  readonly reserved?: readonly string[];
  readonly minLength: number;
  /** UTF-16 units; `Infinity` where nothing is known to cut. */
  readonly maxLength: number;
}

/** How the client rewrites the alias under which the gateway is registered, before it puts it into a prefix. */
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
 * How the client rewrites the characters of the tool's own name. Absent: it does not.
 * The words mean what they mean for `AliasRewrite`.
 * `hyphen`: every character outside A-Za-z0-9_.- becomes - (Microsoft Agent Framework).
 * `letters`: characters outside A-Za-z0-9_ and every ___ vanish, a start that is no letter gets an a (Amazon Q).
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

/** What the client does with a name that is too long once prefix and suffix are on. Absent: it sends it as it is. */
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

/** What the client makes of a name before the model or the provider sees it (RULE-4). */
export interface ClientTransformation {
  /** With `{server}` for the alias and `{index}` for a position: `mcp__{server}__`. Empty: none. */
  readonly prefix: string;
  /** As `prefix`, after the name: `_mcp_{server}`. `{digest}` stands for 20 digits. */
  readonly suffix: string;
  /** Longest prefix the client makes; a longer one is cut. */
  readonly prefixMaxLength?: number;
  readonly alias: AliasRewrite;
  /** The client leaves the prefix out when the name already starts with the alias. */
  readonly skipsPrefixOn?: "own-slug";
  /** The client adds the `mcp_` of its prefix only where the alias does not start with it (Gemini CLI). */
  readonly prefixesMcpOnce?: boolean;
  /** The client drops this much of the name's start when it repeats the alias, in any case (LibreChat). */
  readonly stripsOwnAlias?: boolean;
  /** The client shortens its own prefix, never the name (n8n). */
  readonly prefixYields?: boolean;
  /** The prefix counts towards the limit but is not sent (Cursor). */
  readonly countsOnly?: boolean;
  /** The client treats `-` and `_` as the same character when it compares names (Roo Code). */
  readonly equatesHyphens?: boolean;
  /** How the client rewrites the name itself. */
  readonly rewrite?: NameRewrite;
  /** What the client does past `cutAt`. */
  readonly cut?: NameCut;
  /** The client's own hard limit, past which it cuts; `sentMaxLength` may be a safer one below it. */
  readonly cutAt?: number;
  /** What is finally sent, prefix and suffix included. */
  readonly sentPattern: string;
  /** Limit on what is finally sent; the safe one where the data gives one. `Infinity` where none is known. */
  readonly sentMaxLength: number;
}

/** The rules of one client or provider. Made by `defineProfile` or built in. */
export interface Profile {
  readonly id: string;
  readonly title: string;
  readonly kind: "provider" | "client" | "specification";
  /** What is accepted, as its source states it. */
  readonly pattern: string;
  readonly minLength: number;
  /** Hard limit on the bare name, as its source states it. */
  readonly maxLength: number | undefined;
  /** Limit that is safe in every setting, where the source gives one below the hard limit. */
  readonly safeMaxLength?: number | undefined;
  /** First-character rule, as its source states it. */
  readonly firstChar: string | undefined;
  readonly prefixAddedByClient: string | undefined;
  readonly suffixAddedByClient: string | undefined;
  /** Hard limit on prefix and name together, as its source states it. */
  readonly combinedMaxLength: number | undefined;
  /** As `safeMaxLength`, for prefix and name together. */
  readonly safeCombinedMaxLength?: number | undefined;
  readonly maxTools: number | undefined;
  /** `false`: the client takes names that differ only in case for one. */
  readonly caseSensitive: boolean;
  /** Whether the client honours `tools/list_changed`; `undefined` where nobody looked. */
  readonly listChanged: boolean | undefined;
  readonly onViolation: string;
  readonly clientInfoNames: readonly string[];
  readonly userAgentHints: readonly string[];
  readonly confidence: Confidence;
  readonly asOf: string;
  /** The release that was run, where `confidence` is `observed`. */
  readonly version: string | undefined;
  /** The product is no longer offered. */
  readonly retired: boolean;
  /** Where locks that were written before a correction keep the names of this profile. */
  readonly lockedBefore?: { readonly id: string; readonly aliasMattered: boolean };
  /** Rules for the names Onym gives out; `maxLength` here does not yet know the client's prefix. */
  readonly rules: NameRules;
  readonly client: ClientTransformation;
  /** Nothing is restricted, so canonical names are shown as they are. */
  readonly unrestricted: boolean;
}
