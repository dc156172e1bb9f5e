// Scripted servers behind Onym, with a folder of their own, a count of their starts, and an end for all of it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Control, createControl, type Script } from "../servers/control.js";
import { type OnymSetup, type RunningOnym, startOnym } from "./harness.js";

export interface Stage {
  readonly control: Control;
  readonly folder: string;
  /** What a config says of a stdio server with this script. */
  readonly entry: (script: Script) => { readonly command: string; readonly args: string[] };
  readonly start: (setup: OnymSetup) => Promise<RunningOnym>;
  /** How often the server of a label was started. */
  readonly starts: (label: string) => number;
  /** From now on, servers of this label are never answered, so they never get ready. */
  readonly hold: (label: string) => void;
  readonly close: () => Promise<void>;
}

export async function createStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "onym-stage-"));
  const started = new Map<string, number>();
  const held = new Set<string>();
  const running: RunningOnym[] = [];
  const control = await createControl({
    admit(label) {
      started.set(label, (started.get(label) ?? 0) + 1);
      return held.has(label) ? new Promise(() => {}) : Promise.resolve();
    },
  });
  return {
    control,
    folder,
    entry: (script) => control.stdioEntry(script, folder),
    async start(setup) {
      const onym = await startOnym(setup);
      running.push(onym);
      return onym;
    },
    starts: (label) => started.get(label) ?? 0,
    hold: (label) => void held.add(label),
    async close() {
      await Promise.all(running.map((onym) => onym.stop()));
      await control.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
