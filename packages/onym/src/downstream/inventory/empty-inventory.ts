// What a downstream offers that has nothing to list: the tools of a static catalog stand in the config.

import type { Inventory } from "../downstream.js";

export const EMPTY_INVENTORY: Inventory = {
  capabilities: {},
  serverInfo: {},
  instructions: undefined,
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
  problems: [],
};
