// Converts a checked config to the gateway's settings.

import type { Config } from "../../config/config.js";
import type { Environment } from "../../config/json/expand-variables.js";
import { leadsBack } from "../../config/launches/leads-back.js";
import { loadLaunches } from "../../config/launches/load-launches.js";
import { filtersOf, passesFilters } from "../../config/sections/tool-filters.js";
import { profileOf } from "../../configured/profile-of.js";
import type { GatewaySettings } from "../../gateway/settings.js";

/** @throws OnymError `config-invalid` or `unknown-profile`. Starts nothing. */
export function gatewaySettingsOf(
  config: Config,
  env: Environment,
  override: { readonly as?: string | undefined; readonly profile?: string | undefined } = {},
): GatewaySettings {
  const launches = loadLaunches(config, env);
  const { naming, onUnknown } = config;
  if (override.profile !== undefined) profileOf(override.profile, config.profiles);
  return {
    servers: [...launches]
      // A client's file may contain Onym itself; starting it would recurse without end.
      .filter(([server, launch]) => !leadsBack(server, launch, config))
      .map(([{ source, entry }, launch]) => {
        return { source, launch, admits: admissionBy(filtersOf(entry)) };
      }),
    toolboxes: config.toolboxes,
    mode: config.mode ?? "static",
    isWorkbench: config.isWorkbench,
    naming: { ...naming, as: override.as ?? naming.as, profile: override.profile ?? naming.profile },
    profiles: config.profiles,
    renames: config.renames,
    strict: config.strict,
    passthrough: onUnknown.kind === "passthrough" ? onUnknown : undefined,
    limits: config.limits,
  };
}

/** By filters: with the same function for the same filters, a reload reads nothing again that stays as it was. */
const admissions = new Map<string, (raw: string) => boolean>();

function admissionBy(filters: readonly string[] | undefined): (raw: string) => boolean {
  const key = JSON.stringify(filters ?? null);
  const made = admissions.get(key) ?? ((raw: string): boolean => passesFilters(raw, filters));
  admissions.set(key, made);
  return made;
}
