// How a server is signed in to, by `oauth` of its entry. Clients write a key of that name, too, with more in it.

import { quoteText } from "@onym/core";
import type { OAuthLaunch } from "../../model/launch.js";
import type { NoteProblem } from "../launches/launch-input.js";
import type { ServerEntry } from "../schema/config-schema.js";

interface SignedIn {
  readonly oauth?: ServerEntry["oauth"];
  readonly url?: string;
}

/** `undefined` where nothing is said: it is signed in to where it asks for that. */
export function readOAuth({ oauth }: SignedIn, note: NoteProblem): OAuthLaunch | false | undefined {
  if (oauth === undefined || oauth === false) return oauth;
  const {
    clientId,
    clientSecret,
    issuer,
    scopes,
    callbackPort,
    grant = "authorization_code",
  } = oauth === true ? {} : oauth;
  const missing = clientId === undefined ? "clientId" : "clientSecret";
  if (grant === "client_credentials" && (clientId === undefined || clientSecret === undefined))
    note(["oauth"], {
      code: "missing-key",
      message: `With "grant": "client_credentials" there has to be a "${missing}".`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a user writes.
      fix: 'Write both, the secret as a variable: "clientSecret": "${NAME}".',
    });
  else if (clientSecret !== undefined && clientId === undefined)
    note(["oauth", "clientSecret"], {
      code: "missing-key",
      message: "There is a secret, but no client that it belongs to.",
      fix: 'Write its "clientId", too.',
    });
  // Without it the secret would go to whichever authorization server the server names (SAFE-7).
  else if (clientSecret !== undefined && issuer === undefined)
    note(["oauth", "clientSecret"], {
      code: "missing-key",
      message: 'There is a secret, but no "issuer" that it may be sent to.',
      fix: 'Write the authorization server that it belongs to: "issuer": "https://login.example.com".',
    });
  if (issuer !== undefined && !/^https?:\/\/[^/?#]/.test(issuer))
    note(["oauth", "issuer"], {
      code: "bad-url",
      message: `${quoteText(issuer, 60)} is not the address of an authorization server.`,
      fix: 'Write it as the server names it, such as "https://login.example.com".',
    });
  const listed = typeof scopes === "string" ? scopes.split(/\s+/).filter((scope) => scope !== "") : scopes;
  const wrong = listed?.find((scope) => !/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope));
  if (wrong !== undefined)
    note(["oauth", "scopes"], {
      code: "bad-scope",
      message: `${quoteText(wrong, 60)} is no scope.`,
      fix: "Write each for itself, without blanks and quotes.",
    });
  return { clientId, clientSecret, issuer, scopes: listed, callbackPort, grant };
}
