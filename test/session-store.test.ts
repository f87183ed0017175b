// Sessions whose content is in a cache: in memory, and in a database.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { App, Cache, Configuration, Migration, Schema, Time, Web } from "limmat";
import { sqlite } from "limmat/database/sqlite";
import { fakeClock } from "limmat/testing";

Configuration.store([["FRAMEWORK_ENV", "test"]]);

const { find, field, renew, set, update } = Web.Session;
const cart = field("cart", Schema.list(Schema.string()));
const count = field("count", Schema.record({ sum: Schema.int() }));

/** Options of the session, and of `/slow`: work after its handler has read the session. */
interface Options extends Web.SessionOptions {
  readonly afterRead?: () => Promise<unknown>;
}

/** Returns routes behind sessions in this store. `open` ends the wait of `/wait`. */
function routes({ afterRead, ...options }: Options): { router: Web.Router; arrived: Promise<void>; open: () => void } {
  const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const router = Web.choose(
    [
      Web.get("/set", (request) => set(request.query, Web.Response.text("set"))),
      Web.get("/slow", async (request) => {
        const value = find("a", request);
        await afterRead?.();
        return update([["b", "2"]], Web.Response.text(value ?? "nothing"));
      }),
      Web.get("/end", () => set([], Web.Response.text("ended"))),
      Web.get("/find", (request) => Web.Response.text(find("a", request) ?? "nothing")),
      Web.get("/login", () => renew([["user", "1"]], set([["a", "1"]], Web.Response.text("in")))),
      Web.get("/cart", (request) => {
        const items = [...(cart.find(request) ?? []), ...Array.from({ length: 20 }, () => "shoe".repeat(60))];
        return set([cart.pair(items)], Web.Response.text(String(items.length)));
      }),
      Web.get("/count", async (request) => {
        const sum = (count.find(request)?.sum ?? 0) + 1;
        await new Promise((resolve) => void setImmediate(resolve));
        return set([count.pair({ sum })], Web.Response.text(String(sum)));
      }),
      Web.get("/wait", async () => {
        arrived.resolve();
        await gate.promise;
        return Web.Response.text("waited");
      }),
    ],
    { middlewares: [Web.Middleware.session(options)] },
  );
  return { router, arrived: arrived.promise, open: gate.resolve };
}

const database = sqlite();
const migration = Migration.service({ database });
const caches = { memory: Cache.memory(), SQLite: Cache.sql({ database }) };
const app = App.create({ services: [database, migration, caches.SQLite] });

before(async () => {
  await app.start({ server: false });
  await migration.runAll();
});
after(() => app.stop());

/** Browser with one cookie, of which a test can take copies. */
class Guest {
  cookie = "";
  readonly #http: Web.HttpService;

  constructor(http: Web.HttpService) {
    this.#http = http;
  }

  /** Returns the text of a page, or the status of another response. */
  async text(path: string, cookie: string = this.cookie): Promise<string | number> {
    const response = await this.#http.fetch(new Request(`http://localhost${path}`, { headers: { cookie } }));
    this.cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? this.cookie;
    return response.status === 200 ? await response.text() : response.status;
  }
}

