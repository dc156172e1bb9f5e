// Says in an editor what a key of the config is for.

import * as z from "zod/mini";

export function about<T extends z.core.$ZodType>(description: string, schema: T): z.ZodMiniOptional<T> {
  const optional = z.optional(schema);
  // Not as a check, which would make each of them twice.
  z.globalRegistry.add(optional, { description });
  return optional;
}
