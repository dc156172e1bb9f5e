// Who sits at this machine, as decisions name them.

import { userInfo } from "node:os";

export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no account has.
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
