// A shop, whose types `readable-types.long.test.ts` reads as an editor shows them. This file contains no tests.
import { type Database, Row, sql } from "../../src/entry-points/database.ts";
import { Table } from "../../src/entry-points/table.ts";
import {
  App,
  Cache,
  Email,
  Form,
  Log,
  Migration,
  Queue,
  Schedule,
  Schema,
  Storage,
  Time,
  Token,
  User,
  Web,
} from "../../src/index.ts";
import { html } from "../../src/html/index.ts";
import { editPage, formOf, itemPage, listPage, newPage, type ResourcePages } from "../../src/web/components/index.ts";

const schema = Schema.record({
  name: Schema.string({ min: 1 }),
  price: Schema.decimal({ min: 0 }),
  stock: Schema.int({ min: 0, default: 0 }),
  state: Schema.oneOf(["draft", "sold"]),
});
const details = Schema.record({
  note: Schema.optional(Schema.text()),
  isGift: Schema.bool(),
  tags: Schema.list(Schema.string()),
  due: Schema.date(),
});
const orders = Table.make("orders", {
  schema: Schema.record({ email: Schema.string() }),
  relations: { lines: () => Table.hasMany(lines) },
});
const lines = Table.make("lines", {
  schema: Schema.record({ quantity: Schema.int({ min: 1 }) }),
  columns: { product_id: Row.uuid, order_id: Row.uuid },
  relations: { order: () => Table.belongsTo(orders), product: () => Table.belongsTo(products) },
});
const categories = Table.make("categories", { schema: Schema.record({ name: Schema.string() }) });
const reviews = Table.make("reviews", {
  schema: Schema.record({ text: Schema.text(), stars: Schema.int() }),
  columns: { product_id: Row.uuid },
});
const products = Table.make("products", {
  schema,
  columns: { category_id: Row.uuid },
  timestamps: true,
  relations: {
    reviews: () => Table.hasMany(reviews, { orderBy: "stars" }),
    category: () => Table.belongsTo(categories),
  },
  search: { filter: ["name"], sortBy: ["created_at", "name"] },
});
type Product = Table.Infer<typeof products>;
type ProductInput = Schema.Infer<typeof schema>;
type ProductWithReviews = Table.Infer<typeof products, ["reviews", "category"]>;

async function operations(database: Database, input: ProductInput): Promise<void> {
  const value = { ...input, category_id: "id" };
  const decoded = schema.decode([["name", "Tea"]]);
  const decodedJson = schema.decodeJson({});
  const decodedPart = schema.decodePartial([]);
  const filled = schema.fill(input);
  const inserted = await products.insert(database, value);
  const insertedAll = await products.insertAll(database, [value]);
  const updated = await products.update(database, inserted, { name: "Coffee" });
  const upserted = await products.upsert(database, value, { on: ["name"] });
  const restored = await products.restore(database, inserted);
  const found = await products.find(database, "id");
  const foundOpt = await products.findOpt(database, { stock: 0 });
  const withCategory = await products.find(database, "id", { with: ["category"] });
  const loaded = await products.find(database, "id", { with: ["category", "reviews"], counts: ["reviews"] });
  const nested = await lines.find(database, "id", { with: [{ order: ["lines"] }, "product"] });
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
  const names = collected.map((product) => product.name);
  void [decoded, decodedJson, decodedPart, filled, insertedAll, updated, upserted, restored, found, foundOpt, loaded];
  void [withCategory, nested, collected, searched, paged, counted, exists, condition, rows, row, first, changed];
  void [inTransaction, names];
}

const pages: ResourcePages<Product, ProductInput> = {
  texts: { one: "product", many: "products" },
  schema,
  labelOf: ({ name }) => name,
  layout: (_, __, page) => page,
};
const view = {
  index: listPage(pages, { columns: ["name", "price"], card: (item, request) => `${item.name} ${request.path}` }),
  show: itemPage(pages, { facts: ["name"] }),
  new: newPage(pages),
  edit: editPage(pages, { fields: { name: { label: "Name" } } }),
};
async function search(): Promise<readonly [items: readonly Product[], total: number]> {
  return [[], 0];
}
async function find(id: string): Promise<Product | undefined> {
  return products.findOpt({} as Database, id);
}
const service = { search, find };
const resource = Web.Rest.resourceOfService({ name: "products", schema, view, service, only: ["index", "show"] });
const api = Web.Rest.jsonOfService({ name: "products", schema, only: ["index", "show"], service });
const route = Web.get("/products/:id", async ({ params }) => Web.Response.json(params.id));
const posted = Web.post("/products", async (request) => {
  const form = await request.form();
  const csrf = Web.Csrf.find(request);
  const result = schema.decode(form);
  const name = Form.find(result.form, "name");
  const page = formOf(schema, result.form, { csrf, submit: "Save" });
  if (result.value === undefined)
    return Web.Response.html(
      html`<h1>${name}</h1>
        ${page}`,
      { status: 422 },
    );
  const cart = Web.Session.find("cart", request) ?? "";
  const saved = Web.Flash.setNotice("Saved", Web.Response.redirect(Web.link(request, "products.index")));
  return Web.Session.set([["cart", cart]], saved);
});
const put = Web.put("/products/:id", async (request) => {
  const member = await User.Web.userOrThrow(request);
  return Web.Response.text(member.email);
});
const upload = Web.post("/photos", (request) =>
  request.upload(async ({ files }) => Web.Response.json(files.length), { maxFileBytes: 1_000_000 }),
);
const mail = Queue.job({ name: "order.mail", handle: async () => {} });

async function services(database: Database, request: Web.Request): Promise<void> {
  const queue = Queue.sql({ database, jobs: () => [mail] });
  const cache = Cache.sql({ database });
  const token = Token.sql({ database });
  const storage = Storage.sql({ database });
  const job = await queue.dispatch(mail, undefined, { delayMs: Time.minutes(1) });
  const cached = await cache.getOrSet("motd", { expiresInMs: Time.hours(1) }, async () => "Closed");
  const created = await token.create({}, { purpose: "api", owner: "id" });
  const file = await storage.put("Hello", { filename: "hello.txt" });
  const email = Email.queued({ queue, email: Email.memory() });
  await email.send({ recipient: "ada@example.com", subject: "Hello", text: "Hello" });
  const cleaning = Schedule.make({ name: "clean", intervalMs: Time.hours(1), run: async () => {} });
  const schedule = Schedule.service([cleaning], { database });
  const step = Migration.step("create", "create table notes (id uuid primary key)");
  const migration = Migration.service({ database, migrations: [Migration.make("notes", [step])] });
  const users = User.service({ database });
  const user = await User.Web.user(request);
  Log.source("shop").info("Started", { user: user?.id });
  void [job, cached, created, file, schedule, migration, users];
}

const site = Web.choose([route, posted, put, upload, ...resource], { middlewares: Web.Middleware.site() });
const router = Web.choose([site, Web.choose(api, { scope: "/api", middlewares: Web.Middleware.api() })]);
const http = Web.Http.service({ router });
const app = App.create({ services: [http] });

void [operations, services, details, app];
void ((product: Product, withReviews: ProductWithReviews) => [product, withReviews]);
