// Connect: choose a client, copy exactly what registers this gateway in it.

import { useSignal } from "@preact/signals";
import { api, read, token } from "../api.js";
import { useLoad } from "../parts/load.js";
import { plain } from "../parts/text.js";

export function Connect() {
  const { value } = useLoad(() => read(api.connect.$get()));
  const picked = useSignal("claude-code");
  const query = useSignal("");
  // A caller who signed in with a token of its own has it at hand.
  const given = useSignal(token.value?.startsWith("onym-console-") === true ? "" : (token.value ?? ""));
  const withToken = (text: string) =>
    given.value.trim() === "" ? text : text.replaceAll("Bearer TOKEN", () => `Bearer ${given.value.trim()}`);
  const report = value.value;
  const client = report?.clients.find(({ id }) => id === picked.value);
  const text = query.value.toLowerCase();
  return (
    <section class="page narrow">
      <h1>Connect</h1>
      <p class="lead">How to register this gateway in a client, ready to copy.</p>
      {report?.isDemo === true && (
        <p>
          <b>This is the demo.</b> Its servers and addresses are gone when it ends. The command below connects
          your own servers instead, which Onym then keeps in your own config.
        </p>
      )}
      <div class="connect">
        <div>
          <input
            type="search"
            aria-label="Search clients"
            placeholder="Search clients"
            value={query.value}
            onInput={(event) => {
              query.value = event.currentTarget.value;
            }}
          />
          <div class="choices list" role="radiogroup" aria-label="Client">
            {report?.clients
              .filter(({ id, title }) => `${id} ${title}`.toLowerCase().includes(text))
              .map(({ id, title }) => (
                <label key={id} class={id === picked.value ? "chosen" : ""}>
                  <input
                    type="radio"
                    name="client"
                    checked={id === picked.value}
                    onChange={() => {
                      picked.value = id;
                    }}
                  />
                  {title}
                </label>
              ))}
          </div>
        </div>
        <div>
          {client !== undefined && report !== undefined && (
            <>
              <h2>Onym in {client.title}</h2>
              {report.needsToken && (
                <div class="fields">
                  <label class="grow">
                    <span>
                      The client's token (<code>onym token NAME</code> makes one; it stays in this page)
                    </span>
                    <input
                      type="password"
                      autocomplete="off"
                      placeholder="TOKEN"
                      value={given.value}
                      onInput={(event) => {
                        given.value = event.currentTarget.value;
                      }}
                    />
                  </label>
                </div>
              )}
              {client.command !== undefined && (
                <div class="way">
                  <p>
                    <b>{report.isDemo ? "Connect your own servers" : "Let Onym write it"}</b>{" "}
                    <span class="dim">
                      {client.command.startsWith("npx ")
                        ? "run this in the folder of Onym's clone"
                        : "run this"}
                      ; with --undo at its end, it puts everything back
                    </span>
                  </p>
                  <Copy text={client.command} />
                </div>
              )}
              {client.needs !== undefined && <p>{plain(client.needs, 600)}</p>}
              {client.ways.map((way) => (
                <div key={`${way.transport} ${way.where ?? ""} ${way.text}`} class="way">
                  <p>
                    <b>
                      {way.transport === "stdio"
                        ? "It starts Onym itself"
                        : client.needs !== undefined
                          ? "It connects to this gateway at its public address"
                          : `It connects to this ${report.isDemo ? "demo, while it runs" : "gateway"}`}
                    </b>{" "}
                    <span class="dim">
                      {way.kind === "run"
                        ? "run"
                        : way.kind === "write"
                          ? `add to ${way.where}`
                          : `enter under ${way.where}`}
                    </span>
                  </p>
                  <Copy text={withToken(way.text)} />
                </div>
              ))}
              {client.remark !== undefined && client.ways.length > 0 && (
                <p class="dim">{plain(client.remark, 600)}</p>
              )}
              {client.ways.length > 0 && (
                <p class="dim">
                  Register it as <code>{plain(report.as, 60)}</code>: names are fitted to that.
                </p>
              )}
            </>
          )}
        </div>
      </div>
    </section>
  );
}

function Copy({ text }: { text: string }) {
  const isCopied = useSignal(false);
  return (
    <div class="copy">
      <pre class="prose">{plain(text)}</pre>
      <button
        type="button"
        onClick={() => {
          void navigator.clipboard.writeText(text).then(() => {
            isCopied.value = true;
            setTimeout(() => {
              isCopied.value = false;
            }, 1_500);
          });
        }}
      >
        {isCopied.value ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
