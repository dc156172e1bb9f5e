// Hot reload (CFG-4): the config in force, and how a changed file or SIGHUP replaces it, whole or not at all.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config/config.js";
import { checkedSnapshotSteps } from "../configured/snapshot-of.js";
import type { Gateway } from "../gateway/create-gateway.js";
import { runInSlices } from "../model/run-slices.js";
import { describeChanges, describeRejection, type InForce } from "./describe-gateway.js";
import type { LogOutput } from "./log-output.js";
import type { ConfigSource } from "./parts/config-source.js";
import { gatewaySettingsOf } from "./parts/gateway-settings.js";
import type { Callers } from "./parts/open-callers.js";
import type { Records } from "./parts/open-records.js";
import { type ConfigWatch, stampOf, watchConfig } from "./watch-config.js";

export interface ConfigReloadOptions {
  readonly source: ConfigSource;
  readonly gateway: Pick<Gateway, "adopt">;
  readonly records: Pick<Records, "guards" | "locks">;
  readonly callers: Pick<Callers, "check" | "adopt">;
  /** What the command line says instead of the config. */
  readonly override: { readonly as?: string; readonly profile?: string };
  /** Said instead of a reload: why no config can be adopted. */
  readonly refusal: string | undefined;
  readonly output: LogOutput;
}

/** Watches from its creation until it is closed. */
export class ConfigReload {
  readonly #options: ConfigReloadOptions;
  #inForce: InForce;
  #adopting = Promise.resolve();
  readonly #configWatch: ConfigWatch | undefined;
  #profilesWatch: ConfigWatch | undefined;
  readonly #trustWatch: ConfigWatch | undefined;

  constructor(options: ConfigReloadOptions) {
    const { config, settings, file, trustFile } = options.source;
    this.#options = options;
    this.#inForce = { config, settings };
    this.#configWatch = file === undefined ? undefined : watchConfig(file.path, file.stamp, this.#reload);
    this.#profilesWatch = this.#watchProfiles(config);
    this.#trustWatch =
      config.origin === "found" ? watchConfig(trustFile.path, trustFile.stamp, this.#reload) : undefined;
    process.on("SIGHUP", this.#reload);
  }

  get inForce(): InForce {
    return this.#inForce;
  }

  close(): void {
    this.#configWatch?.close();
    this.#trustWatch?.close();
    this.#profilesWatch?.close();
    process.off("SIGHUP", this.#reload);
  }

  /** One reload at a time, in the order of the changes. */
  readonly #reload = (): void => {
    this.#adopting = this.#adopting.then(() => this.#readAgain());
  };

  async #readAgain(): Promise<void> {
    const { refusal, output, source } = this.#options;
    const { file, shownFile } = source;
    if (refusal !== undefined) return output.say(`onym: ${refusal}`);
    if (file !== undefined && !existsSync(file.path)) {
      const gone = `the config ${shownFile} is gone; what was in force stays in force until it is back`;
      this.#inForce = { ...this.#inForce, rejection: gone };
      return output.warn(gone, { config: shownFile });
    }
    output.say(`onym: reading ${shownFile} again`, { config: shownFile });
    try {
      await this.#adopt(source.read());
    } catch (error) {
      // An invalid file changes nothing (CFG-4).
      this.#inForce = { ...this.#inForce, rejection: describeRejection(error) };
      output.fail(error, "the new config is not used");
    }
  }

  async #adopt(config: Config): Promise<void> {
    const { gateway, records, callers, override, output, source } = this.#options;
    const { env, today } = output.terminal;
    const settings = gatewaySettingsOf(config, env, override);
    await runInSlices(checkedSnapshotSteps(config, { lock: records.locks.tools.current(), today }));
    callers.check(config);
    await gateway.adopt(settings, await records.guards.guardFor(config));
    callers.adopt(config);
    const { text, facts } = describeChanges(this.#inForce, { config, settings });
    this.#inForce = { config, settings };
    this.#profilesWatch?.close();
    this.#profilesWatch = this.#watchProfiles(config);
    output.say(`onym: config in force: ${text}`, { ...facts, config: source.shownFile });
  }

  /** A file of profiles beside the config (RULE-7). */
  #watchProfiles({ profilesFile }: Config): ConfigWatch | undefined {
    if (profilesFile === undefined) return undefined;
    const file = resolve(this.#options.output.terminal.cwd, profilesFile);
    return watchConfig(file, stampOf(file), this.#reload);
  }
}
