// Stores lists and nested records of a form in JSON columns and reads them back, on every database.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { App, Configuration, type Form, Migration, ok, Random, Schema, Web } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import { visitor } from "limmat/testing";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const addressSchema = Schema.record({ street: Schema.string(), zip: Schema.optional(Schema.int()) });
const partListSchema = Schema.list(
  Schema.record({
    title: Schema.string(),
    price: Schema.decimal(),
    due_on: Schema.optional(Schema.date()),
    sent_at: Schema.optional(Schema.datetime()),
    gift: Schema.bool(),
  }),
);
const schema = Schema.record({
  title: Schema.string(),
  tags: Schema.list(Schema.string()),
  address: Schema.optional(addressSchema),
  parts: partListSchema,
});
type Input = Schema.Infer<typeof schema>;

const orderRow = Row.record({
  id: Row.uuid,
  title: Row.text,
  tags: Row.json<Input["tags"]>(),
  address: Row.optional(Row.json(addressSchema)),
  parts: Row.json(partListSchema),
});
type Order = Row.Infer<typeof orderRow>;
const columns = sql.columns(orderRow);

const migrations = [
  Migration.make("orders", [
    Migration.step(
      "create table orders",
      ({ uuid, string, json }) => `create table orders (
        id ${uuid} primary key, title ${string(100)} not null, tags ${json} not null, address ${json}, parts ${json} not null
      )`,
    ),
  ]),
];

function serviceOf(database: Database): Pick<Web.Rest.ResourceService<Order, Input>, "find" | "insert" | "update"> {
  const jsonOrNull = (value: unknown) => (value === undefined ? null : sql.json(value));
  return {
    find: (id) => database.findOpt(sql.row(orderRow)`select ${columns} from orders where id = ${id}`),
    insert: async ({ title, tags, address, parts }) => {
      const id = Random.uuid();
      await database.exec(sql`insert into orders (${columns})
        values (${id}, ${title}, ${sql.json(tags)}, ${jsonOrNull(address)}, ${sql.json(parts)})`);
      return ok({ id, title, tags, address, parts });
    },
    update: async (id, { title, tags, address, parts }) => {
      await database.exec(sql`update orders set title = ${title}, tags = ${sql.json(tags)},
        address = ${jsonOrNull(address)}, parts = ${sql.json(parts)} where id = ${id}`);
      return ok({ id, title, tags, address, parts });
    },
  };
}

const formPage = (_request: Web.Request, csrf: string, form: Form) =>
  html`<input name="csrf" value="${csrf}" />${form.map(([name, input]) => html`[${name}=${input}]`)}`;

function compositeCases(name: string, database: Database): void {
  describe(name, () => {
    const migration = Migration.service({ database, migrations, onPending: "run" });
    const resource = {
      name: "orders",
      schema,
      service: serviceOf(database),
      view: { new: formPage, edit: formPage },
      only: ["new", "create", "edit", "update"],
    } as const;
    const router = Web.choose(Web.Rest.resourceOfService(resource), { middlewares: Web.Middleware.site() });
    const http = Web.Http.service({ router, dependencies: () => [migration] });
    const app = App.create({ services: [database, migration, http] });

    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await app.start({ server: false });
    });
    after(async () => {
      await app.stop();
      ConfigurationInternals.reset();
    });

    test("stores submitted values, shows them in the edit form, and stores them again from there", async () => {
      const browser = visitor(app);
      await browser.get("/orders/new");
      const sent = {
        title: "First",
        tags: ["red", `"\\'; é 👍`],
        "address.street": "Lane",
        "parts.7.title": "b",
        "parts.7.price": "1.5",
        "parts.2.title": "a",
        "parts.2.price": "2",
        "parts.2.gift": "on",
        "parts.2.due_on": "2026-12-31",
        "parts.2.sent_at": "2026-12-30T10:00:00Z",
      };
      assert.equal((await browser.post("/orders", sent)).status, 303);
      const order = await database.find(sql.row(orderRow)`select ${columns} from orders`);
      const parts = [
        { title: "a", price: "2.00", due_on: "2026-12-31", sent_at: new Date("2026-12-30T10:00:00Z"), gift: true },
        { title: "b", price: "1.50", due_on: undefined, sent_at: undefined, gift: false },
      ];
      assert.deepEqual(order, {
        id: order.id,
        title: "First",
        tags: sent.tags,
        address: { street: "Lane", zip: undefined },
        parts,
      });

      const { body } = await browser.get(`/orders/${order.id}/edit`);
      for (const field of ["tags.0=red", "address.street=Lane", "address.zip=", "parts.0.due_on=2026-12-31"]) {
        assert.ok(body.includes(`[${field}]`), body);
      }
      const editedFields = schema
        .fill(order)
        .flatMap(([field, input]) => (input === undefined ? [] : [[field, input] as const]));
      assert.equal((await browser.put(`/orders/${order.id}`, Object.fromEntries(editedFields))).status, 303);
      assert.deepEqual(await database.find(sql.row(orderRow)`select ${columns} from orders`), order);

      const emptyFields = { tags: "", parts: "", "address.street": "" };
      assert.equal((await browser.patch(`/orders/${order.id}`, emptyFields)).status, 303);
      assert.deepEqual(await database.find(sql.row(orderRow)`select ${columns} from orders`), {
        id: order.id,
        title: "First",
        tags: [],
        address: undefined,
        parts: [],
      });
    });
  });
}

compositeCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => compositeCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => compositeCases("MariaDB", mariadb({ url })));
