import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, suite, test } from "node:test";
import { App, Configuration, Service, Web } from "limmat";
import { capturedLog, configuration } from "limmat/testing";
import { freePort } from "../../../test/servers/process.ts";

const router = Web.choose([
  Web.get("/", () => Web.Response.text("hello")),
  Web.get("/fails", () => {
    throw new Error("no paper");
  }),
  Web.Health.router(),
]);

let app: App.Application | undefined;
afterEach(() => app?.stop());

/** Returns true if a connection to the port is accepted. */
function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  // `once` rejects with the `error` event.
  const accepted = once(socket, "connect").then(
    () => true,
    () => false,
  );
  return accepted.finally(() => socket.destroy());
}

suite("the HTTP service", () => {
  test("refuses two routes of one path also in tests, which start the application without the server", async () => {
    using _ = configuration({ FRAMEWORK_ENV: "test" });
    app = App.create({ services: [Web.Http.service({ router: Web.choose([router, router]) })] });
    await assert.rejects(app.start({ server: false }), { code: "E_ROUTE_TAKEN" });
  });

  test("listens after all other services have started and are ready, whatever the list says", async () => {
    const port = await freePort();
    using _ = configuration({ FRAMEWORK_ENV: "test", PORT: String(port), HOST: "127.0.0.1" });
    using __ = capturedLog();
    const seen: [event: string, isListening: boolean][] = [];
    const record = async (event: string): Promise<void> => void seen.push([event, await isListening(port)]);
    const recorder = (name: string): Service.Service =>
      Service.make({ name, start: () => record(`start ${name}`), ready: () => record(`ready ${name}`) });
    const http = Web.Http.service({ router });
    const proxy = Service.make({ name: "proxy", dependencies: () => [http], start: () => record("start proxy") });
    app = App.create({ services: [http, proxy, recorder("search"), recorder("mail")] });
    await app.start();
    assert.deepEqual(seen, [
      ["start search", false],
      ["start mail", false],
      ["ready search", false],
      ["ready mail", false],
      ["start proxy", true],
    ]);
    for (const path of ["/", "/health/ready"]) {
      assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200);
    }
  });

  test("does not listen if a service that is listed after it fails to start or is not ready", async () => {
    const port = await freePort();
    using _ = configuration({ FRAMEWORK_ENV: "test", PORT: String(port), HOST: "127.0.0.1" });
    using log = capturedLog();
    const fail = (): Promise<void> => Promise.reject(new Error("no paper"));
    for (const broken of [
      Service.make({ name: "broken", start: fail }),
      Service.make({ name: "broken", ready: fail }),
    ]) {
      app = App.create({ services: [Web.Http.service({ router }), broken] });
      await assert.rejects(app.start(), { code: "E_SERVICE_START" });
      assert.ok(!log.messages().some((message) => message.startsWith("Listening")));
    }
  });

  test("logs its address, but below level info if visitors use the one of the development server", async () => {
    for (const [settings, level] of [
      [{}, "info"],
      [{ DEVELOPMENT_PORT: "3000" }, "debug"],
    ] as const) {
      using _ = configuration({ FRAMEWORK_ENV: "test", PORT: "0", ...settings });
      using log = capturedLog();
      app = App.create({ services: [Web.Http.service({ router })] });
      await app.start();
      await app.stop();
      assert.equal(log.entries.find(({ message }) => message.startsWith("Listening on http"))?.level, level);
    }
  });

  test("links outside of pages have the port that the system chose for PORT=0", async () => {
    using _ = configuration({ FRAMEWORK_ENV: "test", PORT: "0", PREFIX_PATH: "/shop" });
    using __ = capturedLog();
    const http = Web.Http.service({ router });
    app = App.create({ services: [http] });
    await app.start();
    const port = http.address()?.port ?? 0;
    assert.ok(port > 0);
    assert.equal(Configuration.appUrl("/orders/7").href, `http://localhost:${port}/shop/orders/7`);
    for (const [key, value, start] of [
      ["PORT", "8080", "http://localhost:8080/shop"],
      ["DEVELOPMENT_PORT", "3000", "http://localhost:3000/shop"],
      ["APP_URL", "https://example.com", "https://example.com"],
    ] as const) {
      using ___ = configuration({ [key]: value });
      assert.equal(Configuration.appUrl("/orders/7").href, `${start}/orders/7`);
    }
  });

  test("does not start with a middleware that is none", async () => {
    using _ = configuration({ FRAMEWORK_ENV: "test", PORT: "0", HOST: "127.0.0.1" });
    using __ = capturedLog();
    const http = Web.Http.service({ router, middlewares: [Web.Middleware.site() as never] });
    await assert.rejects(async () => http.start({ services: [http] }), {
      code: "E_ROUTE_INVALID",
      message: /^The HTTP service is invalid: entry 1 of its middlewares is a list\. Write three dots before it/,
    });
  });

  test("logs under one source", async () => {
    const port = await freePort();
    using _ = configuration({ FRAMEWORK_ENV: "test", PORT: String(port), HOST: "127.0.0.1" });
    using log = capturedLog();
    const http = Web.Http.service({ router, accessLog: true });
    const sick = Service.make({ name: "sick", health: () => Promise.reject(new Error("no paper")) });
    app = App.create({ services: [sick, http] });
    await app.start();
    for (const path of ["/fails", "/health/ready"]) await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    await app.stop();
    const sources = new Set(log.entries.map(({ source }) => source).filter((source) => source !== "limmat.app"));
    assert.deepEqual([...sources].sort(), ["limmat.http", "limmat.http.access", "limmat.http.health"]);
  });
});
