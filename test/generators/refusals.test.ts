import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { testProject } from "./project.ts";

// Each is refused with one clear message, and leaves the project as it was.
const badNames: readonly (readonly [name: string, message: RegExp])[] = [
  ["", /lower-case/],
  ["Todo", /Write "todo"/],
  ["BlogPost", /Write "blog_post"/],
  ["blog-post", /Write "blog_post"/],
  ["blog post", /Write "blog_post"/],
  ["blog.post", /Write "blog_post"/],
  ["_todo", /Write "todo"/],
  ["todo_", /Write "todo"/],
  ["blog__post", /Write "blog_post"/],
  ["1st", /lower-case/],
  ["../todo", /Write "todo"/],
  ["todo/evil", /lower-case/],
  ["a:b", /lower-case/],
  ["tödo", /lower-case/],
  ["todo\0", /lower-case/],
  ["todo;drop", /lower-case/],
  [`a${"b".repeat(30)}`, /at most 30/],
  ["todos", /looks like a plural. Write "todo"/],
  ["people", /Write "person"/],
  ["news", /--plural/],
  ["class", /word of TypeScript/],
  ["await", /word of TypeScript/],
  ["constructor", /every object/],
  ["then", /every object/],
  ["toString", /lower-case/],
  ["layout", /another meaning/],
  ["request", /another meaning/],
  ["promise", /another meaning/],
];

const badFields: Readonly<Record<string, RegExp>> = {
  title: /write <name>:<type>/,
  ":string": /lower-case/,
  "title:": /write <name>:<type>/,
  "Title:string": /Write "title"/,
  "dueOn:date": /Write "due_on"/,
  "title:varchar": /Did you mean "string"/,
  "title:strng": /Did you mean "string"/,
  "title:uuuu": /Known are: string/,
  "tags:list": /Take "json" for its column, then write Schema\.list/,
  "tags:string[]": /write <name>:<type>/,
  "title:string:unik": /neither ":unique" nor ":index"/,
  "title:string:unique:index": /has an index already/,
  "title:string:index:index": /twice/,
  "title:string(80)": /nothing in brackets/,
  "body:text:unique": /Take "string"/,
  "data:json:index": /can have no index/,
  "done:bool?": /never absent/,
  "done:bool:unique": /a few entries/,
  "status:enum": /words in brackets/,
  "status:enum()": /words in brackets/,
  "status:enum(one)": /at least two/,
  "status:enum(a|a)": /twice/,
  "status:enum(a||b)": /cannot be a choice/,
  'status:enum(a|"b)': /cannot be a choice/,
  "author_id:reference": /model in brackets/,
  "author_id:reference(Author)": /Write "author"/,
  "author_id:reference(author)": /Generate the model "author" first/,
  "parent_id:reference(note)": /Make it optional/,
  "id:uuid": /every model has it/,
  "created_at:datetime": /every model has it/,
  "csrf:string": /their token/,
  "order:int": /reserved word of SQL/,
  "key:string": /reserved word of SQL/,
  "class:string": /word of TypeScript/,
  "__proto__:string": /lower-case/,
  "constructor:string": /every object/,
};

for (const command of ["gen.model", "gen.html", "gen.json"]) {
  test(`${command} refuses bad names and writes nothing`, async () => {
    using project = testProject();
    const before = project.files();
    for (const [name, message] of badNames) {
      const { code, stdout, stderr } = await project.run(command, "sqlite", name, "title:string");
      assert.deepEqual([name, code, stdout], [name, 1, ""]);
      assert.match(stderr, message, name);
    }
    assert.deepEqual(project.files(), before);
  });

  test(`${command} refuses bad fields and writes nothing`, async () => {
    using project = testProject();
    const before = project.files();
    for (const [field, message] of Object.entries(badFields)) {
      const { code, stdout, stderr } = await project.run(command, "sqlite", "note", "title:string?", field);
      assert.deepEqual([field, code, stdout], [field, 1, ""]);
      assert.match(stderr, message, field);
    }
    assert.deepEqual(project.files(), before);
  });
}

