import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isError } from "../../core/index.ts";
import { parseMariadbUrl } from "./location.ts";

describe("the URL of a MariaDB database", () => {
  test("contains host, port, user, password and database", () => {
    const { host, port, user, password, database, tls, description } = parseMariadbUrl(
      "mariadb://me:secret@db.example:3307/app",
    );
    assert.deepEqual([host, port, user, password, database], ["db.example", 3307, "me", "secret", "app"]);
    assert.equal(tls, undefined);
    assert.equal(description, 'the database "app" at db.example:3307');
  });
  test("may omit user, password and port", () => {
    const { host, port, user, password } = parseMariadbUrl("mariadb://localhost/app");
    assert.deepEqual([host, port, user, password], ["localhost", 3306, undefined, undefined]);
  });
  test("may contain percent-encoded characters", () => {
    const { user, password, database } = parseMariadbUrl("mysql://a%40b:p%2Fw%3A%25@h/my%20app");
    assert.deepEqual([user, password, database], ["a@b", "p/w:%", "my app"]);
  });
  test("may contain an IPv6 address", () => assert.equal(parseMariadbUrl("mariadb://[::1]/app").host, "::1"));
  test("may contain the path of a Unix socket", () => {
    const { socket, description } = parseMariadbUrl("mariadb://me@localhost/app?socket=/run/mysqld/mysqld.sock");
    assert.equal(socket, "/run/mysqld/mysqld.sock");
    assert.equal(description, 'the database "app" at /run/mysqld/mysqld.sock');
  });

  test("sslmode selects the verification of the certificate", () => {
    const tls = (mode: string, host = "db.example"): ReturnType<typeof parseMariadbUrl>["tls"] =>
      parseMariadbUrl(`mariadb://${host}/app?sslmode=${mode}`).tls;
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
    const { tls } = parseMariadbUrl(
      `mariadb://h/app?sslmode=verify-full&sslrootcert=${folder}/ca&sslcert=${folder}/cert&sslkey=${folder}/key`,
    );
    assert.deepEqual([tls?.ca, tls?.cert, tls?.key], ["the ca", "the cert", "the key"]);
  });

  const invalid: Readonly<Record<string, readonly [url: string, message: RegExp]>> = {
    "that is no URL": ["me:canary@localhost", /mariadb:\/\/user:password@host/],
    "with another protocol": ["postgresql://me:canary@localhost/app", /"postgresql:" is not a protocol of MariaDB/],
    "without a database": ["mariadb://me:canary@localhost", /name of the database is missing/],
    "with an invalid escape sequence": ["mariadb://me:canary%zz@localhost/app", /password contains a %/],
    "with an unknown parameter": ["mariadb://me:canary@localhost/app?ssl=true", /unknown parameter "ssl".*sslmode/],
    "with an unknown sslmode": ["mariadb://me:canary@localhost/app?sslmode=on", /verify-full/],
    "with certificates but no sslmode": ["mariadb://me:canary@localhost/app?sslrootcert=x", /require an sslmode/],
    "with a missing file": [
      "mariadb://me:canary@localhost/app?sslmode=verify-full&sslrootcert=/nothing/here.pem",
      /cannot read the file of sslrootcert: \/nothing\/here\.pem/,
    ],
  };
  for (const [title, [url, message]] of Object.entries(invalid)) {
    test(`refuses a URL ${title} and does not show the password`, () => {
      assert.throws(
        () => parseMariadbUrl(url),
        (error: unknown) =>
          isError(error, "E_DATABASE_URL") && message.test(error.message) && !error.message.includes("canary"),
      );
    });
  }
});
