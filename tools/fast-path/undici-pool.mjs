// The one part of undici that the program uses, in place of the whole in the bundle. The source imports `undici`, and so do its unit
// tests; an import of more than this fails the build.
// 2026-11-17, Node 20.20: loading takes 21 ms of CPU instead of 62 ms, and a gateway with one HTTP server is ready after 350 ms
// instead of 400 ms, medians in turns (docs/decisions/0105). packages/onym/src/downstream/http/undici-pool.test.ts holds one
// against the other.

import api from "undici/lib/api/index.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import Pool from "undici/lib/dispatcher/pool.js";

// As its index does.
Object.assign(Dispatcher.prototype, api);

export { Pool };
