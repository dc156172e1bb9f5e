// How V8 treats the memory of a process that runs for months, where its defaults are meant for shorter ones.

import { setFlagsFromString } from "node:v8";

/**
 * V8 learns at the start which places in the code make objects that last, and from then on makes theirs in old space. Of
 * a gateway it learns the wrong thing: what lasts while hundreds of servers are connected is over in a millisecond under
 * calls. Dead in old space, it keeps whole calls alive until the next full collection, and each costs half as much again.
 */
export function tuneMemory(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
