// Approvals: what waits, as the model sees it; and a decision about exactly that.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { ApiError, api, ask, canChange, type Approvals as Report, read } from "../api.js";

import { useLoad } from "../parts/load.js";
import { ago, Badge, Empty, Prose, plain, Text } from "../parts/text.js";
import { Changes } from "./tool.js";

type Pending = Report["pending"][number];

export function Approvals() {
  /** The last question of the page before. */
  const after = useSignal(0);
  const { value, error, reload } = useLoad(
    () => read(api.approvals.$get({ query: { after: String(after.value) } })),
    { everyMs: 3_000, key: String(after.value) },
  );
  const report = value.value;
  const top = useRef<HTMLHeadingElement>(null);
  const turnTo = (next: number): void => {
    after.value = next;
    top.current?.scrollIntoView();
  };
  return (
    <section class="page narrow">
      <h1 ref={top}>Approvals</h1>
      <p class="lead">
        Calls that a rule wants you to approve wait here. What you approve is the definition you see: another
        one asks again.
      </p>
      {error.value !== undefined && <p class="error-text">{error.value}</p>}
      {report !== undefined && report.pending.length === 0 && (
        <Empty>
          {!report.isKept
            ? "This gateway keeps no store, so nothing can wait."
            : report.total === 0
              ? "Nothing waits."
              : "Nothing more waits on this page."}
        </Empty>
      )}
      {report?.pending.map((pending) => (
        <Question key={pending.id} pending={pending} onDone={reload} />
      ))}
      {report !== undefined && report.total > report.pending.length && (
        <div class="actions" role="group" aria-label="Pages">
          <button type="button" disabled={after.value === 0} onClick={() => turnTo(0)}>
            First page
          </button>
          <button type="button" disabled={report.next === undefined} onClick={() => turnTo(report.next ?? 0)}>
            Next page
          </button>
          <span class="dim">
            {report.pending.length} of {report.total} that wait, the oldest first
          </span>
        </div>
      )}
      {report !== undefined && report.decided.length > 0 && (
        <>
          <h2>Decided</h2>
          <div class="table-box">
            <table class="plain-table">
              <thead>
                <tr>
                  <th scope="col">Decision</th>
                  <th scope="col">Tool</th>
                  <th scope="col">For</th>
                  <th scope="col">By</th>
                  <th scope="col">When</th>
                </tr>
              </thead>
              <tbody>
                {report.decided.map((each) => (
                  <tr key={each.id}>
                    <td>
                      <Badge kind={each.verdict === "approved" ? "good" : "bad"}>{each.verdict}</Badge>{" "}
                      <span class="dim">{describeEnd(each)}</span>
                    </td>
                    <td>
                      <Text value={each.tool} mono />
                    </td>
                    <td>
                      <Text value={each.principal} />
                    </td>
                    <td>
                      <Text value={each.by} />
                    </td>
                    <td class="dim">{ago(each.at)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  );
}

function Question({ pending, onDone }: { pending: Pending; onDone: () => void }) {
  const until = useSignal(dayAfter(30));
  const trouble = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const { definition } = pending;
  const decide = async (verdict: "approved" | "rejected", how: "once" | "always" | "until") => {
    isBusy.value = true;
    try {
      const end = how === "until" ? { until: new Date(`${until.value}T23:59:59`).getTime() } : {};
      await ask(`/console/api/approvals/${pending.id}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ verdict, how, digest: definition.digest, ...end }),
      });
      onDone();
    } catch (error) {
      trouble.value = error instanceof ApiError ? error.message : "The gateway does not answer.";
      onDone();
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <article class="card question" aria-label={`Question ${pending.id}`}>
      <h2>
        <Text value={pending.canonical} mono />
      </h2>
      <p class="dim">
        asked by <Text value={pending.principal} /> {ago(pending.askedAt)} · digest{" "}
        <Text value={definition.digest} mono />
      </p>
      {pending.changes.length > 0 && (
        <div class="changed">
          <h3>Changed since it was approved</h3>
          <Changes lines={pending.changes} />
        </div>
      )}
      <h3>What the model sees</h3>
      {definition.title !== undefined && <p>{plain(definition.title, 300)}</p>}
      <Prose value={definition.description ?? "(no description)"} />
      {definition.schema !== "" && (
        <details>
          <summary>Input</summary>
          <Prose value={definition.schema} />
        </details>
      )}
      {definition.annotations !== "" && (
        <details>
          <summary>Annotations</summary>
          <Prose value={definition.annotations} />
        </details>
      )}
      {canChange.value ? (
        <div class="actions">
          <button
            type="button"
            class="primary"
            disabled={isBusy.value}
            onClick={() => void decide("approved", "once")}
          >
            Allow once
          </button>
          <button type="button" disabled={isBusy.value} onClick={() => void decide("approved", "always")}>
            Always
          </button>
          <span class="joined">
            <button type="button" disabled={isBusy.value} onClick={() => void decide("approved", "until")}>
              Until
            </button>
            <input
              type="date"
              aria-label="Until which day"
              value={until.value}
              onInput={(event) => {
                until.value = event.currentTarget.value;
              }}
            />
          </span>
          <button
            type="button"
            class="danger"
            disabled={isBusy.value}
            onClick={() => void decide("rejected", "always")}
          >
            Deny
          </button>
        </div>
      ) : (
        <p class="dim">Only an operator decides.</p>
      )}
      <p role="alert" class="error-text">
        {trouble.value}
      </p>
    </article>
  );
}

function describeEnd({ isOnce, revoked, until }: Report["decided"][number]): string {
  const hasExpired = until !== undefined && (revoked === until || until <= Date.now());
  if (isOnce === true) return hasExpired ? "once, not used" : revoked === undefined ? "once" : "once, used";
  if (hasExpired) return "ended";
  if (revoked !== undefined) return "revoked";
  return until === undefined ? "" : `until ${new Date(until).toLocaleString()}`;
}

function dayAfter(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
