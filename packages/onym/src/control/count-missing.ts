// Whether it is Onym that answers at an address, from what it tells everybody there.

const ANSWER_MS = 2_000;
const LARGEST = 1_000_000;

/**
 * How many servers the Onym there does without, as far as it tells who has no token; `undefined` where it is not Onym, or does not
 * answer.
 */
export async function countMissing(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: "manual" });
    if (Number(response.headers.get("content-length") ?? 0) > LARGEST) return undefined;
    const body: unknown = await response.json();
    if (Reflect.get(Object(body), "name") !== "onym") return undefined;
    const servers: unknown = Reflect.get(Object(body), "servers");
    if (!Array.isArray(servers)) return 0;
    return servers.filter((server) => Reflect.get(Object(server), "state") !== "ready").length;
  } catch {
    return undefined;
  }
}
