// How another gateway names tools, as data: templates, what becomes of the server's id, and where that is known from.

export interface NamingSystem {
  readonly id: string;
  readonly title: string;
  /** Every form in which it shows or showed a tool. The first is what it shows today unless its config says otherwise. */
  readonly forms: readonly NameForm[];
  /** Where the rule is written down: a file of its source, or a page of its documentation. */
  readonly source: string;
  /** The day of the version that was read; absent where that is not known. */
  readonly asOf?: string;
}

interface NameForm {
  /** With `{toolbox}`, `{server}` and `{tool}`. A form that needs a toolbox gives no name to a tool outside of one. */
  readonly template: string;
  /** What becomes of the server's id before it is filled in. */
  readonly server?: IdRewrite;
  /** When it is shown, where that is not always: for people. */
  readonly when?: string;
}

/** `drop-invalid`: what is not of A-Za-z0-9_- goes. `spaces`: a space becomes an underscore. */
type IdRewrite = "drop-invalid" | "spaces";

const REWRITES: Readonly<Record<IdRewrite, (id: string) => string>> = {
  "drop-invalid": (id) => id.replace(/[^A-Za-z0-9_-]/g, ""),
  spaces: (id) => id.replaceAll(" ", "_"),
};

export interface NamedParts {
  readonly toolbox: string | undefined;
  readonly server: string;
  readonly raw: string;
}

/**
 * The name of a tool in one form; `undefined` where the form does not apply to it.
 *
 * @example
 * formatName({ template: "{server}__{tool}" }, { toolbox: undefined, server: "crm", raw: "find" }); // "crm__find"
 */
function formatName(
  { template, server: rewrite }: NameForm,
  { toolbox, server, raw }: NamedParts,
): string | undefined {
  if (toolbox === undefined && template.includes("{toolbox}")) return undefined;
  const parts: ReadonlyMap<string, string> = new Map([
    ["{toolbox}", toolbox ?? ""],
    ["{server}", rewrite === undefined ? server : REWRITES[rewrite](server)],
    ["{tool}", raw],
  ]);
  return template.replace(/\{(?:toolbox|server|tool)\}/g, (part) => parts.get(part) ?? "");
}

/** Every name that the system shows or showed for a tool, each once, today's first. */
export function namesIn({ forms }: Pick<NamingSystem, "forms">, parts: NamedParts): readonly string[] {
  return [...new Set(forms.flatMap((form) => formatName(form, parts) ?? []))];
}
