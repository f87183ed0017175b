// A shop, whose types `readable-types.long.test.ts` reads as an editor shows them. This file contains no tests.
import { type Database, Row, sql } from "../../src/entry-points/database.ts";
import { Table } from "../../src/entry-points/table.ts";
import { App, Queue, Schema, Web } from "../../src/index.ts";
import { formOf, listPage } from "../../src/web/components/index.ts";

const schema = Schema.record({
  name: Schema.string({ min: 1 }),
  price: Schema.decimal({ min: 0 }),
  stock: Schema.int({ min: 0, default: 0 }),
});
const orders = Table.make("orders", { schema: Schema.record({ email: Schema.string() }) });
const lines = Table.make("lines", {
  schema: Schema.record({ quantity: Schema.int({ min: 1 }) }),
  columns: { product_id: Row.uuid, order_id: Row.uuid },
  relations: { order: () => Table.belongsTo(orders) },
});
const products = Table.make("products", {
  schema,
  timestamps: true,
  relations: { lines: () => Table.hasMany(lines) },
});
type Product = Table.Infer<typeof products>;
type ProductInput = Schema.Infer<typeof schema>;
type ProductWithLines = Table.Infer<typeof products, ["lines"]>;

async function operations(database: Database, value: ProductInput): Promise<void> {
  const decoded = schema.decode([["name", "Tea"]]);
  const decodedJson = schema.decodeJson({});
  const decodedPart = schema.decodePartial([]);
  const filled = schema.fill(value);
  const inserted = await products.insert(database, value);
  const insertedAll = await products.insertAll(database, [value]);
  const updated = await products.update(database, inserted, { name: "Coffee" });
  const upserted = await products.upsert(database, value, { on: ["name"] });
  const restored = await products.restore(database, inserted);
  const found = await products.find(database, "id");
  const foundOpt = await products.findOpt(database, { stock: 0 });
  const loaded = await products.find(database, "id", {
    with: [{ lines: ["order"] }],
    counts: ["lines"],
  });
  const collected = await products.collect(database, { where: { stock: 0 }, orderBy: { created_at: "desc" } });
  const searched = await products.search(database, { filter: "tea" });
  const paged = await products.searchPage(database, {});
  const counted = await products.count(database, { stock: [0, 1] });
  const exists = await products.exists(database, "id");
  const condition = products.where({ stock: 0 });
  await products.delete(database, inserted);
  const total = Row.record({ id: Row.uuid, total: Row.decimal });
  const rows = await database.collect(sql.row(total)`select id, total from orders`);
  const row = await database.findOpt(sql.row(total)`select id, total from orders`);
  const first = await database.find(sql.row(total)`select id, total from orders limit 1`);
  const changed = await database.exec(sql`delete from orders`);
  const inTransaction = await database.transaction(async () => products.count(database));
  void [decoded, decodedJson, decodedPart, filled, insertedAll, updated, upserted, restored, found, foundOpt, loaded];
  void [collected, searched, paged, counted, exists, condition, rows, row, first, changed, inTransaction];
}

const view = {
  index: listPage(
    { one: "product", many: "products", schema, labelOf: ({ name }: Product) => name, layout: (_, __, page) => page },
    { columns: ["name", "price"] },
  ),
};
const service = { search: async () => [[], 0] as const, find: async () => undefined };
const resource = Web.Rest.resourceOfService({ name: "products", schema, view, service, only: ["index"] });
const route = Web.get("/products/:id", async ({ params }) => Web.Response.json(params.id));
const posted = Web.post("/products", async (request) => {
  const form = await request.form();
  const csrf = Web.Csrf.find(request);
  const page = formOf(schema, schema.decode(form).form, { csrf, submit: "Save" });
  return Web.Response.html(page, { status: 422 });
});
const router = Web.choose([route, posted, ...resource], { middlewares: Web.Middleware.site() });
const http = Web.Http.service({ router });
const mail = Queue.job({ name: "order.mail", handle: async () => {} });
const app = App.create({ services: [http] });

void [operations, mail, app];
void ((product: Product, withLines: ProductWithLines) => [product, withLines]);
