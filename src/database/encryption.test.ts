import assert from "node:assert/strict";
import { test } from "node:test";
import { capturedLog, configuration } from "../testing/index.ts";
import { makeDatabase } from "./database.ts";
import { encryptionFindings } from "./settings.ts";

const hostOf = (url: string): string | undefined =>
  / at (\S+) is not encrypted/.exec(encryptionFindings(url)[0]?.message ?? "")?.[1];

test("a connection without TLS beyond this machine is a warning", () => {
  for (const [url, host] of [
    ["postgresql://user:canary@db.example.com:5432/shop", "db.example.com"],
    ["postgres://db/shop", "db"],
    ["postgresql://localhost/shop?host=10.0.0.7", "10.0.0.7"],
    ["mariadb://user:canary@10.0.0.7/shop", "10.0.0.7"],
    ["mysql://[2001:db8::1]/shop", "[2001:db8::1]"],
  ] as const) {
    assert.equal(hostOf(url), host);
    assert.doesNotMatch(JSON.stringify(encryptionFindings(url)), /canary/);
  }
});

test("a connection within this machine, with TLS or with a decision in its URL is none", () => {
  for (const url of [
    "postgresql://postgres@127.0.0.1:5432/shop",
    "postgresql://localhost/shop",
    "postgresql://[::1]/shop",
    "postgresql:///shop",
    "postgresql://%2Fvar%2Frun%2Fpostgresql/shop",
    "postgresql:///shop?host=/var/run/postgresql",
    "mariadb://root@db.example.com/shop?socket=/run/mysqld.sock",
    "postgresql://db.example.com/shop?sslmode=verify-full",
    "postgresql://db.example.com/shop?ssl=true",
    "postgresql://db.example.com/shop?sslmode=disable",
    "mariadb://db.example.com/shop?sslmode=require",
    "database/app.sqlite",
    "",
  ])
    assert.deepEqual(encryptionFindings(url), [], url);
});

test("the start says it once for each pool, and doctor reports it", async () => {
  const url = "postgresql://user:canary@db.example.com/shop";
  using _ = configuration({ DATABASE_URL: url });
  using log = capturedLog("warning");
  const database = makeDatabase({
    implementation: "postgresql",
    exampleUrl: url,
    createDriver: () => Promise.reject(new Error("not reachable")),
  });
  await assert.rejects(async () => database.start({ services: [database] }));
  assert.equal(log.entries.length, 1);
  assert.match(log.messages()[0] ?? "", /db\.example\.com is not encrypted\. Add sslmode=verify-full/);
  const findings = await database.check?.({ environment: "production" });
  assert.deepEqual(
    findings?.map(({ level }) => level),
    ["warning"],
  );
});
