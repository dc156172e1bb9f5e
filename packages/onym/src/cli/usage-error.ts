// A command line that asks for nothing that can be done: exit 2, like every usage mistake.

import { OnymError } from "../model/onym-error.js";

export function usageError(message: string, hint: string): OnymError {
  return new OnymError("usage", message, hint);
}
