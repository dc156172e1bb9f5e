// A sign-in that did not come about: the other side refused it, did not answer, or is not to be trusted.

import { OnymError } from "@onym/core";

export const SIGN_IN_FAILED = "sign-in-failed";

export function signInError(message: string, hint: string): OnymError {
  return new OnymError(SIGN_IN_FAILED, message, hint);
}
