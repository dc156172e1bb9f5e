// Resolve: paste any text, see the steps light up to the answer or the reason.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, api, type Resolved, read } from "../api.js";
import { useLoad } from "../parts/load.js";
import { Text } from "../parts/text.js";

const ABOUT: Readonly<Record<string, string>> = {
  public: "a name in this client's table",
  canonical: "a canonical name",
  alias: "an alias or former name",
  spelling: "another spelling, such as with a client's prefix",
  transport: "an encoded name",
  version: "with another or no version",
  case: "in another case",
  context: "a raw name, in the context of its server",
};

export function Resolve() {
  const { value: names } = useLoad(() => read(api.names.$get()));
  const text = useSignal("");
  const profile = useSignal("universal");
  const result = useSignal<Resolved | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const wanted = text.value;
  const chosen = profile.value;
  useEffect(() => {
    if (wanted === "") {
      result.value = undefined;
      return;
    }
    let isCurrent = true;
    // One question for a word, not one for each letter.
    const timer = setTimeout(() => {
      read(api.resolve.$get({ query: { text: wanted, profile: chosen } }))
        .then((found) => {
          if (isCurrent) [result.value, error.value] = [found, undefined];
        })
        .catch((failure: unknown) => {
          if (isCurrent && failure instanceof ApiError) error.value = failure.message;
        });
    }, 120);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [wanted, chosen]);
  const found = result.value;
  return (
    <section class="page narrow">
      <h1>Resolve</h1>
      <p class="lead">Any text that a model or a client sends: which tool does it mean, and by which step?</p>
      <div class="fields">
        <label class="grow">
          Text
          <input
            value={text.value}
            placeholder="mcp__onym__sf_get_leads"
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
        </label>
        <label>
          Client
          <select
            value={profile.value}
            onChange={(event) => {
              profile.value = event.currentTarget.value;
            }}
          >
            {(names.value?.profiles ?? [{ id: "universal", title: "Universal" }]).map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error.value !== undefined && <p class="error-text">{error.value}</p>}
      <ol class="steps" aria-live="polite">
        {(found?.steps ?? Object.keys(ABOUT).map((step) => ({ step, outcome: "idle" }))).map((each) => (
          <li key={each.step} class={`step ${each.outcome.replaceAll(" ", "-")}`}>
            <b>{each.step}</b>
            <span class="dim">{ABOUT[each.step]}</span>
            <span class="outcome">{each.outcome === "idle" ? "" : each.outcome}</span>
          </li>
        ))}
      </ol>
      {found !== undefined && <Verdict found={found} />}
    </section>
  );
}

function Verdict({ found }: { found: Resolved }) {
  return (
    <div class={`card verdict ${found.outcome}`}>
      {found.tool !== undefined && (
        <p class="big">
          →{" "}
          <a href={`#/tool/${encodeURIComponent(found.tool.key)}`}>
            <Text value={found.tool.canonical} mono />
          </a>
          <span class="dim">
            {" "}
            of <Text value={found.tool.server} />
          </span>
        </p>
      )}
      {found.outcome === "unknown" && <p class="big">Nobody has this name.</p>}
      {found.outcome === "ambiguous" && <p class="big">Two tools claim it, so it is nobody's.</p>}
      {found.outcome === "retired" && <p class="big">It was a name once, and is nobody's now.</p>}
      {found.fix !== undefined && <p>{found.fix}</p>}
      {found.successor !== undefined && (
        <p>
          Call <Text value={found.successor} mono /> instead.
        </p>
      )}
      {found.candidates.length > 0 && <List title="It could be" items={found.candidates} />}
      {found.suggestions.length > 0 && <List title="Did you mean" items={found.suggestions} />}
      {found.warnings.map((warning) => (
        <p key={warning} class="warn-text">
          {warning}
        </p>
      ))}
    </div>
  );
}

function List({ title, items }: { title: string; items: readonly string[] }) {
  return (
    <p>
      {title}:{" "}
      {items.map((item) => (
        <span key={item} class="chip">
          <Text value={item} mono />
        </span>
      ))}
    </p>
  );
}
