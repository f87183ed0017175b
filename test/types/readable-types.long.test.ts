// What an editor shows of the types of an application: hovers, and the messages of usual mistakes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../sources.ts";
import { openFile } from "./language-server.ts";

const fixture = join(root, "test/types/shop-fixture.ts");

/** Mistakes, each with a pattern that its message matches, and the text that the editor marks. */
const mistakes: readonly (readonly [code: string, message: RegExp, marked: string])[] = [
  [`await products.insert(database, { name: "Tea", stock: 1 });`, /missing .*: price$|'price' is missing/, "{"],
  [
    `await products.insert(database, { name: "Tea", price: "1", stok: 1 });`,
    /'stok' .* Did you mean .*'stock'/,
    "stok",
  ],
  [`await products.insert(database, { name: "Tea", price: 12.5, stock: 1 });`, /'number' .* 'string'/, "price"],
  [`await products.collect(database, { where: { colour: "red" } });`, /'colour' does not exist/, "colour"],
  [`await products.collect(database, { orderBy: "colour" });`, /'"colour"' is not assignable/, "orderBy"],
  [`await products.find(database, "id", { with: ["line"] });`, /Did you mean '"lines"'/, `"line"`],
  [`void (await products.find(database, "id")).lines;`, /'lines' does not exist on type '\{ readonly id/, "lines"],
  [`void products.find(database, "id").name;`, /'name' does not exist on type 'Promise<\{ readonly id/, "name"],
  [`void schema.decode([]).value.name;`, /possibly 'undefined'/, "schema.decode([]).value"],
  [`const product: Product = await products.find(database, "id", { counts: ["orders"] });`, /'"orders"'/, `"orders"`],
  [`const product: Product = schema.decode([]).value!;`, /missing .*: id, created_at, updated_at$/, "product"],
  [`schema.fill({ colour: "red" });`, /'colour' does not exist/, "colour"],
  [
    `Web.get("/p/:id", ({ params }) => Web.Response.json(params.name));`,
    /'name' does not exist on type '\{ readonly id: string; \}'/,
    "name",
  ],
  [`formOf(schema, [], { csrf: "", submit: "", fields: { colour: {} } });`, /'colour' does not exist/, "colour"],
];

const inFunction = ([code]: (typeof mistakes)[number], index: number): string =>
  `export async function mistake${index}(database: Database): Promise<unknown> {\n  ${code}\n  return database;\n}\n`;
const shop = readFileSync(fixture, "utf8");
const file = await openFile(fixture, shop + mistakes.map(inFunction).join(""));
after(() => file[Symbol.dispose]());
const lines = file.text.split("\n");

/** Returns the hover of the first match of a pattern, at its group. */
async function hoverOf(pattern: RegExp): Promise<string> {
  const line = lines.findIndex((text) => pattern.test(text));
  const [, before = "", name] =
    pattern.exec(lines[line] ?? "") ?? assert.fail(`${pattern.source} is not in the fixture`);
  const index = lines[line]?.indexOf(before + (name ?? "")) ?? 0;
  return file.hover({ line, character: index + before.length });
}

const functions = `record decode decodeJson decodePartial fill insert insertAll update upsert restore find findOpt collect search
  searchPage count exists where delete exec transaction row string decimal int get post form json html choose site
  formOf service create job`;
for (const name of functions.split(/\s+/)) {
  test(`the hover of the function ${name} has at most 600 characters`, async () => {
    const text = await hoverOf(new RegExp(`(\\b)(${name})[(\`]`));
    assert.ok(text.includes(name) && text.length <= 600, `${text.length} characters: ${text}`);
  });
}

for (const [, name = ""] of shop.matchAll(/^(?: {2}const|type) (\w+) =/gm)) {
  test(`the hover of ${name} shows the properties, without names of generic types`, async () => {
    const text = await hoverOf(new RegExp(`((?:const|type) )(${name}) =`));
    assert.ok(text.length <= 600, `${text.length} characters: ${text}`);
    assert.doesNotMatch(text, /\.\.\.|Flat|RecordOf|ValuesOf|Loaded\w*<|Counted|&/);
  });
}

test("the messages of usual mistakes name the field, in at most three lines", async () => {
  const problems = await file.diagnostics();
  for (const [code, message, marked] of mistakes) {
    const line = lines.findIndex((text) => text === `  ${code}`);
    const [problem, ...others] = problems.filter(({ range, severity }) => range.start.line === line && severity === 1);
    assert.ok(problem !== undefined && others.length === 0, code);
    assert.match(problem.message, message, code);
    assert.ok(problem.message.length <= 400 && problem.message.split("\n").length <= 3, problem.message);
    assert.ok(lines[line]?.slice(problem.range.start.character).startsWith(marked), `${code}: ${problem.message}`);
  }
});
