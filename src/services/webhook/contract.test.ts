// Contract tests of receivers and senders of webhooks, on every database.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, beforeEach, describe, suite, test } from "node:test";
import { App, Cleaner, Configuration, error, Log, Migration, Queue, Time, Webhook } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { fakeClock, runCommand } from "limmat/testing";
import { ConfigurationInternals } from "../../config/index.ts";
import { LogInternals } from "../../log/index.ts";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";

const orders = Migration.make("orders", [
  Migration.step("create table", ({ string }) => `create table webhook_orders (name ${string(50)} not null)`),
]);

/** Request that the server of an endpoint has received. */
interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

function webhookContract(name: string, database: Database): void {
  suite(name, () => {
    const [oldSecret, newSecret] = [Webhook.createSecret(), Webhook.createSecret()];
    const queue = Queue.sql({ database });
    const receiver = Webhook.receiver({ database });
    let endpoints: Record<string, Webhook.WebhookEndpoint>;
    let goneEndpoints: string[];
    const sender = Webhook.sender({
      database,
      queue,
      findEndpoint: async (id) => endpoints[id],
      onGone: async (id) => {
        goneEndpoints.push(id);
        if (id === "fragile" && goneEndpoints.length === 1) throw new Error("not disabled yet");
      },
    });
    const app = App.create({
      services: [receiver, sender, Migration.service({ database, migrations: [orders], onPending: "run" })],
    });
    let server: Server;
    let received: Received[];
    let answer: number;

    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      Log.configure({ level: "error", reporters: [] });
      await app.start({ server: false });
      server = createServer(async (request, response) => {
        received.push({ headers: request.headers, body: await text(request) });
        response.writeHead(answer, { location: "http://127.0.0.1/secret" }).end("the answer");
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
    });
    after(async () => {
      await app.stop();
      server.close();
      ConfigurationInternals.reset();
      LogInternals.reset();
    });
    beforeEach(async () => {
      await Cleaner.cleanAll();
      await database.exec(sql`delete from webhook_orders`);
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      Configuration.store([["OUTBOUND_ALLOWED_ORIGINS", origin]]);
      endpoints = { shop: { url: `${origin}/events`, secrets: [newSecret, oldSecret] } };
      [received, goneEndpoints, answer] = [[], [], 204];
    });

    const insertOrder = (order: string): Promise<number> =>
      database.exec(sql`insert into webhook_orders (name) values (${order})`);
    const countOrders = (): Promise<number> => database.find(sql.value(Row.int)`select count(*) from webhook_orders`);

    describe("once", () => {
      test("handles an event once, and returns the result of the handler", async () => {
        assert.equal(await receiver.once("evt_1", () => insertOrder("a")), 1);
        for (const _ of [1, 2]) assert.equal(await receiver.once("evt_1", () => insertOrder("a")), undefined);
        for (const id of ["evt_2", "EVT_1", "evt_1 ", "x".repeat(1000), "ü"])
          assert.equal(await receiver.once(id, () => insertOrder(id.slice(0, 10))), 1, id);
        assert.equal(await receiver.once("evt_1", () => insertOrder("b"), { source: "payments" }), 1);
        assert.equal(await countOrders(), 7);
      });

      test("refuses an event without an id, as all of them would be one", async () => {
        for (const id of ["", Object({}).id as string]) {
          await assert.rejects(
            receiver.once(id, () => insertOrder("a")),
            { code: "E_WEBHOOK_CONTENT" },
          );
        }
      });

      test("handles it again if the handler has failed", async () => {
        const fail = async (): Promise<never> => {
          await insertOrder("a");
          throw new Error("broken");
        };
        await assert.rejects(receiver.once("evt_1", fail), /broken/);
        const refuse = async (): Promise<unknown> => (await insertOrder("a"), error("refused"));
        assert.deepEqual(await receiver.once("evt_1", refuse), error("refused"));
        assert.equal(await countOrders(), 0);
        assert.equal(await receiver.once("evt_1", () => insertOrder("a")), 1);
      });

      test("handles concurrent deliveries once", async () => {
        const deliver = (): Promise<number | undefined> =>
          receiver.once("evt_1", () => insertOrder("a"), { maxRetries: 5 });
        const results = await Promise.all(Array.from({ length: 10 }, deliver));
        assert.deepEqual([results.filter((result) => result === 1).length, await countOrders()], [1, 1]);
      });

      test("takes part in a surrounding transaction", async () => {
        const outer = database.transaction(async () => {
          await receiver.once("evt_1", () => insertOrder("a"));
          throw new Error("undone");
        });
        await assert.rejects(outer, /undone/);
        assert.equal(await receiver.once("evt_1", () => insertOrder("a")), 1);
      });

      test("forgets events after 30 days", async () => {
        using clock = fakeClock();
        await receiver.once("evt_1", () => insertOrder("a"));
        await clock.advance(Time.days(30) - 1);
        await database.deleteExpiredRows();
        assert.equal(await receiver.once("evt_1", () => insertOrder("b")), undefined);
        await clock.advance(1);
        await database.deleteExpiredRows();
        assert.equal(await receiver.once("evt_1", () => insertOrder("c")), 1);
      });
    });

    describe("a delivery", () => {
      const event = { type: "order.paid", data: { order: 7, name: "Zoë" } };
      const find = async (id: string): Promise<Webhook.WebhookDelivery> => {
        const delivery = await sender.findOpt(id);
        assert.ok(delivery);
        return delivery;
      };
      const outcome = async (id: string): Promise<readonly unknown[]> => {
        const { status, attempts, response_status } = await find(id);
        return [status, attempts, response_status];
      };

      test("is signed with all secrets of the endpoint, so that its receiver verifies it", async () => {
        const id = await sender.send("shop", event);
        assert.deepEqual(await outcome(id), ["pending", 0, undefined]);
        await queue.runDue();
        assert.deepEqual(await outcome(id), ["succeeded", 1, 204]);
        const [{ headers, body } = { headers: {}, body: "" }] = received;
        const request: Webhook.SignedRequest = {
          header: (header) => headers[header]?.toString(),
          bytes: async () => Buffer.from(body),
        };
        for (const secret of [oldSecret, newSecret]) {
          const { content, ...webhook } = await Webhook.verify(request, { secrets: [secret] });
          assert.equal(webhook.id, id);
          assert.deepEqual({ ...(content as object), timestamp: "" }, { ...event, timestamp: "" });
        }
        assert.deepEqual([headers["content-type"], headers["webhook-id"]], ["application/json", id]);
      });

      test("is sent after the commit, and never after a rollback", async () => {
        await assert.rejects(
          database.transaction(async () => {
            await sender.send("shop", event);
            throw new Error("undone");
          }),
          /undone/,
        );
        await queue.runDue();
        assert.deepEqual([received, (await sender.search())[1]], [[], 0]);
      });

      test("is tried twelve times in about two days, until a response with 2xx", async () => {
        using clock = fakeClock();
        answer = 500;
        const [first, second] = [await sender.send("shop", event), await sender.send("shop", event)];
        const start = Time.now().getTime();
        const runNext = async (): Promise<void> => {
          const [jobs] = await queue.search({ status: "pending" });
          const next = Math.max(...jobs.map(({ next_run_at }) => next_run_at.getTime()));
          await clock.advance(Math.max(0, next - Time.now().getTime()));
          await queue.runDue();
        };
        for (let attempt = 1; attempt <= 12; attempt++) {
          assert.deepEqual((await outcome(first)).slice(0, 2), ["pending", attempt - 1]);
          if (attempt === 3) answer = 302;
          await runNext();
        }
        assert.deepEqual(await outcome(first), ["failed", 12, 302]);
        assert.equal((await find(first)).error, "it answered with 302.");
        const hours = (Time.now().getTime() - start) / Time.hours(1);
        assert.ok(hours > 42 && hours < 54, `${hours}`);
        assert.equal(new Set(received.map(({ headers }) => headers["webhook-id"])).size, 2);
        assert.notEqual(received[0]?.headers["webhook-signature"], received[4]?.headers["webhook-signature"]);
        // It is sent again with the same id and body.
        answer = 200;
        assert.equal(await sender.redeliver(second), true);
        await queue.runDue();
        assert.deepEqual(await outcome(second), ["succeeded", 13, 200]);
        const bodies = received.filter(({ headers }) => headers["webhook-id"] === second).map(({ body }) => body);
        assert.deepEqual([bodies.length, new Set(bodies).size], [13, 1]);
      });

      test("that waits for its next attempt is sent at once by redeliver, with a new URL and secret", async () => {
        answer = 503;
        const id = await sender.send("shop", event);
        await queue.runDue();
        assert.deepEqual(await outcome(id), ["pending", 1, 503]);
        answer = 200;
        endpoints["shop"] = { url: `${endpoints["shop"]?.url}/new`, secrets: [newSecret] };
        assert.equal(await sender.redeliver(id), true);
        await queue.runDue();
        assert.deepEqual([await outcome(id), received.length], [["succeeded", 2, 200], 2]);
        assert.equal(received[1]?.headers["webhook-signature"]?.toString().split(" ").length, 1);
        assert.equal((await queue.search({ status: "pending" }))[1], 0);
        for (const unknown of ["00000000-0000-4000-8000-000000000000", "none"])
          assert.equal(await sender.redeliver(unknown), false);
      });

      test("is sent again by redeliver while its job has not ended", async () => {
        const id = await sender.send("shop", event);
        await queue.runDue();
        // The state between the record of the delivery and the end of its job.
        await database.exec(sql`update queue_jobs set status = 'running', active_key = unique_key, finished_at = null,
          leased_until = ${new Date(Date.now() + Time.seconds(30))}`);
        assert.equal(await sender.redeliver(id), true);
        await queue.runDue();
        assert.deepEqual([await outcome(id), received.length], [["succeeded", 2, 204], 2]);
        assert.equal((await queue.search())[1], 1, "one job per delivery");
      });

      test("ends at once, and is reported, if the endpoint is gone", async () => {
        answer = 410;
        const id = await sender.send("shop", event);
        await queue.runDue();
        assert.deepEqual([await outcome(id), goneEndpoints], [["failed", 1, 410], ["shop"]]);
      });

      test("whose report of a gone endpoint fails is reported again", async () => {
        answer = 410;
        endpoints = { fragile: { url: endpoints["shop"]?.url ?? "", secrets: [newSecret] } };
        const id = await sender.send("fragile", event);
        await queue.runDue();
        assert.deepEqual((await outcome(id))[0], "pending");
        await sender.redeliver(id);
        await queue.runDue();
        assert.deepEqual([(await outcome(id))[0], goneEndpoints], ["failed", ["fragile", "fragile"]]);
      });

      test("ends at once if the endpoint does not exist, or its URL is refused", async () => {
        endpoints = { inside: { url: "https://10.0.0.1/", secrets: [newSecret] } };
        const ids = [await sender.send("inside", event), await sender.send("nobody", event)];
        await queue.runDue();
        for (const id of ids) assert.deepEqual(await outcome(id), ["failed", 1, undefined]);
        assert.equal((await find(ids[0] ?? "")).error, "The URL must have a public host.");
        assert.deepEqual(received, []);
      });

      test("whose endpoint does not answer is tried again, and the log has neither its URL nor its secret", async () => {
        Configuration.store([["OUTBOUND_ALLOWED_ORIGINS", "http://127.0.0.1:1"]]);
        endpoints["shop"] = { url: "http://127.0.0.1:1/path?key=7", secrets: [newSecret] };
        const id = await sender.send("shop", event);
        const [job] = await queue.runDue();
        assert.deepEqual(await outcome(id), ["pending", 1, undefined]);
        const stored = JSON.stringify([await find(id), job]);
        assert.match(stored, /ECONNREFUSED/);
        for (const hidden of [newSecret, "key=7"]) assert.ok(!stored.includes(hidden), hidden);
      });

      test("whose secret is unusable is tried again", async () => {
        endpoints["shop"] = { url: endpoints["shop"]?.url ?? "", secrets: [] };
        const id = await sender.send("shop", event);
        const [job] = await queue.runDue();
        assert.deepEqual([await outcome(id), received], [["pending", 1, undefined], []]);
        assert.match((await find(id)).error ?? "", /secret is unusable/);
        assert.equal(job?.status, "pending");
      });

      test("is found by endpoint, status and type, newest first", async () => {
        using clock = fakeClock();
        answer = 410;
        const first = await sender.send("shop", event);
        await queue.runDue();
        await clock.advance(1);
        const second = await sender.send("shop", { ...event, type: "order.sent" });
        await sender.send("other", event);
        const idsOf = async (filterBy: Record<string, string>): Promise<readonly string[]> =>
          (await sender.search({ filterBy }))[0].map(({ id }) => id);
        assert.deepEqual(await idsOf({ endpoint: "shop" }), [second, first]);
        assert.deepEqual(await idsOf({ endpoint: "shop", status: "failed" }), [first]);
        assert.deepEqual(await idsOf({ type: "order.sent" }), [second]);
        await clock.advance(Time.days(30));
        await database.deleteExpiredRows();
        assert.equal((await sender.search())[1], 0);
        assert.equal(await sender.findOpt("none"), undefined);
      });

      test("goes to public hosts only, unless doctor warns in production", async () => {
        const levelOf = async (environment: "development" | "production"): Promise<unknown> =>
          (await sender.check?.({ environment }))?.[0]?.level;
        assert.deepEqual([await levelOf("development"), await levelOf("production")], ["ok", "warning"]);
        Configuration.store([["OUTBOUND_ALLOWED_ORIGINS", ""]]);
        assert.equal(await levelOf("production"), "ok");
      });

      test("has a type and data that can be sent", async () => {
        for (const [type, data] of [
          ["", 1],
          ["order paid", 1],
          ["x".repeat(129), 1],
          ["order.paid", 1n],
        ] as const)
          await assert.rejects(sender.send("shop", { type, data }), { code: "E_WEBHOOK_EVENT" });
      });
    });

    test("the commands list and repeat deliveries", async () => {
      answer = 410;
      const id = await sender.send("shop", { type: "order.paid", data: 1 });
      await queue.runDue();
      const run = (...argv: string[]): ReturnType<typeof runCommand> => runCommand(app, ...argv);
      const listed = await run("webhook.list", "--status", "failed");
      assert.match(
        listed.stdout,
        new RegExp(`^${id}  failed     1×  410  \\S+  shop  order\\.paid  it answered with 410\\.\n1 of 1`),
      );
      assert.equal((await run("webhook.list", "--endpoint", "other")).stdout.trim(), "No deliveries.");
      assert.equal((JSON.parse((await run("webhook.list", "--json")).stdout) as { total: number }).total, 1);
      assert.match((await run("webhook.redeliver", "--failed")).stdout, /^1 of 1 will be sent again/);
      answer = 200;
      await queue.runDue();
      const repeated = await run("webhook.redeliver", id, "none");
      assert.match(repeated.stdout, /^1 of 2/);
      assert.match(repeated.stderr, /no delivery none/);
      for (const wrong of [
        ["webhook.redeliver"],
        ["webhook.redeliver", "--failed", id],
        ["webhook.list", "--limit", "x"],
      ])
        assert.equal((await run(...wrong)).code, 2, wrong.join(" "));
      assert.equal((await run("webhook.list", "--status", "lost")).code, 1);
    });
  });
}

test("events and deliveries are kept for a time above 0, at most a hundred years", () => {
  const database = sqlite({ url: "sqlite::memory:" });
  const options = { database, queue: Queue.memory(), findEndpoint: async () => undefined };
  for (const keepMs of [0, Number.NaN, Time.days(36_526)]) {
    assert.throws(() => Webhook.receiver({ database, keepMs }), { code: "E_DATABASE_KEEP" });
    assert.throws(() => Webhook.sender({ ...options, keepMs }), { code: "E_DATABASE_KEEP" });
  }
});

webhookContract("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => webhookContract("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => webhookContract("MariaDB", mariadb({ url })));
