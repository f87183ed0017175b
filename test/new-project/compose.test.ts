// The users of the database in the compose file of a new project, on a real server.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createProject } from "../../src/generators/new/create-project.ts";
import { mariadb, queryRows } from "../servers/mariadb.ts";
import { postgresql, runStatement } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-compose-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Setup {
  /** Statements that the compose file runs on an empty volume. */
  readonly statements: readonly string[];
  /** Name of the database and of its user. */
  readonly name: string;
  /** Returns the URL of a database on a server with the user and the password of an env file. */
  readonly urlOf: (server: string, file: ".env" | ".env.test", database?: string) => string;
}

/** Creates a project with a name that no other test uses. PostgreSQL reserves role names that begin with `pg_`. */
function setUp(database: "postgresql" | "mariadb"): Setup {
  const path = join(folder, `pg-compose-${randomBytes(4).toString("hex")}`);
  const { root, database: name } = createProject({ path, database });
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  const [, password = ""] = /^DATABASE_PASSWORD=(.+)$/m.exec(read(".env")) ?? [];
  const [, script = ""] = /content: \|\n([^]*?)\n\n/.exec(read("compose.yaml")) ?? [];
  const statements = script.replace(/\$\{DATABASE_PASSWORD[^}]*\}/, password).split(/;\s*/);
  return {
    name,
    // The superuser of the server belongs to the machine of the tests.
    statements: statements.filter((statement) => statement !== "" && !statement.startsWith("alter role postgres")),
    urlOf: (server, file, otherDatabase) => {
      const url = new URL(/^DATABASE_URL=(.+)$/m.exec(read(file))?.[1] ?? "");
      url.host = new URL(server).host;
      if (otherDatabase !== undefined) url.pathname = `/${otherDatabase}`;
      return url.href;
    },
  };
}

await withServer(postgresql, (_, { url: server }) => {
  test("on PostgreSQL the users own their database, are no superusers, and cannot reach the other one", async (t) => {
    const { name, statements, urlOf } = setUp("postgresql");
    t.after(async () => {
      for (const database of [name, `${name}_test`]) {
        await runStatement(server, `drop database if exists ${database} with (force)`);
        await runStatement(server, `drop role if exists ${database}`);
      }
    });
    for (const statement of statements) await runStatement(server, statement);
    for (const file of [".env", ".env.test"] as const) {
      await runStatement(urlOf(server, file), "create table notes (id int)");
      for (const forbidden of ["create role other", "create database other", "copy notes to program 'true'"])
        await assert.rejects(
          runStatement(urlOf(server, file), forbidden),
          /permission denied|must be superuser/,
          forbidden,
        );
    }
    await assert.rejects(runStatement(urlOf(server, ".env.test", name), "select 1"), /permission denied/);
  });
});

await withServer(mariadb, (_, { url: server }) => {
  test("on MariaDB the users have rights on their database only", async (t) => {
    const { name, statements, urlOf } = setUp("mariadb");
    t.after(async () => {
      for (const database of [name, `${name}_test`]) {
        await queryRows(server, `drop database if exists ${database}`);
        await queryRows(server, `drop user if exists ${database}`);
      }
    });
    for (const statement of statements) await queryRows(server, statement);
    for (const file of [".env", ".env.test"] as const) {
      await queryRows(urlOf(server, file), "create table notes (id int)");
      for (const forbidden of ["create user other", "create database other", "select 1 into outfile '/tmp/limmat'"])
        await assert.rejects(queryRows(urlOf(server, file), forbidden), /denied|privilege/i, forbidden);
    }
    await assert.rejects(queryRows(urlOf(server, ".env.test", name), "select 1"), /denied/);
    await assert.rejects(queryRows(urlOf(server, ".env", `${name}_test`), "select 1"), /denied/);
  });
});
