import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isError } from "../../core/index.ts";
import { locate } from "./location.ts";

describe("the URL of a MariaDB database", () => {
  test("names host, port, user, password and database", () => {
    const { host, port, user, password, database, tls, where } = locate("mariadb://me:secret@db.example:3307/app");
    assert.deepEqual([host, port, user, password, database], ["db.example", 3307, "me", "secret", "app"]);
    assert.equal(tls, undefined);
    assert.equal(where, 'the database "app" at db.example:3307');
  });
  test("may leave out user, password and port", () => {
    const { host, port, user, password } = locate("mariadb://localhost/app");
    assert.deepEqual([host, port, user, password], ["localhost", 3306, undefined, undefined]);
  });
  test("may escape what has a meaning in URLs", () => {
    const { user, password, database } = locate("mysql://a%40b:p%2Fw%3A%25@h/my%20app");
    assert.deepEqual([user, password, database], ["a@b", "p/w:%", "my app"]);
  });
  test("may name an address of version 6", () => assert.equal(locate("mariadb://[::1]/app").host, "::1"));
  test("may name a Unix socket", () => {
    const { socket, where } = locate("mariadb://me@localhost/app?socket=/run/mysqld/mysqld.sock");
    assert.equal(socket, "/run/mysqld/mysqld.sock");
    assert.equal(where, 'the database "app" at /run/mysqld/mysqld.sock');
  });

  test("sslmode says how much of the certificate is checked", () => {
    const tls = (mode: string, host = "db.example"): ReturnType<typeof locate>["tls"] =>
      locate(`mariadb://${host}/app?sslmode=${mode}`).tls;
    assert.equal(tls("disable"), undefined);
    assert.equal(tls("require")?.rejectUnauthorized, false);
    assert.equal(tls("verify-full")?.rejectUnauthorized, true);
    assert.equal(tls("verify-full")?.checkServerIdentity, undefined);
    assert.equal(tls("verify-full")?.servername, "db.example");
    assert.equal(tls("verify-full", "127.0.0.1")?.servername, undefined);
    assert.equal(tls("verify-ca")?.rejectUnauthorized, true);
    assert.equal(tls("verify-ca")?.checkServerIdentity?.(), undefined);
  });
  test("certificates are read from files", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "limmat-mariadb-"));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const name of ["ca", "cert", "key"]) writeFileSync(join(folder, name), `the ${name}`);
    const { tls } = locate(
      `mariadb://h/app?sslmode=verify-full&sslrootcert=${folder}/ca&sslcert=${folder}/cert&sslkey=${folder}/key`,
    );
    assert.deepEqual([tls?.ca, tls?.cert, tls?.key], ["the ca", "the cert", "the key"]);
  });

  const wrong: Readonly<Record<string, readonly [url: string, says: RegExp]>> = {
    "no URL": ["me:canary@localhost", /mariadb:\/\/user:password@host/],
    "that of another database": ["postgresql://me:canary@localhost/app", /"postgresql:" is not for MariaDB/],
    "without a database": ["mariadb://me:canary@localhost", /names no database/],
    "with a broken escape": ["mariadb://me:canary%zz@localhost/app", /password has a %/],
    "with a parameter that is not known": ["mariadb://me:canary@localhost/app?ssl=true", /"ssl" is not known.*sslmode/],
    "with an sslmode that is not known": ["mariadb://me:canary@localhost/app?sslmode=on", /verify-full/],
    "with certificates, but no encryption": ["mariadb://me:canary@localhost/app?sslrootcert=x", /no sslmode/],
    "with a file that is missing": [
      "mariadb://me:canary@localhost/app?sslmode=verify-full&sslrootcert=/nothing/here.pem",
      /sslrootcert cannot be read: \/nothing\/here\.pem/,
    ],
  };
  for (const [title, [url, says]] of Object.entries(wrong)) {
    test(`${title} is an error that says so, without the password`, () => {
      assert.throws(
        () => locate(url),
        (error: unknown) =>
          isError(error, "E_DATABASE_URL") && says.test(error.message) && !error.message.includes("canary"),
      );
    });
  }
});
