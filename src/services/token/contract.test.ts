// Contract of all token services, with every store.
import { TimeInternals } from "../../time/index.ts";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as fc from "fast-check";
import { App, Cleaner, Configuration, error, Migration, ok, type Result, Time, Token } from "limmat";
import { ConfigurationInternals } from "../../config/index.ts";
import { type Database, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, fakeClock } from "limmat/testing";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { anyCharacter } from "../../../test/any-character.ts";

interface Subject {
  readonly service: Token.TokenService;
  readonly database?: Database;
}

const api = { purpose: "api" };
const owner = "0b6b9c3e-3f4d-4a53-9a53-0c8c3a6f0f01";

function tokenCases(name: string, make: () => Subject): void {
  describe(name, () => {
    const { service, database } = make();
    const services = database === undefined ? [] : [Migration.service({ database, onPending: "run" })];
    let app: App.Application;
    let clock: Time.FakeClock;
    let log: ReturnType<typeof capturedLog>;

    before(async () => {
      // Two services share a database here, each with its own tables.
      log = capturedLog("error");
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      app = App.create({ services: [service, ...services] });
      await app.start({ server: false });
    });
    after(async () => {
      await app.stop();
      ConfigurationInternals.reset();
      log[Symbol.dispose]();
      assert.deepEqual(log.messages(), []);
    });
    const withClock = (title: string, run: () => Promise<void>): void => {
      test(title, async () => {
        await Cleaner.cleanAll();
        using stopped = fakeClock();
        clock = stopped;
        await run();
      });
    };

    withClock("a token is read with the content it was created with, for its purpose only", async () => {
      const data = { text: "ü 🧦 \"'\\", list: [1, null, true, { deep: [] }], empty: null };
      const options = { ...api, owner, name: "laptop 💻", abilities: ["todos:read", "todos:write"] };
      const token = await service.create(data, { ...options, expiresInMs: Time.hours(2) });
      const content = await service.read(token, api);
      assert.match(content?.id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.deepEqual(content, {
        id: content?.id,
        ...options,
        data,
        created_at: Time.now(),
        expires_at: new Date(TimeInternals.timestamp() + Time.hours(2)),
      });
      assert.equal(await service.read(token, { purpose: "password-reset" }), undefined);
      assert.equal(await service.read(token, { purpose: "API" }), undefined);
      assert.equal(await service.read(token, { purpose: "" }), undefined);
    });

    withClock("a token needs neither owner nor data, and is valid for a day by default", async () => {
      const token = await service.create({}, api);
      const { owner: tokenOwner, name: tokenName, abilities, data } = (await service.read(token, api)) ?? {};
      assert.deepEqual([tokenOwner, tokenName, abilities, data], [undefined, undefined, [], {}]);
      await clock.advance(Time.days(1) - 1000);
      assert.ok(await service.isValid(token, api));
      await clock.advance(1000);
      assert.equal(await service.isValid(token, api), false);
      assert.equal(await service.read(token, api), undefined);
      assert.equal(await service.consume(token, api), undefined);
      assert.equal(await service.isExpired(token, api), true);
      assert.equal(await service.isActive(token, api), true);
    });

    withClock("each token is unique", async () => {
      const tokens = await Promise.all(Array.from({ length: 20 }, () => service.create({}, api)));
      assert.equal(new Set(tokens).size, 20);
      const contents = await Promise.all(tokens.map((token) => service.read(token, api)));
      assert.equal(new Set(contents.map((content) => content?.id)).size, 20);
    });

    withClock("a deactivated token is invalid until it is activated", async () => {
      const token = await service.create({}, api);
      const states = async (): Promise<readonly boolean[]> => [
        await service.isValid(token, api),
        await service.isActive(token, api),
        await service.isExpired(token, api),
      ];
      assert.deepEqual(await states(), [true, true, false]);
      assert.equal(await service.activate(token, api), false);
      assert.equal(await service.deactivate(token, { purpose: "other" }), false);
      assert.equal(await service.deactivate(token, api), true);
      assert.equal(await service.deactivate(token, api), false);
      assert.deepEqual(await states(), [false, false, false]);
      assert.equal(await service.read(token, api), undefined);
      assert.equal(await service.consume(token, api), undefined);
      assert.equal(await service.activate(token, { purpose: "other" }), false);
      assert.equal(await service.activate(token, api), true);
      assert.equal(await service.activate(token, api), false);
      assert.deepEqual(await states(), [true, true, false]);
    });

    withClock("a consumed token stays invalid", async () => {
      const token = await service.create({ a: 1 }, { ...api, owner });
      assert.equal(await service.consume(token, { purpose: "other" }), undefined);
      assert.deepEqual((await service.consume(token, api))?.data, { a: 1 });
      assert.equal(await service.consume(token, api), undefined);
      assert.equal(await service.read(token, api), undefined);
      assert.equal(await service.activate(token, api), false);
      assert.equal(await service.deactivate(token, api), false);
      assert.equal(await service.isActive(token, api), false);
    });

    withClock("all tokens of an owner are ended and deleted, for all purposes or for one", async () => {
      const create = (purpose: string, tokenOwner?: string): Promise<string> =>
        service.create({}, { purpose, ...(tokenOwner === undefined ? {} : { owner: tokenOwner }) });
      const [token, otherPurpose] = [await create("api", owner), await create("other", owner)];
      const [otherOwner, noOwner] = [await create("api", "somebody else"), await create("api")];
      await service.deactivate(token, api);
      await service.deleteAll({ owner, purpose: "api" });
      assert.equal(await service.activate(token, api), service.implementation === "jwt");
      assert.deepEqual([await service.isActive(token, api), await service.read(token, api)], [false, undefined]);
      assert.ok(await service.read(otherPurpose, { purpose: "other" }));
      await service.deleteAll({ owner });
      assert.equal(await service.consume(otherPurpose, { purpose: "other" }), undefined);
      for (const remaining of [otherOwner, noOwner]) assert.ok(await service.read(remaining, api));
      if (database !== undefined && service.implementation === "sql")
        assert.equal((await database.collect(sql`select id from tokens`)).length, 2);
      await clock.advance(1);
      assert.ok(await service.read(await create("api", owner), api));
    });

    withClock("of twenty concurrent calls, one consumes a token", async () => {
      for (let round = 0; round < 3; round++) {
        const token = await service.create({ round }, api);
        const contents = await Promise.all(Array.from({ length: 20 }, () => service.consume(token, api)));
        assert.deepEqual(
          contents.filter((content) => content !== undefined).map(({ data }) => data),
          [{ round }],
        );
        const second = await service.create({}, api);
        const results = await Promise.all(
          Array.from({ length: 20 }, () => service.consume(second, api, async ({ id }) => ok(id))),
        );
        assert.equal(results.filter((result) => result !== undefined).length, 1);
      }
    });

    withClock("eight concurrent calls whose callback fails do not block each other", async () => {
      for (let round = 0; round < 3; round++) {
        const token = await service.create({}, api);
        const results = await Promise.all(
          Array.from({ length: 8 }, () =>
            service.consume(token, api, async () => {
              await new Promise((resolve) => setImmediate(resolve));
              return error("too short");
            }),
          ),
        );
        for (const result of results) assert.deepEqual(result ?? error("too short"), error("too short"));
        assert.ok(await service.isValid(token, api));
      }
    });

    withClock("a callback that fails keeps the token valid, and its changes are undone", async () => {
      const token = await service.create({ a: 1 }, { ...api, owner });
      const use = (apply: () => Promise<Result<string>>): Promise<Result<string> | undefined> =>
        service.consume(token, api, async ({ data }) => {
          assert.deepEqual(data, { a: 1 });
          assert.equal(await service.isValid(token, api), false);
          if (database !== undefined) await service.create({ leftover: true }, { ...api, owner: "callback" });
          return apply();
        });
      assert.deepEqual(await use(async () => error("too short")), error("too short"));
      assert.equal(await service.isValid(token, api), true);
      const failure = new Error("the database burns");
      await assert.rejects(
        use(() => Promise.reject(failure)),
        failure,
      );
      assert.equal(await service.isValid(token, api), true);
      if ("list" in service) {
        assert.deepEqual(await (service as Token.StoredTokenService).list({ owner: "callback" }), []);
      }
      assert.deepEqual(await use(async () => ok("done")), ok("done"));
      assert.equal(await service.consume(token, api, () => assert.fail("called for a consumed token")), undefined);
    });

    withClock("all tokens of an owner are ended, for one purpose or for all", async () => {
      const create = (purpose: string, tokenOwner = owner): Promise<string> =>
        service.create({}, { purpose, owner: tokenOwner });
      const [reset, otherOwner, first, second, noOwner] = [
        await create("reset"),
        await create("reset", "somebody else"),
        await create("api"),
        await create("api"),
        await service.create({}, api),
      ];
      await service.deactivate(second, api);
      await service.deactivateAll({ owner, purpose: "api" });
      const later = await create("api");
      assert.deepEqual(
        [
          await service.isValid(first, api),
          await service.isValid(second, api),
          await service.activate(first, api),
          await service.isValid(noOwner, api),
          await service.isValid(reset, { purpose: "reset" }),
          await service.isValid(otherOwner, { purpose: "reset" }),
          await service.isValid(later, api),
        ],
        [false, false, false, true, true, true, true],
      );
      await service.deactivateAll({ owner, purpose: "api" });
      await service.deactivateAll({ owner, purpose: "api" });
      const latest = await create("api");
      assert.ok(await service.isValid(latest, api));
      await service.deactivateAll({ owner });
      assert.deepEqual(
        [
          await service.isValid(later, api),
          await service.isValid(latest, api),
          await service.isValid(reset, { purpose: "reset" }),
          await service.isValid(otherOwner, { purpose: "reset" }),
          await service.isValid(await create("api"), api),
        ],
        [false, false, false, true, true],
      );
    });

    withClock("the timer of the database purges expired tokens", async () => {
      if (database === undefined) return;
      await service.deactivate(await service.create({}, { ...api, expiresInMs: Time.minutes(1) }), api);
      await clock.advance(Time.minutes(2));
      await database.deleteExpiredRows();
      assert.equal(await service.purge(), 0);
    });

    withClock("of twenty tokens that are created at once and replace the others, one is valid", async () => {
      const [older, otherPurpose] = [
        await service.create({}, { ...api, owner }),
        await service.create({}, { purpose: "other", owner }),
      ];
      const [otherOwner, ofNobody] = [
        await service.create({}, { ...api, owner: "somebody else", replacesOthers: true }),
        await service.create({}, api),
      ];
      const create = (number: number): Promise<string> =>
        service.create({ number }, { ...api, owner, replacesOthers: true });
      const numbers = Array.from({ length: 20 }, (_, number) => number);
      const tokens = await Promise.all(numbers.map(create));
      const countValid = async (): Promise<number> =>
        (await Promise.all(tokens.map((token) => service.isValid(token, api)))).filter(Boolean).length;
      assert.equal(await countValid(), 1);
      assert.equal(await service.isValid(older, api), false);
      const last = await create(20);
      assert.equal(await countValid(), 0);
      assert.deepEqual((await service.consume(last, api))?.data, { number: 20 });
      assert.equal(await service.read(last, api), undefined);
      assert.ok(await service.isValid(await create(21), api));
      assert.ok(await service.isValid(otherPurpose, { purpose: "other" }));
      for (const other of [otherOwner, ofNobody]) assert.ok(await service.isValid(other, api));
      await assert.rejects(service.create({}, { ...api, replacesOthers: true }), { code: "E_TOKEN_INVALID" });
    });

    test("a started service purges expired tokens every five minutes until it is stopped", async () => {
      if (database !== undefined) return;
      using timers = fakeClock();
      const { service: started } = make();
      await started.start({ services: [started] });
      await started.deactivate(await started.create({}, { ...api, expiresInMs: Time.minutes(1) }), api);
      await timers.advance(Time.minutes(5));
      assert.equal(await started.purge(), 0);
      await started.stop();
      assert.equal(timers.pending, 0);
    });

    withClock("purging deletes expired tokens and keeps others valid or ended", async () => {
      const expired = await service.create({}, { ...api, expiresInMs: Time.minutes(1) });
      const consumed = await service.create({}, { ...api, expiresInMs: Time.minutes(1) });
      const valid = await service.create({}, { ...api, expiresInMs: Time.days(2) });
      const deactivated = await service.create({}, { ...api, expiresInMs: Time.days(2) });
      await service.deactivate(deactivated, api);
      await service.consume(consumed, api);
      assert.equal(await service.purge(), 0);
      await clock.advance(Time.minutes(2));
      assert.ok((await service.purge()) > 0);
      assert.equal(await service.purge(), 0);
      assert.deepEqual(
        [
          await service.isValid(expired, api),
          await service.isValid(consumed, api),
          await service.isValid(valid, api),
          await service.isValid(deactivated, api),
        ],
        [false, false, true, false],
      );
      await clock.advance(Time.days(2));
      await service.purge();
      assert.equal(await service.isValid(deactivated, api), false);
    });

    withClock("invalid texts are unknown to every operation, and none throws", async () => {
      const token = await service.create({}, { ...api, owner });
      const assertUnknown = async (text: string): Promise<void> => {
        assert.equal(await service.read(text, api), undefined, text);
        assert.equal(await service.consume(text, api), undefined, text);
        assert.equal(await service.deactivate(text, api), false, text);
        assert.equal(await service.activate(text, api), false, text);
        assert.equal(await service.isValid(text, api), false, text);
        assert.equal(await service.isActive(text, api), false, text);
        assert.equal(await service.isExpired(text, api), false, text);
      };
      const texts = [
        ["", " ", "lmt_", "\0", "null", "undefined", "{}", "' or 1=1 --", "%", "🧦", "..", "a.b.c"],
        [`${token} `, ` ${token}`, `${token}\n`, `${token}\0`, `${token}x`, `${token}=`, token.slice(0, -1)],
        [token.slice(1), token.toUpperCase(), token.toLowerCase(), `${token},${token}`, token.repeat(2)],
        ["x".repeat(100_000)],
      ].flat();
      for (const text of texts) await assertUnknown(text);
      // Each character is significant: changing one makes another token.
      for (let index = 0; index < token.length; index++) {
        const replacement = token[index] === "A" ? "B" : "A";
        const changed = token.slice(0, index) + replacement + token.slice(index + 1);
        assert.equal(await service.read(changed, api), undefined, String(index));
      }
      await fc.assert(fc.asyncProperty(fc.string({ unit: anyCharacter }), assertUnknown), { numRuns: 30 });
      assert.ok(await service.isValid(token, api));
    });

    withClock("invalid options are refused on creation", async () => {
      const cyclic: Record<string, unknown> = {};
      cyclic["self"] = cyclic;
      const invalid: readonly (readonly [data: unknown, options: Partial<Token.CreateOptions>])[] = [
        ...["", "x".repeat(101), "a\0b", "\ud800"].map((purpose) => [{}, { purpose }] as const),
        ...["", "x".repeat(256), "a\nb"].flatMap((text) => [
          [{}, { owner: text }] as const,
          [{}, { name: text }] as const,
        ]),
        ...["", "two words", 'a"b', "a\\b", "ü", "x".repeat(101)].map(
          (ability) => [{}, { abilities: [ability] }] as const,
        ),
        ...[0, -1, Number.NaN, Infinity, Time.days(40_000)].map((expiresInMs) => [{}, { expiresInMs }] as const),
        ...[[], null, "text", { f: () => 1 }, { d: new Date() }, { n: NaN }, { b: 1n }, { u: undefined }].map(
          (data) => [data, {}] as const,
        ),
        ...[cyclic, { deep: JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) as unknown }].map(
          (data) => [data, {}] as const,
        ),
      ];
      for (const [data, options] of invalid) {
        await assert.rejects(service.create(data as Token.TokenData, { ...api, ...options }), {
          code: "E_TOKEN_INVALID",
        });
      }
    });

    withClock("cleaning deletes everything", async () => {
      const token = await service.create({}, { ...api, owner });
      await service.consume(token, api);
      await Cleaner.cleanAll();
      assert.equal(await service.purge(), 0);
      if ("list" in service) assert.deepEqual(await (service as Token.StoredTokenService).list(api), []);
    });

    if (database !== undefined) {
      withClock("operations join the surrounding transaction", async () => {
        const token = await service.create({}, { ...api, owner });
        const failure = new Error("rolled back");
        await assert.rejects(
          database.transaction(async () => {
            assert.ok(await service.consume(token, api));
            throw failure;
          }),
          failure,
        );
        assert.ok(await service.isValid(token, api));
        await assert.rejects(
          database.transaction(async () => {
            await service.deactivateAll({ owner });
            assert.equal(await service.isValid(token, api), false);
            throw failure;
          }),
          failure,
        );
        assert.ok(await service.isValid(token, api));
      });

      withClock(
        "a token can be read in a read-only transaction, and its use is recorded after the commit",
        async () => {
          const token = await service.create({}, { ...api, owner });
          const lastUse = async (): Promise<number | undefined> =>
            "list" in service
              ? (await (service as Token.StoredTokenService).list({ owner }))[0]?.last_used_at?.getTime()
              : undefined;
          const read = (): Promise<Token.TokenContent | undefined> => service.read(token, api);
          const failure = new Error("rolled back");
          await assert.rejects(
            database.transaction(async () => {
              assert.ok(await read());
              throw failure;
            }),
            failure,
          );
          assert.equal(await lastUse(), undefined);
          assert.ok(await database.transaction(read, { readOnly: true }));
          if ("list" in service) assert.equal(await lastUse(), TimeInternals.timestamp());
          await clock.advance(Time.minutes(2));
          assert.ok(await database.query(read, { readOnly: true }));
        },
      );

      withClock("a dump of the tables contains no usable token", async () => {
        const tokens = await Promise.all(
          Array.from({ length: 5 }, () => service.create({ secret: 1 }, { ...api, owner, name: "n" })),
        );
        await service.read(tokens[0] ?? "", api);
        await service.deactivate(tokens[1] ?? "", api);
        const table =
          service.implementation === "sql" ? sql`select * from tokens` : sql`select * from token_revocations`;
        const rows = await database.collect(table);
        assert.ok(rows.length > 0);
        const cells = rows
          .flatMap((row) => Object.values(row))
          .map((cell) => (typeof cell === "string" ? cell : JSON.stringify(cell)));
        for (const cell of cells) {
          for (const text of [cell, `lmt_${cell}`]) assert.equal(await service.read(text, api), undefined);
          for (const token of tokens) {
            for (let index = 0; index + 24 <= token.length; index++)
              assert.ok(!cell.includes(token.slice(index, index + 24)));
          }
        }
      });
    }

    if ("list" in service) listCases(service as Token.StoredTokenService, withClock, () => clock);
  });
}

