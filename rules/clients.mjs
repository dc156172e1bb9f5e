// The clients of the lab. Each says what is installed, which profile stands for it, and how it is started.

import { LIBRARIES } from "./clients/libraries.mjs";
import { OPEN_TERMINALS } from "./clients/open-terminals.mjs";
import { TERMINALS } from "./clients/terminals.mjs";

export const CLIENTS = [...LIBRARIES, ...TERMINALS, ...OPEN_TERMINALS];
