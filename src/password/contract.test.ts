// One test body for every backend of argon2id.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { App, Configuration, isError, Password, User } from "limmat";
import { sqlite } from "limmat/database/sqlite";
import { nodeRsArgon2 } from "limmat/password/node-rs";
import { ConfigurationInternals } from "../config/index.ts";
import { dummyHash, hashLimiter, hashLimits } from "./argon2.ts";
import type { Argon2Backend } from "./contract.ts";
import { nodeCrypto } from "./node-crypto.ts";

const backends: readonly (readonly [name: string, backend: Argon2Backend, other: Argon2Backend])[] = [
  ["node:crypto", nodeCrypto, nodeRsArgon2()],
  ["@node-rs/argon2", nodeRsArgon2(), nodeCrypto],
];

beforeEach(() => {
  ConfigurationInternals.reset();
  Configuration.store([
    ["PASSWORD_MEMORY", "8"],
    ["PASSWORD_PASSES", "1"],
  ]);
});

for (const [name, backend, other] of backends) {
  describe(`passwords with ${name}`, () => {
    let restore = (): void => {};
    before(() => {
      restore = Password.useBackend(backend);
    });
    after(() => restore());

    test("are hashed with the parameters of OWASP and a new salt each time", async () => {
      ConfigurationInternals.reset();
      const [first, second] = await Promise.all([Password.hash("correct horse"), Password.hash("correct horse")]);
      assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
      assert.notEqual(first, second);
      assert.ok(await Password.verify("correct horse", first));
      assert.ok(!(await Password.verify("correct horsf", first)));
      assert.ok(!Password.needsRehash(first));
    });

    test("are verified against hashes of the reference implementation", async () => {
      // Test vectors of the reference implementation: version 19, argon2id.
      for (const [parameters, salt, hash] of [
        ["m=65536,t=2,p=1", "c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"],
        ["m=256,t=2,p=1", "c29tZXNhbHQ", "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"],
        ["m=256,t=2,p=2", "c29tZXNhbHQ", "bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"],
      ] as const) {
        const reference = `$argon2id$v=19$${parameters}$${salt}$${hash}`;
        assert.ok(await Password.verify("password", reference), reference);
        assert.ok(!(await Password.verify("Password", reference)));
        assert.ok(Password.needsRehash(reference));
      }
    });

    test("have the same hashes as with the other backend, for all passwords and parameters", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: "grapheme", minLength: 1 }),
          fc.record({
            memoryKiB: fc.integer({ min: 32, max: 128 }),
            passes: fc.integer({ min: 1, max: 3 }),
            parallelism: fc.integer({ min: 1, max: 4 }),
            outputBytes: fc.integer({ min: 16, max: 64 }),
            saltBytes: fc.integer({ min: 8, max: 64 }),
          }),
          async (password, { saltBytes, ...cost }) => {
            const parameters = { ...cost, salt: randomBytes(saltBytes) };
            const [one, another] = await Promise.all(
              [backend, other].map((each) => each.argon2id(Buffer.from(password), parameters)),
            );
            assert.deepEqual(Buffer.from(one ?? []), Buffer.from(another ?? []));
            assert.equal(one?.length, cost.outputBytes);
          },
        ),
        { numRuns: 50 },
      );
    });

    test("are verified after a change of the backend", async () => {
      const hash = await Password.hash("a password");
      const former = Password.useBackend(other);
      try {
        assert.ok(await Password.verify("a password", hash));
        assert.ok(!(await Password.verify("another password", hash)));
        assert.ok(!Password.needsRehash(hash));
      } finally {
        former();
      }
    });

    test("match only if they are exactly the same", async () => {
      const passwords = [
        "\u00e91234567",
        "e\u03011234567",
        " secret",
        "secret",
        "secret\0a",
        "secret\0b",
        "x".repeat(4096),
      ];
      const hashes = await Promise.all(passwords.map((password) => Password.hash(password)));
      for (const [row, password] of passwords.entries()) {
        for (const [column, hash] of hashes.entries())
          assert.equal(await Password.verify(password, hash), row === column, `${row} against ${column}`);
      }
      assert.equal(await Password.verify("secret", dummyHash()), false);
    });

    test("are hashed a few at a time, and refused beyond the limit", async () => {
      const hash = await Password.hash("a password");
      let maxRunning = 0;
      const count = hashLimits.maxRunning + hashLimits.maxWaiting + 10;
      const outcomes = await Promise.allSettled(
        Array.from({ length: count }, async () => {
          const verified = Password.verify("a password", hash);
          maxRunning = Math.max(maxRunning, hashLimiter.counts.running);
          return await verified;
        }),
      );
      const refused = outcomes.filter(
        (outcome) => outcome.status === "rejected" && isError(outcome.reason, "E_PASSWORD_BUSY"),
      );
      assert.deepEqual([maxRunning, refused.length], [hashLimits.maxRunning, 10]);
      assert.deepEqual(hashLimiter.counts, { running: 0, waiting: 0 });
    });

    test("that cannot be hashed reject, and release their slot", async () => {
      const impossible = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
      const failing: Argon2Backend = {
        check: () => {},
        argon2id: (password, parameters) => backend.argon2id(password, { ...parameters, memoryKiB: 1 }),
      };
      const former = Password.useBackend(failing);
      try {
        await assert.rejects(Password.hash("a password"));
        await assert.rejects(Password.verify("a password", impossible));
      } finally {
        former();
      }
      assert.deepEqual(hashLimiter.counts, { running: 0, waiting: 0 });
    });
  });
}

test("the user service checks the selected backend when it starts", async () => {
  const restore = Password.useBackend({
    check: () => Promise.reject(new Error("no argon2 here")),
    argon2id: () => assert.fail("a hash was computed"),
  });
  try {
    const users = User.service({ database: sqlite({ url: ":memory:" }) });
    await assert.rejects(App.create({ services: [users] }).start(), /no argon2 here/);
  } finally {
    restore();
  }
});

test("a missing package is reported with the command that installs it", async () => {
  const code = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier !== "@node-rs/argon2") return next(specifier, context);
        throw Object.assign(new Error("Cannot find package '@node-rs/argon2'"), { code: "ERR_MODULE_NOT_FOUND" });
      },
    });
    const { Password } = await import("limmat");
    const { nodeRsArgon2 } = await import("limmat/password/node-rs");
    const backend = nodeRsArgon2();
    await backend.check().catch((error) => console.log(error.code, error.message));
    Password.useBackend(backend);
    await Password.hash("a password").catch((error) => console.log(error.code));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@limmat/source", "--input-type=module", "-e", code],
    { cwd: new URL("../../", import.meta.url) },
  );
  assert.match(
    stdout,
    /^E_PASSWORD_LIBRARY_MISSING The package "@node-rs\/argon2" is not installed\. Install it with: npm install @node-rs\/argon2@2\nE_PASSWORD_LIBRARY_MISSING\n$/,
  );
});
