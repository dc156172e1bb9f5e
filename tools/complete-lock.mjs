// Adds to package-lock.json the optional packages of other platforms that were not offered when it was written.
// npm 11 refuses a lock that leaves out an optional dependency, even one that this platform never installs.
// Run it after `npm install` where a mirror carries the packages of one platform only: node tools/complete-lock.mjs [LOCK]

import { readFileSync, writeFileSync } from "node:fs";

const file = process.argv[2] ?? new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
const added = new Map();

for (const [place, { optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(optionalDependencies)) {
    const top = `node_modules/${name}`;
    if (lock.packages[top] ?? lock.packages[`${place}/${top}`]) continue;
    added.set(top, describe(name, range));
  }
}
lock.packages = Object.fromEntries(
  [...Object.entries(lock.packages), ...added].sort(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added.size} optional packages added`);

/** Which platform a package is for stands in its name: `…-linux-arm64-musl`. */
function describe(name, range) {
  const platform =
    /-(android|darwin|linux|win32|freebsd|openharmony|netbsd|openbsd|sunos|aix)-([a-z0-9]+)/.exec(name);
  const libc =
    name.endsWith("musl") || name.includes("musl") ? ["musl"] : /gnu/.test(name) ? ["glibc"] : undefined;
  return {
    version: range.replace(/^[^0-9]*/, ""),
    cpu: [platform?.[2] ?? "wasm32"],
    dev: true,
    ...(libc === undefined ? {} : { libc }),
    optional: true,
    ...(platform === null ? {} : { os: [platform[1]] }),
  };
}
