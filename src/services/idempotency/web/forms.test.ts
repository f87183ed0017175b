import assert from "node:assert/strict";
import { after, before, beforeEach, describe, suite, test } from "node:test";
import { Configuration, Migration, Time, Web } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import * as Idempotency from "limmat/idempotency";
import { capturedLog, fakeClock, type Page, type Visitor, visitor } from "limmat/testing";
import { ConfigurationInternals } from "../../../config/index.ts";
import { mariadb as mariadbServer } from "../../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../../test/servers/postgresql.ts";
import { withServer } from "../../../../test/servers/server.ts";

const configure = (check: "true" | "false"): void => {
  ConfigurationInternals.reset();
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["CHECK_CSRF", check],
  ]);
};
configure("true");
const log = capturedLog();
after(() => {
  ConfigurationInternals.reset();
  log[Symbol.dispose]();
});

type Handle = (request: Web.Request) => Web.Response | globalThis.Response | Promise<Web.Response>;

/** Shop whose page has a form, and counts the orders that its handler takes. */
interface Shop {
  readonly visitor: () => Visitor;
  readonly request: (path: string, init?: RequestInit) => Promise<globalThis.Response>;
  /** Number of calls of the handler. */
  orders: number;
  /** Handler of the form. Default: redirects to the number of the order. */
  handle: Handle;
}

function makeShop(...services: readonly Idempotency.Idempotency[]): Shop {
  return makeLimitedShop({}, ...services);
}

function makeLimitedShop(options: Idempotency.Web.FormsOptions, ...services: readonly Idempotency.Idempotency[]): Shop {
  const page: Handle = (request) =>
    Web.Response.html(
      html`<p role="status">${Web.Flash.notice(request)}</p>
        <p id="cart">${Web.Session.find("cart", request)}</p>
        <form method="post"><input type="hidden" name="csrf" value="${Web.Csrf.find(request)}" /></form>`,
    );
  const order: Handle = (request) => {
    shop.orders++;
    return shop.handle(request);
  };
  // Each service stands for a process.
  const processes = services.map((service) => {
    const routes = [
      Web.get("/", page),
      Web.post("/orders", order),
      Web.put("/orders", order),
      Web.post("/other", order),
    ];
    const middlewares = [...Web.Middleware.site(), Idempotency.Web.forms(service, options)];
    return Web.Http.service({ router: Web.choose(routes, { middlewares }) });
  });
  let requests = 0;
  const request: Shop["request"] = (path, init) => {
    const process = processes[requests++ % processes.length];
    assert.ok(process !== undefined);
    return process.fetch(new Request(new URL(path, "http://localhost"), init));
  };
  const shop: Shop = {
    visitor: () => visitor({ request }),
    request,
    orders: 0,
    handle: () => Web.Response.redirect(`/orders/${shop.orders}`),
  };
  return shop;
}

const summary = ({ status, location, headers }: Page): readonly unknown[] => [
  status,
  location,
  headers.get("idempotency-replayed"),
];

