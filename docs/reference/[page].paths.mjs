import { commandsPage } from "../.vitepress/generate/commands.mjs";
import { configKeysPage } from "../.vitepress/generate/config-keys.mjs";

export default {
  paths: () => [
    { params: { page: "commands" }, content: commandsPage() },
    { params: { page: "config-keys" }, content: configKeysPage() },
  ],
};
