// How V8 treats the memory of a process that runs for months, where its defaults are meant for shorter ones.

import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";

/**
 * V8 learns at the start which places in the code make objects that last, and from then on makes theirs in old space. Of
 * a gateway it learns the wrong thing: what lasts while hundreds of servers are connected is over in a millisecond under
 * calls. Dead in old space, it keeps whole calls alive until the next full collection, and each costs half as much again.
 */
export function tuneMemory(): void {
  // Versions of V8 that may not know the flag would complain.
  if (Number.parseInt(process.versions.v8, 10) <= 13) setFlagsFromString("--no-allocation-site-pretenuring");
}

/** Fewer tools leave little behind. */
const MANY_TOOLS = 1_000;
/** So long after the last large piece of work. */
const REST_MS = 250;
/** Whose turns are taken to more than this is not at rest. */
const MOST_BUSY = 0.5;
/** Beyond this the pause would be longer than the memory is worth. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * What is left of reading thousands of tools is several times what is kept, and a gateway at rest allocates so little
 * that V8 never comes to collect it. Told of each large piece of work, this has it collected once, when all is quiet.
 */
export function createTidying(): (tools: number) => void {
  let timer: NodeJS.Timeout | undefined;
  let before = performance.eventLoopUtilization();
  const wait = (): void => {
    clearTimeout(timer);
    before = performance.eventLoopUtilization();
    timer = setTimeout(tidy, REST_MS).unref();
  };
  const tidy = (): void => {
    if (performance.eventLoopUtilization(before).utilization > MOST_BUSY) wait();
    else if (getHeapStatistics().total_heap_size < MOST_BYTES) void collect();
  };
  return (tools) => {
    if (tools >= MANY_TOOLS) wait();
  };
}

/** The way that Node documents; what `--expose-gc` gives returns no memory to the system. */
async function collect(): Promise<void> {
  try {
    const { Session } = await import("node:inspector/promises");
    const session = new Session();
    session.connect();
    try {
      await session.post("HeapProfiler.collectGarbage");
    } finally {
      session.disconnect();
    }
  } catch {
    // A Node without inspector: the memory stays taken.
  }
}
