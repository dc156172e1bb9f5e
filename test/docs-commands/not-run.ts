// Commands of the documentation that the tests do not run, each with the reason.

interface NotRun {
  readonly command: RegExp;
  readonly reason: string;
}

export const NOT_RUN: readonly NotRun[] = [
  {
    command: /^(docker|cp deploy\/example\.env|mkdir state) ?/,
    reason: "needs Docker; test/deploy.test.ts reads its files",
  },
  { command: /^kubectl /, reason: "needs a cluster; test/deploy.test.ts reads its files" },
  {
    command: /^(sudo|systemctl|journalctl) /,
    reason: "changes the machine; test/deploy.test.ts has the unit verified",
  },
  {
    command: /^onym service install$/,
    reason: "starts a service of the user's; packages/onym/src/cli/setup/service",
  },
  { command: /^pg_dump /, reason: "PostgreSQL's own" },
  {
    command: /^(claude|codex|gemini|droid|code) /,
    reason: "the client's own; docs/clients.md is written from the table of clients",
  },
  {
    command: /^npx -y @modelcontextprotocol\/inspector/,
    reason: "npm run test:newer-node installs and runs it",
  },
  { command: /^npx -y mcp-remote /, reason: "an address on the network, and goes on until it is stopped" },
  {
    command: /^onym audit tail --follow$/,
    reason: "goes on until it is stopped; packages/onym/src/cli/audit",
  },
  { command: /^source <\(onym completion zsh\)$/, reason: "for zsh: test/cli-completion.test.ts" },
  {
    command: /^npm install @onym\/core$/,
    reason: "from the registry; npm run packages installs the tarball",
  },
  { command: /^npm (ci|cit|test|start|run)\b/, reason: "takes minutes; that the script is there is tested" },
  { command: /^npx vitest run /, reason: "runs tests; that the file is there is tested" },
];