for (const [name, store] of Object.entries(caches)) {
  const visit = (options: Omit<Options, "store"> = {}): Guest =>
    new Guest(Web.Http.service({ router: routes({ store, ...options }).router }));

  describe(`a session in a cache in ${name}`, () => {
    test("keeps values that are larger than a cookie, which holds an id only", async () => {
      const guest = visit();
      assert.deepEqual([await guest.text("/cart"), await guest.text("/cart")], ["20", "40"]);
      const [value = ""] = guest.cookie.replace("_session=", "").split(".");
      assert.match(Buffer.from(value, "base64url").toString(), /^[\w-]{32}$/);
    });

    test("gets a new id at login, and none of its ends is undone by a copy of the cookie", async () => {
      const guest = visit();
      await guest.text("/set?a=1");
      const old = guest.cookie;
      await guest.text("/login");
      const renewed = guest.cookie;
      assert.notEqual(renewed.split(".")[0], old.split(".")[0]);
      assert.equal(await guest.text("/find", old), "nothing");
      await guest.text("/set?a=2");
      assert.equal(await guest.text("/find", renewed), "2");
      await guest.text("/end");
      assert.equal(await guest.text("/find", renewed), "nothing");
    });

    test("ends with its maximum age, also for a copy of the cookie", async () => {
      using clock = fakeClock();
      const guest = visit({ maxAgeMs: Time.minutes(10) });
      await guest.text("/set?a=1");
      const copy = guest.cookie;
      assert.equal(await guest.text("/find"), "1");
      await clock.advance(Time.minutes(11));
      assert.equal(await guest.text("/find", copy), "nothing");
      await guest.text("/set?a=2", copy);
      assert.equal(await guest.text("/find"), "2");
      assert.equal(await guest.text("/find", copy), "nothing");
    });

    test("does not accept a cookie of another kind", async () => {
      const plain = new Guest(Web.Http.service({ router: routes({}).router }));
      await plain.text(`/set?a=${"1".repeat(400)}`);
      for (const options of [{}, { lockWaitMs: Time.seconds(60) }]) {
        const guest = visit(options);
        assert.equal(await guest.text("/find", plain.cookie), "nothing");
        await guest.text("/set?a=2", plain.cookie);
        assert.equal(await guest.text("/find"), "2");
      }
    });

    test("may end while a request is handled", async () => {
      using clock = fakeClock();
      const guest = visit({ maxAgeMs: Time.minutes(10), afterRead: () => clock.advance(Time.minutes(11)) });
      await guest.text("/set?a=1");
      assert.equal(await guest.text("/slow"), "1");
      assert.equal(await guest.text("/find"), "nothing");
    });

    test("stays ended when a request that began before its end changes it", async () => {
      const guest = visit();
      await guest.text("/set?a=1");
      const { cookie } = guest;
      const slow = visit({ afterRead: () => guest.text("/end") });
      assert.equal(await slow.text("/slow", cookie), "1");
      for (const copy of [cookie, slow.cookie]) assert.equal(await visit().text("/find", copy), "nothing");
    });

    test("loses no change of requests that wait for each other", async () => {
      const guest = visit({ lockWaitMs: Time.seconds(60) });
      await guest.text("/count");
      const { cookie } = guest;
      await Promise.all(Array.from({ length: 5 }, () => guest.text("/count", cookie)));
      assert.equal(await guest.text("/count"), "7");
    });

    test("refuses a request that waits too long for another one", async () => {
      const { router, arrived, open } = routes({ store, lockWaitMs: 0 });
      const guest = new Guest(Web.Http.service({ router }));
      await guest.text("/set?a=1");
      const waiting = guest.text("/wait");
      await arrived;
      assert.equal(await guest.text("/find"), 503);
      open();
      assert.equal(await waiting, "waited");
      assert.equal(await guest.text("/find"), "1");
    });
  });
}

test("a field of the session has no value if it does not match its schema", async () => {
  const read = Web.get("/", (request) => Web.Response.json([cart.find(request) ?? null, count.find(request) ?? null]));
  const write = Web.get("/write", (request) => set(request.query, Web.Response.text("")));
  const router = Web.choose([read, write], { middlewares: [Web.Middleware.session()] });
  const guest = new Guest(Web.Http.service({ router }));
  for (const [values, expected] of [
    ["cart=%5B%22a%22%5D&count=%7B%22sum%22:7%7D", '[["a"],{"sum":7}]'],
    ["cart=%7B&count=%22x%22", "[null,null]"],
    ["cart=%5B1%5D", "[null,null]"],
  ] as const) {
    await guest.text(`/write?${values}`);
    assert.equal(await guest.text("/"), expected, values);
  }
  assert.deepEqual(cart.pair(undefined), ["cart", undefined]);
});
