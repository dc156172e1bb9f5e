// Copies the version of the packages to where else it stands, after changesets has set it. Part of `npm run release:version`.

import { readFileSync, writeFileSync } from "node:fs";

const file = (path) => new URL(`../${path}`, import.meta.url);
const { version } = JSON.parse(readFileSync(file("packages/onym/package.json"), "utf8"));

replace("server.json", /("version": ")[^"]+/g);
replace("deploy/kubernetes.yaml", /(image: onym:)\S+/g);

function replace(path, pattern) {
  const text = readFileSync(file(path), "utf8");
  writeFileSync(
    file(path),
    text.replace(pattern, (_, before) => `${before}${version}`),
  );
}
