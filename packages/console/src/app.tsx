// The frame: who is signed in, where one can go, and whether the gateway is there.

import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  ApiError,
  api,
  ask,
  canChange,
  isOnline,
  namesRevision,
  notice,
  read,
  setToken,
  token,
} from "./api.js";
import { Approvals } from "./pages/approvals.js";
import { Calls } from "./pages/calls.js";
import { Connect } from "./pages/connect.js";
import { Names } from "./pages/names.js";
import { Resolve } from "./pages/resolve.js";
import { Servers } from "./pages/servers.js";
import { Tool } from "./pages/tool.js";
import { useLoad } from "./parts/load.js";

const PAGES = [
  { id: "names", title: "Names", page: Names },
  { id: "resolve", title: "Resolve", page: Resolve },
  { id: "calls", title: "Calls", page: Calls },
  { id: "approvals", title: "Approvals", page: Approvals },
  { id: "servers", title: "Servers", page: Servers },
  { id: "connect", title: "Connect", page: Connect },
] as const;

const route = signal(location.hash.replace(/^#\/?/, ""));

export function App() {
  const isSigningIn = useSignal(location.hash.startsWith("#key="));
  useEffect(() => {
    const onHash = () => {
      if (location.hash.startsWith("#key=")) void signInByKey(location.hash.slice(5));
      else route.value = location.hash.replace(/^#\/?/, "");
    };
    addEventListener("hashchange", onHash);
    if (isSigningIn.value)
      void signInByKey(location.hash.slice(5)).finally(() => {
        isSigningIn.value = false;
      });
    return () => removeEventListener("hashchange", onHash);
  }, []);
  if (isSigningIn.value) return <main class="sign-in" aria-busy="true" />;
  return token.value === undefined ? <SignIn /> : <Frame />;
}

async function signInByKey(key: string): Promise<void> {
  // The key is used up with this, and does not stay in the history.
  history.replaceState(null, "", "#/names");
  route.value = "names";
  try {
    const response = await ask("/console/api/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key }),
    });
    setToken(((await response.json()) as { readonly token: string }).token);
    notice.value = undefined;
  } catch (error) {
    if (token.value === undefined)
      notice.value = error instanceof ApiError ? error.message : "The gateway does not answer.";
  }
}

function SignIn() {
  const text = useSignal("");
  const submit = async (event: Event) => {
    event.preventDefault();
    const given = text.value.trim();
    const key = /#key=([\w-]+)/.exec(given)?.[1];
    if (key !== undefined) return signInByKey(key);
    setToken(given);
    try {
      await read(api.me.$get());
      notice.value = undefined;
    } catch (error) {
      notice.value = error instanceof ApiError ? error.message : "The gateway does not answer.";
      setToken(undefined);
    }
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <h1>
          <Mark /> Onym
        </h1>
        <p>
          Open the link that <code>onym serve</code> printed; <code>onym status</code> prints a new one. It
          works once.
        </p>
        <label for="token">Or paste the link, or a token of yours</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="primary">
          Sign in
        </button>
        <p role="alert" class="error-text">
          {notice.value}
        </p>
      </form>
    </main>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <circle cx="16" cy="16" r="8" />
      <circle class="dot" cx="24" cy="24" r="3" />
    </svg>
  );
}

function Frame() {
  const { value: me } = useLoad(() => read(api.me.$get()), { everyMs: 3_000 });
  const [page = "names", ...rest] = route.value.split("/");
  const current = PAGES.find(({ id }) => id === page) ?? PAGES[0];
  canChange.value = me.value?.canChange ?? false;
  namesRevision.value = me.value?.namesRevision ?? "";
  useEffect(() => {
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
    document.title = `${page === "tool" ? "Tool" : current.title} · Onym`;
  }, [route.value]);
  const counts: Readonly<Record<string, number | undefined>> = {
    approvals: me.value?.waiting,
    servers: me.value?.down,
  };
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
        Skip to content
      </button>
      <header>
        <a class="brand" href="#/names">
          <Mark /> <span>Onym</span>
        </a>
        <nav aria-label="Pages">
          {PAGES.map(({ id, title }) => (
            <a
              key={id}
              href={`#/${id}`}
              aria-current={id === current.id && page !== "tool" ? "page" : undefined}
            >
              {title}
              {(counts[id] ?? 0) > 0 && (
                <span class="count" title={id === "servers" ? "down" : "waiting"}>
                  {counts[id]}
                </span>
              )}
            </a>
          ))}
        </nav>
        <div class="who">
          <span class="dim">{me.value === undefined ? "" : `${me.value.version}`}</span>
          <span class="principal" title="signed in as">
            {me.value?.principal}
          </span>
          {me.value !== undefined && !me.value.canChange && <span class="badge plain">read-only</span>}
          <button
            type="button"
            class="quiet"
            onClick={() => {
              void read(api["sign-out"].$post()).catch(() => {});
              setToken(undefined);
            }}
          >
            Sign out
          </button>
        </div>
      </header>
      <div class={isOnline.value ? "banner hidden" : "banner"} role="status">
        {isOnline.value ? "" : "The gateway does not answer. Trying again…"}
      </div>
      <main id="content" tabIndex={-1}>
        {page === "tool" ? <Tool id={decodeURIComponent(rest.join("/"))} /> : <current.page />}
      </main>
    </div>
  );
}
