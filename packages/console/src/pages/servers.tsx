// Servers: how each is and what it said last; toolboxes, problems, renames, the lock.

import { useSignal } from "@preact/signals";
import { ApiError, api, ask, canChange, type Servers as Report, read } from "../api.js";
import { useLoad } from "../parts/load.js";
import { countOf } from "../parts/plots.js";
import { ago, Badge, Empty, plain, shortMs, Text } from "../parts/text.js";

type Server = Report["servers"][number];

const KINDS: Readonly<Record<string, "good" | "bad" | "warn" | "plain">> = {
  ready: "good",
  static: "good",
  starting: "plain",
  closed: "plain",
  unhealthy: "warn",
  failed: "bad",
};

export function Servers() {
  const { value, error, reload } = useLoad(() => read(api.servers.$get()), {
    everyMs: 3_000,
  });
  const trouble = useSignal<string | undefined>(undefined);
  const post = async (path: string, body: object) => {
    trouble.value = undefined;
    try {
      await ask(`/console/api/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    } catch (failure) {
      trouble.value = failure instanceof ApiError ? failure.message : "The gateway does not answer.";
    }
    reload();
  };
  const report = value.value;
  return (
    <section class="page narrow">
      <h1>Servers</h1>
      <p role="alert" class="error-text">
        {trouble.value ?? error.value}
      </p>
      {report?.servers.length === 0 && <Empty>The config has no servers yet.</Empty>}
      <div class="servers">
        {report?.servers.map((server) => (
          <ServerCard
            key={`${server.toolbox ?? ""}/${server.server}`}
            server={server}
            onRestart={() => void post("servers/restart", idOf(server))}
            onSignIn={() => void post("servers/sign-in", idOf(server))}
          />
        ))}
      </div>
      {report !== undefined && report.toolboxes.length > 0 && (
        <div class="card">
          <h2>Toolboxes</h2>
          <ul class="plain">
            {report.toolboxes.map(({ id, isOpen }) => (
              <li key={id} class="line">
                <Text value={id} mono />{" "}
                <Badge kind={isOpen ? "good" : "plain"}>{isOpen ? "open" : "closed"}</Badge>
                {report.canOpen && canChange.value && (
                  <button type="button" onClick={() => void post("toolboxes", { id, isOpen: !isOpen })}>
                    {isOpen ? "Close" : "Open"}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      {report !== undefined && report.problems.length + report.notes.length > 0 && (
        <div class="card">
          <h2>Problems</h2>
          <ul class="plain">
            {report.problems.map(({ code, severity, message }, index) => (
              <li key={index}>
                <Badge kind={severity === "error" ? "bad" : "warn"}>{severity}</Badge> {plain(message, 600)}{" "}
                <span class="dim">{code}</span>
              </li>
            ))}
            {report.notes.map((note) => (
              <li key={note} class="dim">
                {plain(note, 600)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {report !== undefined && report.renames.length > 0 && (
        <div class="card">
          <h2>Renames</h2>
          <ul class="plain">
            {report.renames.map(({ from, to, state, ends, policy, users }) => (
              <li key={`${from} ${to}`}>
                <Text value={from} mono /> → <Text value={to} mono />{" "}
                <span class="dim">
                  {policy}, {state}
                  {ends === undefined ? "" : `, until ${plain(ends, 60)}`}
                </span>
                {users.map(({ caller, count, lastAt }) => (
                  <div key={caller} class="warn-text">
                    still called by <Text value={caller} />: {count} times, last {ago(lastAt)}
                  </div>
                ))}
              </li>
            ))}
          </ul>
        </div>
      )}
      {report?.lock !== undefined && <LockCard lock={report.lock} />}
    </section>
  );
}

const DRIFT = [
  ["gone", "on record, but not there now; the names are kept"],
  ["redefined", "defined otherwise than on record"],
  ["unrecorded", "on no record yet; the first client that lists them changes that"],
] as const;

function LockCard({ lock }: { lock: NonNullable<Report["lock"]> }) {
  return (
    <article class="card" aria-label="Lock">
      <h2>Lock</h2>
      <p class="dim">
        {countOf(lock.names, "name")} of {countOf(lock.tools, "tool")} on record, {lock.kept} kept for tools
        that are not there now
      </p>
      <ul class="plain">
        {DRIFT.map(([kind, about]) => {
          const { count, first } = lock.drift[kind];
          return (
            count > 0 && (
              <li key={kind} class={kind}>
                {countOf(count, "tool")} {about}:{" "}
                {first.map((canonical) => (
                  <span key={canonical} class="chip">
                    <Text value={canonical} mono />
                  </span>
                ))}
                {count > first.length && "…"}
              </li>
            )
          );
        })}
      </ul>
    </article>
  );
}

function idOf({ server, toolbox }: Server) {
  return { server, ...(toolbox === undefined ? {} : { toolbox }) };
}

/** The page of the authorization server opens in a tab of its own: the address is shown for who blocks that. */
function SignIn({ server: { signIn }, onSignIn }: { server: Server; onSignIn: () => void }) {
  const address = signIn?.kind === "waiting" ? signIn.address : undefined;
  const isWebPage = address !== undefined && /^https?:/i.test(address);
  return (
    <div class="sign-in-to">
      {signIn?.kind === "failed" && <p class="bad-text">{plain(signIn.error, 1000)}</p>}
      {isWebPage ? (
        <p>
          <a class="button primary" href={address} target="_blank" rel="noopener noreferrer">
            Continue at {new URL(address).host}
          </a>{" "}
          <span class="dim">in a browser on the gateway's machine; this page goes on by itself</span>
        </p>
      ) : (
        <button type="button" class="primary" onClick={onSignIn}>
          Sign in
        </button>
      )}
    </div>
  );
}

function ServerCard({
  server,
  onRestart,
  onSignIn,
}: {
  server: Server;
  onRestart: () => void;
  onSignIn: () => void;
}) {
  const { state, reason, hint, latency } = server;
  return (
    <article class={`card server ${state}`} aria-label={`Server ${plain(server.server, 80)}`}>
      <div class="line">
        <h2>
          <Text value={server.server} />
          {server.toolbox !== undefined && (
            <span class="dim">
              {" "}
              in <Text value={server.toolbox} />
            </span>
          )}
        </h2>
        <Badge kind={KINDS[state] ?? "plain"}>{state}</Badge>
        <span class="dim">for {ago(server.since).replace(" ago", "")}</span>
        {canChange.value && state !== "static" && state !== "closed" && (
          <button type="button" class="quiet" onClick={onRestart}>
            Restart
          </button>
        )}
      </div>
      <p class="dim">
        {[
          countOf(server.toolCount, "tool"),
          ...(server.launch === "" ? [] : [server.launch]),
          ...(server.serverVersion === undefined ? [] : [`version ${plain(server.serverVersion, 40)}`]),
          ...(server.restarts === undefined || server.restarts === 0
            ? []
            : [countOf(server.restarts, "restart")]),
          ...(latency === undefined
            ? []
            : [
                `${countOf(latency.calls, "call")}, ${countOf(latency.errors, "error")}`,
                `p50 ${shortMs(latency.p50)}, p95 ${shortMs(latency.p95)}`,
              ]),
        ].join(" · ")}
      </p>
      {reason !== undefined && <p class="bad-text">{plain(reason, 1000)}</p>}
      {hint !== undefined && <p>{plain(hint, 1000)}</p>}
      {server.needsSignIn === true && canChange.value && <SignIn server={server} onSignIn={onSignIn} />}
      {server.listProblems.length > 0 && (
        <details>
          <summary>{countOf(server.listProblems.length, "problem")} with its lists</summary>
          <ul class="plain">
            {server.listProblems.slice(0, 50).map(({ message }, index) => (
              <li key={index}>{plain(message, 300)}</li>
            ))}
          </ul>
        </details>
      )}
      {server.log.length > 0 && (
        <details>
          <summary>
            Log <span class="dim">{countOf(server.log.length, "line")}</span>
          </summary>
          <pre class="prose log">{server.log.map((line) => plain(line, 500)).join("\n")}</pre>
        </details>
      )}
    </article>
  );
}
