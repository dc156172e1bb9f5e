// An ordinary run draws the same cases everywhere, so that a change is judged by what it changes. Commands that search for
// counterexamples (`npm run laws`, `npm run fuzz`) draw new ones each time; so does ONYM_SEED with another number.

import fc from "fast-check";

const isSearch = ["ONYM_LAW_TOTAL", "ONYM_FUZZ_INPUTS"].some((name) => process.env[name] !== undefined);
if (!isSearch) fc.configureGlobal({ seed: Number(process.env["ONYM_SEED"] ?? 1) });
