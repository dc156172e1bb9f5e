import { expect, it } from "vitest";
import { createHideSecrets } from "../hide-secrets.js";
import { createHttpClient, type HttpLaunch } from "./http-client.js";

it.each<[string, string]>([
  ["a path segment that is a key", "/s/MGI3YzQ2ZmUtOWU1Zi00aQ/mcp"],
  ["a UUID", "/server/0b7c46fe-9e5f-4a1b-8c2d-1234567890ab/mcp"],
])("says why there is no token without the secrets of the address: %s (SAFE-7)", async (_, path) => {
  const launch: HttpLaunch = { kind: "http", url: `https://host.example${path}`, headers: new Map() };
  // The metadata of a server is compared with its whole address.
  const reason = `The metadata of the server is about nothing, not about "${launch.url}".`;
  const client = createHttpClient(launch, createHideSecrets(launch), {
    header: () => undefined,
    obtain: async () => ({ kind: "trouble", reason, hint: "Sign in." }),
    refused: async () => ({ kind: "trouble", reason, hint: "Sign in." }),
    needsSignIn: () => true,
    onSignIn: () => {},
    secrets: () => [],
    close: () => {},
  });
  const shown = `https://host.example${path.replace(/[^/]{20,}/, "[hidden]")}`;
  expect(await client.request({ method: "POST", headers: new Map(), body: "{}" })).toMatchObject({
    kind: "failed",
    reason: `${shown}: The metadata of the server is about nothing, not about "${shown}".`,
  });
  await client.close();
});
