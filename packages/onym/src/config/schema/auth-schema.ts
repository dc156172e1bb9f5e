// The shape of the section `auth`, in zod: who may connect over HTTP.

import * as z from "zod/mini";
import { about } from "./about.js";

const text = z.string();
const filled = text.check(z.minLength(1, "a text that is not empty"));
const texts = z.array(text);

/** What a caller gets once it is known who it is. */
const terms = {
  profile: about("The client or provider to name for, where the client does not say.", text),
  as: about("The name under which this client has registered the gateway.", filled),
  toolboxes: about("The only toolboxes it sees and calls; all tools where it is not said.", texts),
};

const token = z.strictObject({
  name: filled.check(z.describe("Who this is, in rules, approvals and records.")),
  hash: text.check(z.describe("sha256:HEX of the token, as onym token prints it; never the token itself.")),
  ...terms,
  expires: about(
    "The last day on which it works, YYYY-MM-DD, or the moment at which it ends.",
    z.union([z.iso.date(), z.iso.datetime({ offset: true })], "a day as YYYY-MM-DD, or a moment in ISO 8601"),
  ),
});

const grant = z.strictObject({
  claims: about('Claim → what it must be or hold, such as {"groups": "admins"}.', z.record(text, text)),
  scope: about("A scope that it must have.", filled),
  ...terms,
});

const issuer = z.strictObject({
  issuer: filled.check(z.describe("The authorization server, exactly as it names itself.")),
  audience: about(
    "Whom its tokens must be meant for; the address of the gateway where it is not said.",
    z.union([filled, z.array(filled)], "a text, or a list of texts"),
  ),
  jwksUri: about("Where its keys are; found through its metadata where it is not said.", text),
  scopes: about("Scopes that every token must have.", texts),
  map: about(
    "What callers get, by what their token says: the first that fits. Others are refused.",
    z.array(grant),
  ),
});

export const authSection = z.strictObject({
  url: about("The address that clients use, such as https://onym.example.com/mcp.", text),
  tokens: about("Tokens of Onym's own, by their digest.", z.array(token)),
  oauth: about(
    "Authorization servers whose tokens are taken.",
    z.union([issuer, z.array(issuer)], "an object, or a list of objects"),
  ),
});