test("two fields of one name, and too many fields, are refused", async () => {
  using project = testProject();
  const twice = await project.run("gen.model", "sqlite", "note", "title:string", "title:text");
  assert.match(twice.stderr, /two fields with this name/);
  const many = Array.from({ length: 61 }, (_, index) => `f${index}:int`);
  assert.match((await project.run("gen.model", "sqlite", "note", ...many)).stderr, /at most 60/);
});

test("a database that is none is refused with the one that was meant", async () => {
  using project = testProject();
  const { stderr } = await project.run("gen.model", "postgres", "note", "title:string");
  assert.match(stderr, /Did you mean "postgresql"\? Known are: sqlite, postgresql, mariadb/);
});

test("pages and JSON of a model that is not there are refused, and a reference to users says what to write", async () => {
  using project = testProject();
  const before = project.files();
  for (const command of ["gen.html", "gen.json"]) {
    const { code, stderr } = await project.run(command, "sqlite", "note", "title:string", "--no-model", "--wire");
    assert.equal(code, 1);
    assert.match(stderr, /app\/domain\/note\/note\.ts" does not exist\. Generate the model "note" first/);
  }
  const { stderr } = await project.run("gen.model", "sqlite", "note", "title:string", "owner:reference(user)");
  assert.match(stderr, /users of gen\.auth are no model: keep their id, as in "user_id:uuid:index"/);
  assert.deepEqual(project.files(), before);
});

test("missing arguments show the usage, and an unknown flag is named", async () => {
  using project = testProject();
  for (const args of [[], ["sqlite"], ["sqlite", "note"]]) {
    const { code, stderr } = await project.run("gen.html", ...args);
    assert.equal(code, 2);
    assert.match(stderr, /gen\.html <database> <model_name> <field:type>\.\.\./);
  }
  assert.match((await project.run("gen.view", "note", "title:string", "--wier")).stderr, /--wier/);
});

test("outside of a project nothing is generated", async () => {
  using project = testProject();
  project.remove("run");
  const { code, stderr } = await project.run("gen.model", "sqlite", "note", "title:string");
  assert.equal(code, 1);
  assert.match(stderr, /Generators work inside of a project/);
});

test("whatever the name and the field, either all files are written or none", async () => {
  using project = testProject();
  const count = Object.keys(project.files()).length;
  const word = fc.oneof(fc.string({ maxLength: 12 }), fc.stringMatching(/^[a-z_]{1,12}$/));
  const type = fc.oneof(fc.constantFrom("string", "int", "bool", "json"), fc.string({ maxLength: 8 }));
  await fc.assert(
    fc.asyncProperty(word, word, type, async (name, field, kind) => {
      const { code } = await project.run("gen.model", "--dry-run", "--", "sqlite", name, `${field}:${kind}`);
      assert.ok(code === 0 || code === 1 || code === 2);
      assert.equal(Object.keys(project.files()).length, count);
    }),
    { numRuns: 60 },
  );
});

test("a migration that is not clear, or not the same on all databases, is refused", async () => {
  using project = testProject();
  const before = project.files();
  const refused: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
    [["add_rank", "place:int"], /say which table they are in: "add_rank_to_notes"/],
    [["remove_rank_from_notes", "place:int:index"], /Write that step by hand/],
    [["add_rank_to_notes", "place:int:unique"], /in several steps/],
    [["drop_notes", "place:int"], /say which table/],
    [["create_order", "place:int"], /reserved word of SQL/],
    [["add_rank_to_", "place:int"], /Write "add_rank_to"/],
    [["a".repeat(41)], /at most 40/],
  ];
  for (const [argv, message] of refused) {
    const { code, stderr } = await project.run("gen.migration", ...argv);
    assert.deepEqual([argv, code], [argv, 1]);
    assert.match(stderr, message, argv.join(" "));
  }
  assert.equal((await project.run("gen.migration")).code, 2);
  assert.deepEqual(project.files(), before);
});
