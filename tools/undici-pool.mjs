// What the product uses of undici, in its place in the bundle: the whole of it takes ten times as long to load.
// An import of more than this fails the build.

import api from "undici/lib/api/index.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import Pool from "undici/lib/dispatcher/pool.js";

// As its index does.
Object.assign(Dispatcher.prototype, api);

export { Pool };