/** Contract of the services that store records. JSON Web Tokens have none. */
function listCases(
  service: Token.StoredTokenService,
  withClock: (title: string, run: () => Promise<void>) => void,
  clock: () => Time.FakeClock,
): void {
  withClock("tokens are listed newest first, with their last use to the minute", async () => {
    const first = await service.create({ n: 1 }, { ...api, owner, name: "first", abilities: ["a"] });
    await clock().advance(1000);
    const second = await service.create({ n: 2 }, { purpose: "reset", owner });
    await service.create({}, { ...api, owner: "somebody else" });
    const list = async (): Promise<readonly unknown[]> =>
      (await service.list({ owner })).map(({ name, purpose, status, last_used_at }) => [
        name,
        purpose,
        status,
        last_used_at?.getTime(),
      ]);
    assert.deepEqual(await list(), [
      [undefined, "reset", "active", undefined],
      ["first", "api", "active", undefined],
    ]);
    const usedAt = TimeInternals.timestamp();
    await service.read(first, api);
    await clock().advance(Time.minutes(1) - 1);
    await service.read(first, api);
    await service.isValid(first, api);
    await service.consume(second, { purpose: "reset" });
    assert.deepEqual(await list(), [
      [undefined, "reset", "consumed", undefined],
      ["first", "api", "active", usedAt],
    ]);
    await clock().advance(1);
    await service.read(first, api);
    assert.deepEqual((await list())[1], ["first", "api", "active", TimeInternals.timestamp()]);
    assert.equal((await service.list(api)).length, 2);
    assert.equal((await service.list({ ...api, owner })).length, 1);
    assert.ok(!JSON.stringify(await service.list({})).includes("lmt_"));
  });

  withClock("a token is ended by its id, optionally only if it belongs to an owner", async () => {
    const token = await service.create({}, { ...api, owner });
    const { id = "" } = (await service.read(token, api)) ?? {};
    assert.equal(await service.deactivateById(id, { owner: "somebody else" }), false);
    assert.equal(await service.deactivateById("4e9f8f0e-0000-4000-8000-000000000000"), false);
    for (const text of ["", "x", `${id} `, "' or 1=1"]) assert.equal(await service.deactivateById(text), false);
    assert.ok(await service.isValid(token, api));
    assert.equal(await service.deactivateById(id, { owner }), true);
    assert.equal(await service.deactivateById(id, { owner }), false);
    assert.equal(await service.activate(token, api), false);
    assert.equal(await service.isValid(token, api), false);
  });
}

const onDatabase = (name: string, make: () => Database): void => {
  tokenCases(`tokens in ${name}`, () => {
    const database = make();
    return { service: Token.sql({ database }), database };
  });
  tokenCases(`JWT with revocations in ${name}`, () => {
    const database = make();
    return { service: Token.jwt({ database }), database };
  });
};

tokenCases("tokens in memory", () => ({ service: Token.memory() }));
tokenCases("JWT with revocations in memory", () => ({ service: Token.jwt() }));
onDatabase("SQLite", () => sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => onDatabase("PostgreSQL", () => postgresql({ url })));
await withServer(mariadbServer, ({ url }) => onDatabase("MariaDB", () => mariadb({ url })));
