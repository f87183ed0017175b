// What an editor shows of the types of an application: hovers, completions, and the messages of usual mistakes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../sources.ts";
import { openFile } from "./language-server.ts";

const fixture = join(root, "test/types/shop-fixture.ts");

/** Mistakes, each with a pattern that its message matches, and the text that the editor marks. */
const mistakes: readonly (readonly [code: string, message: RegExp, marked: string])[] = [
  [`await products.insert(database, { name: "Tea", stock: 1 });`, /missing .*: category_id, price, state$/, "{"],
  [
    `await products.insert(database, { name: "Tea", price: "1", stok: 1 });`,
    /'stok' .* Did you mean .*'stock'/,
    "stok",
  ],
  [`await products.insert(database, { name: "Tea", price: 12.5, stock: 1 });`, /'number' .* 'string'/, "price"],
  [`await products.collect(database, { where: { colour: "red" } });`, /'colour' does not exist/, "colour"],
  [`await products.collect(database, { orderBy: "colour" });`, /'"colour"' is not assignable/, "orderBy"],
  [`await products.find(database, "id", { with: ["review"] });`, /Did you mean '"reviews"'/, `"review"`],
  [`void (await products.find(database, "id")).lines;`, /'lines' does not exist on type 'Readonly<\{ id/, "lines"],
  [`void products.find(database, "id").name;`, /'name' does not exist on type 'Promise<Readonly<\{ id/, "name"],
  [`void schema.decode([]).value.name;`, /possibly 'undefined'/, "schema.decode([]).value"],
  [`const product: Product = await products.find(database, "id", { counts: ["orders"] });`, /'"orders"'/, `"orders"`],
  [
    `const product: Product = schema.decode([]).value!;`,
    /missing .* 'Product': id, created_at, updated_at, category_id$/,
    "product",
  ],
  [`schema.fill({ colour: "red" });`, /'colour' does not exist/, "colour"],
  [
    `Web.get("/p/:id", ({ params }) => Web.Response.json(params.name));`,
    /'name' does not exist on type '\{ readonly id: string; \}'/,
    "name",
  ],
  [`formOf(schema, [], { csrf: "", submit: "", fields: { colour: {} } });`, /'colour' does not exist/, "colour"],
  [
    `await products.upsert(database, { name: "Tea" }, { on: ["colour"] });`,
    /missing .*: category_id, price, state, stock$/,
    "{",
  ],
  [`await products.update(database, { id: "id" }, { id: "other" });`, /'id' does not exist/, "id"],
  [`await products.search(database, {}, { with: ["review"] });`, /Did you mean '"reviews"'/, `"review"`],
  [`Table.make("t", { schema, search: { sortBy: ["colour"] } });`, /"colour"/, `"colour"`],
  [`Table.make("t", { schema, timestamp: true });`, /'timestamp' does not exist/, "timestamp"],
  [`Table.hasMany(reviews, { orderBy: "colour" });`, /"colour"/, "orderBy"],
  [`Table.manyToMany(categories, {});`, /through/, "{"],
  [`listPage(pages, { colums: ["name"] });`, /'colums' does not exist/, "colums"],
  [`listPage(pages, { card: (item) => item.colour });`, /'colour' does not exist on type 'Product'/, "colour"],
  [
    `Web.Rest.resourceOfService({ name: "products", schema, view, service });`,
    /missing .*: insert, update, delete$/,
    "service",
  ],
  [
    `Web.Rest.jsonOfService({ name: "products", schema, service, only: ["destroy"] });`,
    /'delete' is missing/,
    "service",
  ],
  [`Web.link({} as Web.Request, 12);`, /12|number/, "12"],
];

/** Positions in options, marked by a bar, each with names that the editor offers there. */
const completions: readonly (readonly [code: string, names: string])[] = [
  [`await products.insert(database, { | });`, "name price stock state category_id id?"],
  [`await products.update(database, { id: "id" }, { | });`, "name? price? stock? state? category_id?"],
  [`await products.find(database, { | });`, "id? name? price? category_id? created_at?"],
  [`await products.find(database, "id", { | });`, "with? counts? withDeleted? ctx? signal?"],
  [`await products.find(database, "id", { with: ["|"] });`, "category reviews"],
  [`await products.find(database, "id", { counts: ["|"] });`, "reviews"],
  [`await products.collect(database, { | });`, "where? orderBy? limit? offset? with?"],
  [`await products.collect(database, { orderBy: "|" });`, "created_at name price"],
  [`await products.collect(database, { orderBy: { name: "|" } });`, "asc desc"],
  [`await products.search(database, { | });`, "filter? filterBy? sortBy? limit?"],
  [`await products.search(database, {}, { | });`, "where? total? with?"],
  [`await products.upsert(database, {} as never, { on: ["|"] });`, "name price category_id"],
  [`Table.make("t", { schema, | });`, "columns? relations? timestamps? softDelete? search? unique?"],
  [`Table.make("t", { schema, search: { | } });`, "filter? filterBy? sortBy? fullText?"],
  [`Table.make("t", { schema, search: { sortBy: ["|"] } });`, "id name price"],
  [`Table.hasMany(reviews, { | });`, "column? orderBy?"],
  [`Table.hasMany(reviews, { orderBy: "|" });`, "stars text"],
  [`Table.belongsTo(reviews, { | });`, "column? onDelete?"],
  [`listPage(pages, { | });`, "columns? card? heading? empty? search?"],
  [`Web.Rest.resourceOfService({ name: "products", schema, view, | });`, "service only? parent? policy? filterBy?"],
  [`Web.Rest.resourceOfService({ name: "products", schema, view, service, only: ["|"] });`, "index show destroy"],
  [`Web.Rest.jsonOfService({ name: "products", schema, | });`, "service only? include?"],
  [`Schema.string({ | });`, "min? max? default?"],
  [`Web.Middleware.requestLimit({ | });`, "limit periodMs key?"],
  [`Queue.job({ name: "order.mail", | });`, "handle input? maxAttempts?"],
  [`formOf(schema, [], { | });`, "csrf submit fields?"],
];

const inFunction = (code: string, index: number): string =>
  `export async function added${index}(database: Database): Promise<unknown> {\n  ${code}\n  return database;\n}\n`;
const shop = readFileSync(fixture, "utf8");
const addedCodes = [...mistakes.map(([code]) => code), ...completions.map(([code]) => code.replace("|", ""))];
const file = await openFile(fixture, shop + addedCodes.map(inFunction).join(""));
after(() => file[Symbol.dispose]());
const lines = file.text.split("\n");

/** Returns the hover of the name at the end of a text, or before its first parenthesis, where the text stands first. */
async function hoverOf(text: string): Promise<string> {
  const line = lines.findIndex((content) => content.includes(text));
  assert.notEqual(line, -1, `${text} is not in the fixture`);
  const name = /\w+$/.exec(text.replace(/(?<=\w)\(.*/, "")) ?? assert.fail(text);
  return file.hover({ line, character: (lines[line]?.indexOf(text) ?? 0) + name.index });
}

const functions = `
  Schema.record Schema.string Schema.text Schema.int Schema.decimal Schema.bool Schema.date Schema.oneOf Schema.list
  Schema.optional schema.decode schema.decodeJson schema.decodePartial schema.fill
  products.insert products.insertAll products.update products.upsert products.restore products.find products.findOpt
  products.collect products.search products.searchPage products.count products.exists products.where products.delete
  Row.record sql.row database.collect database.find database.findOpt database.exec database.transaction
  Web.get Web.post Web.put Web.choose Web.link Web.Response.html Web.Response.json Web.Response.text
  Web.Response.redirect Web.Session.find Web.Session.set Web.Csrf.find Web.Flash.setNotice Web.Middleware.site
  Web.Middleware.api Web.Http.service Web.Rest.resourceOfService Web.Rest.jsonOfService request.form request.upload
  formOf listPage itemPage newPage editPage Form.find User.service User.Web.user User.Web.userOrThrow
  Queue.sql Queue.job queue.dispatch Cache.sql cache.getOrSet Token.sql token.create Storage.sql storage.put
  Email.queued email.send Schedule.make Schedule.service Migration.step Migration.make Migration.service Log.source
  Time.minutes App.create`;
// A hover of a table with relations contains the related tables, those related to them, and so on.
const calls = [
  `Table.make("reviews"`,
  "Table.hasMany(reviews",
  "Table.belongsTo(categories",
  `products.find(database, "id", { with: ["category"]`,
];
for (const call of [
  ...functions
    .trim()
    .split(/\s+/)
    .map((name) => `${name}(`),
  ...calls,
]) {
  test(`the hover of ${call} has at most 600 characters`, async () => {
    const text = await hoverOf(call);
    assert.ok(/\w\(|<|=>/.test(text) && text.length <= 600, `${text.length} characters: ${text}`);
  });
}

const [tables = ""] = shop.split("const pages");
for (const [, name = ""] of tables.matchAll(/^(?: {2}const|type) (\w+) =/gm)) {
  test(`the hover of ${name} shows the properties, without names of generic types`, async () => {
    const text = await hoverOf(shop.includes(`type ${name} =`) ? `type ${name}` : `const ${name}`);
    assert.ok(text.length <= 600, `${text.length} characters: ${text}`);
    assert.doesNotMatch(text, /\.\.\.|Flat|RecordOf|ValuesOf|Loaded\w*<|Counted|&/);
  });
}

test("the hovers of values of a named type show its name", async () => {
  assert.equal(await hoverOf("card: (item"), "(parameter) item: Product");
  assert.match(await hoverOf("async function find("), /Promise<Product \| undefined>$/);
});

for (const [code, names] of completions) {
  test(`the editor completes ${code}`, async () => {
    const line = lines.indexOf(`  ${code.replace("|", "")}`);
    const offered = await file.completions({ line, character: code.indexOf("|") + 2 });
    const missing = names.split(" ").filter((name) => !offered.includes(name));
    assert.deepEqual(missing, [], `Offered: ${offered.join(" ")}`);
  });
}

test("the messages of usual mistakes name the field, in at most three lines", async () => {
  const problems = await file.diagnostics();
  for (const [code, message, marked] of mistakes) {
    const line = lines.findIndex((text) => text === `  ${code}`);
    const [problem, ...others] = problems.filter(({ range, severity }) => range.start.line === line && severity === 1);
    assert.ok(problem !== undefined && others.length === 0, code);
    assert.match(problem.message, message, code);
    // The message for a service contains the types of its functions, and those of the missing ones.
    const maxLength = code.startsWith("Web.Rest") ? 700 : 410;
    assert.ok(problem.message.length <= maxLength && problem.message.split("\n").length <= 3, problem.message);
    assert.ok(lines[line]?.slice(problem.range.start.character).startsWith(marked), `${code}: ${problem.message}`);
  }
});
