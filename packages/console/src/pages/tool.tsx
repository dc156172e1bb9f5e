// One tool, all there is to know of it.

import { api, read } from "../api.js";
import { useLoad } from "../parts/load.js";
import { ago, Badge, Empty, Prose, plain, Text } from "../parts/text.js";
import { CallRows } from "./calls.js";

/** More are folded away. */
const MAX_PROFILES = 6;

export function Tool({ id }: { id: string }) {
  const { value, error } = useLoad(() => read(api.tool.$get({ query: { key: id } })), {
    everyMs: 5_000,
    key: id,
  });
  const tool = value.value;
  if (error.value !== undefined && tool === undefined) return <Empty>{error.value}</Empty>;
  if (tool === undefined) return <p class="empty" aria-busy="true" />;
  return (
    <section class="page narrow">
      <p class="crumbs">
        <a href="#/names">Names</a> / <Text value={tool.server} />
      </p>
      <h1 class="mono-title">
        <Text value={tool.canonical} max={160} mono />
      </h1>
      <p class="dim">
        {tool.definition.title === undefined ? "" : `${plain(tool.definition.title, 200)} · `}integration
        version {tool.versions.integration}, tool version {tool.versions.tool}
        {tool.versions.server === undefined ? "" : `, server ${plain(tool.versions.server, 40)}`}
      </p>
      <div class="columns">
        <div class="card">
          <h2>Identity</h2>
          <dl>
            {tool.layers.map(({ layer, value: text }) => (
              <div key={layer}>
                <dt>{layer}</dt>
                <dd>
                  {text === null ? (
                    <span class="dim">none until it is called</span>
                  ) : (
                    <Text value={text} mono />
                  )}
                </dd>
              </div>
            ))}
            <div>
              <dt>raw name</dt>
              <dd>
                <Text value={tool.raw} mono />
              </dd>
            </div>
          </dl>
        </div>
        <div class="card">
          <h2>Who may call it</h2>
          <ul class="plain">
            {tool.policy.map(({ caller, effect, rule, why }) => (
              <li key={caller}>
                <Badge kind={effect === "allow" ? "good" : effect === "ask" ? "warn" : "bad"}>{effect}</Badge>{" "}
                <Text value={caller} />{" "}
                <span class="dim">
                  by {plain(rule, 80)}
                  {why === undefined ? "" : `: ${plain(why, 200)}`}
                </span>
              </li>
            ))}
          </ul>
          {tool.former.length > 0 && (
            <>
              <h2 class="next">Was called</h2>
              <ul class="plain">
                {tool.former.map((name) => (
                  <li key={name}>
                    <Text value={name} mono />
                  </li>
                ))}
              </ul>
            </>
          )}
          <h2 class="next">Found by</h2>
          <ul class="plain spellings">
            {tool.spellings.map(({ text, step }) => (
              <li key={text}>
                <Text value={text} mono /> <span class="dim">{step}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <div class="card">
        <h2>Names in {tool.names.reduce((sum, { profiles }) => sum + profiles.length, 0)} profiles</h2>
        <table class="plain-table names">
          <tbody>
            {tool.names.map(({ name, why, profiles }) => (
              <tr key={name}>
                <td>{name === "" ? <span class="bad-text">no name</span> : <Text value={name} mono />}</td>
                <td class="dim">{plain(why, 200)}</td>
                <td class="dim wrap">
                  {profiles.length <= MAX_PROFILES ? (
                    profiles.join(", ")
                  ) : (
                    <details>
                      <summary>{profiles.length} profiles</summary>
                      {profiles.join(", ")}
                    </details>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {tool.history.length > 0 && (
          <details>
            <summary>Names on record ({tool.history.length})</summary>
            <ul class="plain">
              {tool.history.map(({ name, profile, state }) => (
                <li key={`${profile} ${name}`}>
                  <Text value={name} mono />{" "}
                  <span class="dim">
                    {plain(profile, 80)} · {state}
                  </span>
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <div class="card">
        <h2>Definition</h2>
        <p class="dim">
          as the model sees it · digest <Text value={tool.definition.digest} mono />
        </p>
        {tool.definition.description !== undefined && <Prose value={tool.definition.description} />}
        {tool.definition.schema !== "" && (
          <details>
            <summary>Input</summary>
            <Prose value={tool.definition.schema} />
          </details>
        )}
        {tool.definition.annotations !== "" && (
          <details>
            <summary>Annotations</summary>
            <Prose value={tool.definition.annotations} />
          </details>
        )}
        {tool.past.map((past) => (
          <details key={`${past.digest} ${past.at}`}>
            <summary>
              {past.verdict} {ago(past.at)} by {plain(past.by, 60)} for {plain(past.principal, 60)}:{" "}
              {past.changes.length === 0 ? "as it is now" : "another definition"}
            </summary>
            <Changes lines={past.changes} />
          </details>
        ))}
      </div>
      <div class="card">
        <h2>Calls</h2>
        {tool.calls.length === 0 ? <Empty>None since the start.</Empty> : <CallRows calls={tool.calls} />}
      </div>
    </section>
  );
}

export function Changes({ lines }: { lines: readonly string[] }) {
  return (
    <ul class="changes">
      {lines.map((line) => (
        <li key={line} class={line.split(" ", 1)[0] ?? ""}>
          {plain(line)}
        </li>
      ))}
    </ul>
  );
}
