// What Onym declares to downstreams in the legacy era: it may be asked all of this and finds out whom to put it to.

import type { JsonObject } from "../../mcp/json.js";

export const OWN_CAPABILITIES: JsonObject = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
};
