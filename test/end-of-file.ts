// What helpers of tests start and make for a test file is ended when its tests have run. Helpers are loaded once for many
// files, so a hook of their own would run after the first one alone.

import { afterAll } from "vitest";
import { endAll } from "./at-end.js";

afterAll(endAll);
