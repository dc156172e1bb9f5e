// A database server that holds the line and says nothing: paused, overwhelmed, or behind a network that drops what is
// sent. Its own time limits do not help then, so every wait has one here.

export class SilentServer extends Error {
  readonly code = "ETIMEDOUT";
}

/** @throws SilentServer when it takes longer. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilentServer(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