/** Tests of a form on a store: `makeService` makes the service of a process. */
function formContract(makeService: () => Idempotency.Idempotency): void {
  let shop: Shop;
  let ada: Visitor;
  beforeEach(async () => {
    shop = makeShop(makeService());
    ada = shop.visitor();
    await ada.get("/");
  });

  test("that is sent twice at the same time is processed once, and both get the redirect", async () => {
    const [started, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    shop.handle = async () => {
      started.resolve();
      await end.promise;
      return Web.Response.redirect("/orders/1");
    };
    const first = ada.post("/orders", { article: "1" });
    await started.promise;
    const second = ada.post("/orders", { article: "1" });
    end.resolve();
    assert.deepEqual(summary(await first), [303, "/orders/1", null]);
    assert.deepEqual(summary(await second), [303, "/orders/1", "true"]);
    assert.equal(shop.orders, 1);
  });

  test("that is sent ten times at the same time is processed once", async () => {
    const pages = await Promise.all(Array.from({ length: 10 }, () => ada.post("/orders", { article: "1" })));
    assert.deepEqual(new Set(pages.map(({ location }) => location)), new Set(["/orders/1"]));
    assert.equal(shop.orders, 1);
  });

  test("that is sent again gets the redirect, its messages, and its changes of the session", async () => {
    shop.handle = () => {
      const response = Web.Response.redirect("/", { headers: { "x-order": "é" } });
      return Web.Session.update([["cart", "empty"]], Web.Flash.setNotice("Ordered", response));
    };
    // Of a double click, the browser drops the first response: a second one has the same cookies.
    const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec((await ada.get("/")).body) ?? [];
    const body = new URLSearchParams({ csrf });
    const headers = { cookie };
    await shop.request("/orders", { method: "POST", headers, body });
    const again = await shop.request("/orders", { method: "POST", headers, body });
    assert.deepEqual([again.status, again.headers.get("x-order"), shop.orders], [303, "é", 1]);
    const cookies = again.headers.getSetCookie().map((line) => line.split(";", 1)[0] ?? "");
    const page = await (await shop.request("/", { headers: { cookie: cookies.join("; ") } })).text();
    assert.match(page, /<p role="status">Ordered<\/p>\s*<p id="cart">empty<\/p>/);
  });

  test("is processed again after a failure, also for a second request that waits", async () => {
    const [started, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { handle } = shop;
    shop.handle = async () => {
      started.resolve();
      await end.promise;
      throw new Error("The bank does not answer");
    };
    const first = ada.post("/orders");
    await started.promise;
    const second = ada.post("/orders");
    shop.handle = handle;
    end.resolve();
    assert.equal((await first).status, 500);
    assert.deepEqual(summary(await second), [303, "/orders/2", null]);
  });
}

function testDatabase(name: string, database: Database): void {
  suite(`a form with its key in ${name}`, () => {
    before(async () => {
      await database.start({ services: [] });
      await Migration.service({ database, migrations: Idempotency.sql({ database }).migrations }).runAll();
    });
    after(() => database.stop());
    formContract(() => Idempotency.sql({ database }));

    test("stores no values of the session that the form does not change", async () => {
      const shop = makeShop(Idempotency.sql({ database }));
      const ada = shop.visitor();
      await ada.get("/");
      for (const pairs of [[["private", "hidden"]], [["cart", "1"]]] as const) {
        shop.handle = () => Web.Session.update(pairs, Web.Response.redirect("/"));
        await ada.post("/orders", { key: pairs[0][0] });
        await ada.get("/");
      }
      const bodies = await database.collect(sql.value(Row.bytes)`select body from idempotency_keys`);
      const texts = bodies.map((body) => Buffer.from(body).toString());
      assert.equal(texts.filter((text) => text.includes("hidden")).length, 1, "only as a change");
    });

    test("that several processes receive is processed once", async () => {
      const shop = makeShop(Idempotency.sql({ database }), Idempotency.sql({ database }));
      const ada = shop.visitor();
      await ada.get("/");
      const pages = await Promise.all([ada.post("/orders"), ada.post("/orders"), ada.post("/orders")]);
      assert.deepEqual(new Set(pages.map(({ location }) => location)), new Set(["/orders/1"]));
      assert.equal(shop.orders, 1);
    });
  });
}

suite("a form with its key in memory", () => formContract(() => Idempotency.memory()));
testDatabase("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => testDatabase("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => testDatabase("MariaDB", mariadb({ url })));

describe("the key of a form", () => {
  let shop: Shop;
  let ada: Visitor;
  beforeEach(async () => {
    shop = makeShop(Idempotency.memory());
    ada = shop.visitor();
    await ada.get("/");
  });

  test("is one for each rendered form", async () => {
    await ada.post("/orders");
    await ada.get("/");
    await ada.post("/orders");
    assert.equal(shop.orders, 2);
  });

  test("is for its content, its target and its method", async () => {
    await ada.post("/orders", { article: "1" });
    await ada.post("/orders", { article: "2" });
    await ada.post("/orders?coupon=1", { article: "1" });
    await ada.post("/other", { article: "1" });
    await ada.put("/orders", { article: "1" });
    assert.equal(shop.orders, 5);
  });

  test("can be used again after any response but a redirect", async () => {
    const responses: readonly Handle[] = [
      () => Web.Response.html(html`<p>Please enter a number</p>`, { status: 422 }),
      () => Web.Response.html(html`<p>A page</p>`),
      () => globalThis.Response.json({}),
      () => Web.Response.stream(new Blob(["a file"]).stream()),
      () => Web.Response.empty(304),
      () => Web.Flash.setAlert("Sold out", Web.Response.redirect("/")),
      () => Web.Session.renew([], Web.Response.redirect("/")),
    ];
    for (const response of responses) {
      shop.handle = response;
      const { status } = await ada.post("/orders", { article: "1" });
      assert.ok(status < 500);
      await ada.get("/");
    }
    shop.handle = () => Web.Response.html(html`<p>Please enter a number</p>`, { status: 422 });
    for (const _ of [1, 2]) assert.equal((await ada.post("/orders", { article: "x" })).status, 422);
    shop.handle = () => Web.Response.redirect("/orders/corrected");
    assert.equal((await ada.post("/orders", { article: "x" })).location, "/orders/corrected");
    assert.equal(shop.orders, responses.length + 3);
  });

  test("is used up by a redirect of the Fetch API, and by a removed value of the session", async () => {
    shop.handle = () => globalThis.Response.redirect("http://localhost/orders/1", 302);
    for (const _ of [1, 2]) assert.equal((await ada.post("/orders")).status, 302);
    shop.handle = () => Web.Session.forget(["cart"], Web.Session.set([["a", "1"]], Web.Response.redirect("/")));
    for (const _ of [1, 2]) assert.equal((await ada.post("/other")).status, 303);
    assert.equal(shop.orders, 2);
  });

  test("does not bring back the session of then, if the browser has received the change", async () => {
    const { body } = await ada.get("/");
    const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec(body) ?? [];
    shop.handle = () =>
      Web.Session.update([["cart", `${shop.orders}`]], Web.Flash.setNotice("Added", Web.Response.redirect("/")));
    await ada.post("/orders", { csrf });
    assert.match((await ada.get("/")).body, /id="cart">1</);
    await ada.post("/other");
    const again = await ada.post("/orders", { csrf });
    assert.deepEqual([...summary(again), shop.orders], [303, "/", "true", 2]);
    assert.match((await ada.get("/")).body, /Added<[^]*id="cart">2</);
  });

  test("belongs to its session: another one gets neither the redirect nor its cookies", async () => {
    const { body } = await ada.get("/");
    const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec(body) ?? [];
    await ada.post("/orders", { csrf });
    const eve = shop.visitor();
    await eve.get("/");
    assert.equal((await eve.post("/orders", { csrf })).status, 403);
    // Also without the check of tokens in development and test.
    configure("false");
    assert.equal((await eve.post("/orders", { csrf })).location, "/orders/2");
    assert.equal((await shop.visitor().post("/orders", { csrf })).location, "/orders/3");
    configure("true");
  });

  test("is that of a form with files, whose boundary differs each time", async () => {
    shop.handle = async (request) =>
      request.upload(({ file }) => Web.Response.redirect(`/pictures/${file("picture")?.size}`));
    const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec((await ada.get("/")).body) ?? [];
    const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const send = async (boundary: string, text: string): Promise<string | null> => {
      const part = (head: string, value: string): string =>
        `--${boundary}\r\nContent-Disposition: form-data; name=${head}\r\n\r\n${value}\r\n`;
      const body = `${part('"csrf"', csrf)}${part('"picture"; filename="a.txt"', text)}--${boundary}--\r\n`;
      const type = `multipart/form-data; boundary=${boundary}`;
      const headers = { cookie, "content-type": type, "content-length": String(body.length) };
      return (await shop.request("/orders", { method: "POST", headers, body })).headers.get("location");
    };
    assert.deepEqual(
      [await send("aaa", "12"), await send("bbb", "12"), shop.orders],
      ["/pictures/2", "/pictures/2", 1],
    );
    assert.deepEqual([await send("ccc", "123"), shop.orders], ["/pictures/3", 2]);
    // Without a length, nothing tells the files apart.
    for (const text of ["12", "34"]) await ada.post("/orders", { picture: new File([text], "a.txt") });
    assert.equal(shop.orders, 4);
  });

  test("does not affect requests of scripts, and of HTMX for a fragment", async () => {
    const { body } = await ada.get("/");
    const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec(body) ?? [];
    const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const requests: readonly RequestInit[] = [
      { headers: { cookie, "x-csrf-token": csrf, "content-type": "application/json" }, body: "{}" },
      { headers: { cookie, "x-csrf-token": csrf }, body: new URLSearchParams({ a: "1" }) },
      { headers: { cookie, "hx-request": "true" }, body: new URLSearchParams({ csrf }) },
    ];
    for (const init of [...requests, ...requests]) {
      const response = await shop.request("/orders", { method: "POST", ...init });
      assert.deepEqual([response.status, response.headers.get("idempotency-replayed")], [303, null]);
    }
    assert.equal(shop.orders, 6);
  });
});

test("a network that sends too many forms in a day stores no further keys, and its forms are processed each time", async () => {
  using clock = fakeClock();
  const shop = makeLimitedShop({ maxKeysPerDay: 2 }, Idempotency.memory());
  const ada = shop.visitor();
  await ada.get("/");
  const { handle } = shop;
  // Neither a form without a redirect nor a repetition stores a key.
  shop.handle = () => Web.Response.text("Please enter a name", { status: 422 });
  for (const article of ["1", "2"]) await ada.post("/orders", { article });
  shop.handle = handle;
  const isRepeated = async (article: string): Promise<boolean> =>
    (await ada.post("/orders", { article })).headers.has("idempotency-replayed");
  assert.deepEqual([await isRepeated("1"), await isRepeated("1"), await isRepeated("2")], [false, true, false]);
  assert.deepEqual([await isRepeated("3"), await isRepeated("3"), await isRepeated("2")], [false, false, true]);
  assert.equal(shop.orders, 6);
  await clock.advance(Time.days(1) / 2);
  assert.deepEqual([await isRepeated("3"), await isRepeated("3")], [false, true]);
  for (const maxKeysPerDay of [0, 1.5, Number.NaN])
    assert.throws(() => makeLimitedShop({ maxKeysPerDay }, Idempotency.memory()), { code: "E_IDEMPOTENCY_OPTION" });
});

test("without a session the middleware names what is missing", async () => {
  const middlewares = [Idempotency.Web.forms(Idempotency.memory())];
  const router = Web.choose([Web.post("/", () => Web.Response.text("done"))], { middlewares });
  const body = new URLSearchParams({ csrf: "a" });
  const response = await Web.Http.service({ router }).fetch(new Request("http://localhost/", { method: "POST", body }));
  assert.equal(response.status, 500);
});
