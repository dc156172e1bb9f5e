// Where a gateway keeps its names: in files beside the config, or in a shared database.

import { resolve } from "node:path";
import { loadLock, lockFileOf } from "../../cli/names/lock/lock-file.js";
import type { Config } from "../../config/config.js";
import { createStoreKeeper } from "../../gateway/catalog/create-store-keeper.js";
import type { NameKeeper } from "../../gateway/catalog/name-lock.js";
import type { Log } from "../../model/log.js";
import type { Store } from "../../store/store.js";
import { createFileKeeper } from "./lock-keeper.js";

const PROMPT_LOCK_FILE = "onym.prompts.lock";

/**
 * A database serves many machines, so names are kept there; an empty one starts with the names of the file
 * beside the config. On one machine the files are the record.
 * @throws OnymError if the names cannot be read.
 */
export async function openNames({
  config,
  store,
  log,
}: {
  readonly config: Config;
  readonly store: Store | undefined;
  readonly log: Log;
}): Promise<{ readonly tools: NameKeeper; readonly prompts: NameKeeper }> {
  const files = { tools: lockFileOf(config), prompts: resolve(config.folder, PROMPT_LOCK_FILE) };
  if (store?.engine !== "postgres")
    return { tools: createFileKeeper(files.tools, log), prompts: createFileKeeper(files.prompts, log) };
  return {
    tools: await createStoreKeeper({ store, space: "tools", seed: loadLock(files.tools), log }),
    prompts: await createStoreKeeper({ store, space: "prompts", seed: loadLock(files.prompts), log }),
  };
}
