// Says in an editor what a key of the config is for.

import * as z from "zod/mini";

export function about<T extends z.core.$ZodType>(description: string, schema: T): z.ZodMiniOptional<T> {
  return z.optional(schema).check(z.describe(description)) as z.ZodMiniOptional<T>;
}
