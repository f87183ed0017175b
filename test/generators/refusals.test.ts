import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { App, Cache, Configuration, Email, Migration, Queue, Schedule, Storage, Token, User, Webhook } from "limmat";
import * as Audit from "limmat/audit";
import { Row, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import * as Idempotency from "limmat/idempotency";
import { testProject } from "./project.ts";

Configuration.store([
  ["FRAMEWORK_ENV", "test"],
  ["DATABASE_URL", ":memory:"],
  ["LOG_LEVEL", "error"],
]);

// Each name is refused with one message and changes no file.
const invalidNames: readonly (readonly [name: string, message: RegExp])[] = [
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
  ["tödo", /lower-case[^]*Write "todo"/],
  ["Größe", /lower-case/],
  ["token", /a service of the framework has a table of this name/],
  ["todo\0", /lower-case/],
  ["todo;drop", /lower-case/],
  [`a${"b".repeat(30)}`, /at most 30/],
  ["todos", /looks like a plural. Write "todo"/],
  ["people", /Write "person"/],
  ["news", /--plural/],
  ["class", /keyword of TypeScript/],
  ["await", /keyword of TypeScript/],
  ["constructor", /every JavaScript object/],
  ["then", /every JavaScript object/],
  ["toString", /lower-case/],
  ["layout", /something else/],
  ["repository", /something else/],
  ["request", /something else/],
  ["promise", /something else/],
  ["option", /something else/],
  ["visitor", /something else/],
];

test("no table of a service can be the table of a model", async () => {
  const database = sqlite();
  const migration = Migration.service({ database });
  const queue = Queue.sql({ database });
  const services = [
    database,
    migration,
    Cache.sql({ database }),
    Email.Template.service({ database }),
    Idempotency.sql({ database }),
    queue,
    Schedule.service([], { database }),
    Storage.sql({ database }),
    Token.sql({ database }),
    User.service({ database, audit: Audit.service({ database }) }),
    Webhook.receiver({ database }),
    Webhook.sender({ database, queue, findEndpoint: async () => undefined }),
  ];
  const app = App.create({ services });
  await app.start({ server: false });
  await migration.runAll();
  const query = sql.row(Row.record({ name: Row.text }))`select name from sqlite_master where type = 'table'`;
  const tables = (await database.collect(query)).map(({ name }) => name);
  await app.stop();
  assert.ok(tables.length > 10);
  using project = testProject();
  for (const table of tables) {
    const { stderr } = await project.run("gen.model", "sqlite", "thing", "title:string", `--plural=${table}`);
    assert.match(stderr, /a service of the framework has a table of this name/, table);
  }
});

const invalidFields: Readonly<Record<string, RegExp>> = {
  title: /write <name>:<type>/,
  ":string": /lower-case/,
  "title:": /write <name>:<type>/,
  "Title:string": /Write "title"/,
  "dueOn:date": /Write "due_on"/,
  "title:varchar": /Did you mean "string"\? Types: string, text, int/,
  "pages:number": /Did you mean "int" or "decimal"\? Types: /,
  "pages:Integer": /Did you mean "int"\?/,
  "contact:email": /Did you mean "string"\?/,
  "title:strng": /neither a type nor a model[^]*Did you mean "string"/,
  "title:uuuu": /Generate the model "uuuu" first\. Types: string/,
  "tags:list": /Use "json", then replace Schema\.json by Schema\.list/,
  "tags:array": /"array" is not a type\. Use "json", then replace [^]*Types: string/,
  "image:file": /"file" is not a type\. Files belong to the storage service[^]*"uuid" field[^]*Types: string/,
  "cover:image": /Files belong to the storage service/,
  "tags:string[]": /write <name>:<type>/,
  "title:string:unik": /neither ":unique" nor ":index"/,
  "title:string:unique:index": /already has an index/,
  "title:string:index:index": /repeated/,
  "title:string(80)": /takes no parentheses/,
  "body:text:unique": /Use "string"/,
  "data:json:index": /not every database can index a json/,
  "done:bool?": /cannot be optional/,
  "done:bool:unique": /a few rows/,
  "status:oneOf": /choices in parentheses/,
  "status:oneOf()": /choices in parentheses/,
  "status:oneOf(one)": /at least two/,
  "status:oneOf(a,a)": /repeated/,
  "status:oneOf(a,,b)": /cannot be a choice/,
  'status:oneOf(a,"b)': /cannot be a choice/,
  "status:oneOf(a|b)": /cannot be a choice/,
  "status:enum(a|b)": /Did you mean "oneOf"/,
  "author_id:reference(author)": /write the model as the type: "author:author"/,
  "category:references": /write the model as the type: "category:category"\. Types: string/,
  "writer:belongs_to(author)": /write the model as the type: "writer:author"/,
  "author_id:foreignKey": /write the model as the type: "author:author"/,
  "tags:hasMany": /write the model in parentheses: "tags:many\(tag\)"/,
  "related:has_many(tag)": /write the model in parentheses: "tags:many\(tag\)"/,
  "author:Author": /neither a type nor a model of this project\. Write "author"/,
  "author:author": /Generate the model "author" first/,
  "author:author(x)": /neither a type nor a model/,
  "owner:user": /run gen\.auth first/,
  "labels:many": /model in parentheses/,
  "labels:many()": /model in parentheses/,
  "labels:many(label)": /Generate the model "label" first/,
  "related:many(note)?": /may be empty/,
  "related:many(note):index": /join table has indexes/,
  "related_ids:many(note)": /Write "relateds"/,
  "notes:many(note)": /two columns of one name/,
  "parent_id:note?": /Write "parent"/,
  "parent:note": /Make it optional/,
  "version:int": /every model has a field of this name/,
  "id:uuid": /every model has a field of this name/,
  "created_at:datetime": /every model has a field of this name/,
  "csrf:string": /CSRF token/,
  "then:string": /takes? a record with this field for a promise/,
  "__proto__:string": /lower-case/,
};

for (const command of ["gen.model", "gen.html", "gen.json"]) {
  test(`${command} refuses invalid names and writes nothing`, async () => {
    using project = testProject();
    const before = project.files();
    for (const [name, message] of invalidNames) {
      const { code, stdout, stderr } = await project.run(command, "sqlite", name, "title:string");
      assert.deepEqual([name, code, stdout], [name, 1, ""]);
      assert.match(stderr, message, name);
    }
    assert.deepEqual(project.files(), before);
  });

  test(`${command} refuses invalid fields and writes nothing`, async () => {
    using project = testProject();
    const before = project.files();
    for (const [field, message] of Object.entries(invalidFields)) {
      const { code, stdout, stderr } = await project.run(command, "sqlite", "note", "title:string?", field);
      assert.deepEqual([field, code, stdout], [field, 1, ""]);
      assert.match(stderr, message, field);
    }
    assert.deepEqual(project.files(), before);
  });
}

test("refuses duplicate field names and too many fields", async () => {
  using project = testProject();
  const duplicate = await project.run("gen.model", "sqlite", "note", "title:string", "title:text");
  assert.match(duplicate.stderr, /two fields with this name/);
  const many = Array.from({ length: 61 }, (_, index) => `f${index}:int`);
  assert.match((await project.run("gen.model", "sqlite", "note", ...many)).stderr, /at most 60/);
});

test("refuses parents, owners and members that would show hidden entries, and writes nothing", async () => {
  using project = testProject();
  const note = ["gen.html", "sqlite", "note", "title:string"] as const;
  const withoutUsers = await project.run(...note, "--owner");
  assert.match(withoutUsers.stderr, /Owners and members are users: run gen\.auth first/);
  await project.run("gen.auth", "--wire");
  for (const [model, ...flags] of [["list"], ["secret", "--owner"], ["team", "--members"]] as const) {
    assert.equal((await project.run("gen.html", "sqlite", model, "name:string", ...flags, "--wire")).code, 0);
  }
  await project.run("gen.html", "sqlite", "item", "name:string", "--in", "list", "--wire");
  await project.run("gen.html", "sqlite", "draft", "name:string", "--in", "list", "--owner", "--wire");
  const before = project.files();
  const refusals: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
    [["--in", "nothing"], /the project has no such model/],
    [["--in", "note"], /the project has no such model/],
    [["--in", "user"], /the project has no such model/],
    [["--in", "../list"], /the project has no such model/],
    [["--in", "secret"], /only some users see its entries\. Add --members/],
    [["--in", "team", "--owner"], /only some users see its entries\. Add --members/],
    [["--in", "list", "--members"], /everybody sees its entries/],
    [["list:string", "--in", "list"], /adds a field or relation of this name already/],
    [["owner:user", "--owner"], /adds a field or relation of this name already/],
    [["members:user?", "--members"], /adds a field or relation of this name already/],
    [["secret:secret"], /Those of "secret" have another one/],
    [["items:many(item)"], /Those of "item" have another one/],
    [["previous:note?", "--owner"], /Those of "note" have another one/],
    [["item:item", "--in", "team", "--members"], /Those of "item" have another one/],
    [["draft:draft", "--in", "list"], /Those of "draft" have another one/],
    [["reader:user", "--in", "secret", "--members"], /only the owner sees the secret, so there is nobody to choose/],
    [["lead:user:unique", "--members"], /offers only its creator/],
  ];
  for (const [argv, message] of refusals) {
    const { code, stdout, stderr } = await project.run(...note, ...argv, "--wire");
    assert.deepEqual([argv, code, stdout], [argv, 1, ""]);
    assert.match(stderr, message, argv.join(" "));
  }
  const member = await project.run("gen.html", "sqlite", "member", "name:string", "--in", "team", "--members");
  assert.match(member.stderr, /a team has members already/);
  const api = await project.run("gen.json", "sqlite", "note", "title:string", "--owner", "--wire");
  assert.match(api.stderr, /a generated API has no login/);
  assert.deepEqual(project.files(), before);
});

test("refuses pages without the flags of their model, and its API", async () => {
  using project = testProject();
  await project.run("gen.auth", "--wire");
  await project.run("gen.model", "note", "title:string", "--owner", "--wire");
  const before = project.files();
  const pages = await project.run("gen.html", "note", "title:string", "--no-model", "--wire");
  assert.match(pages.stderr, /"note" cannot be generated without its flags.*Repeat the --in, --owner and --members/);
  const api = await project.run("gen.json", "note", "title:string", "--no-model", "--token", "--wire");
  assert.match(api.stderr, /a generated API has no login/);
  assert.deepEqual(project.files(), before);
  assert.equal((await project.run("gen.html", "note", "title:string", "--owner", "--no-model")).code, 0);
});

test("refuses to build on policies of an earlier version, which are generated again with --force", async () => {
  using project = testProject();
  await project.run("gen.auth", "--wire");
  const team = ["gen.html", "team", "name:string", "--members"] as const;
  await project.run(...team, "--wire");
  const [policy, actingUser] = ["app/domain/team/policy.ts", "app/domain/acting-user.ts"];
  const current = { [policy]: project.read(policy), [actingUser]: project.read(actingUser) };
  const earlier = {
    [policy]: "export async function roleOf(id: string, user_id: string): Promise<string | undefined> {}\n",
    [actingUser]: "export function actingUser(options: ContextOptions | undefined): string {}\n",
  };
  const child = ["gen.html", "task", "title:string", "--in=team", "--members"] as const;
  const refusals = {
    [policy]: [child, [...team, "--no-model"], ["gen.view", "team", "name:string", "--members"]],
    [actingUser]: [child, ["gen.html", "note", "title:string", "--owner"], ["gen.model", "loan", "borrower:user"]],
  };
  for (const path of [policy, actingUser]) {
    project.write(path, earlier[path] ?? "");
    const before = project.files();
    for (const argv of [...(refusals[path] ?? []), ["gen.upload", "team", "photo"]]) {
      const { code, stderr } = await project.run(...argv);
      assert.equal(code, 1, argv.join(" "));
      assert.ok(stderr.includes(`${path} has the form of an earlier version`), stderr);
      assert.match(stderr, /generate the models with --owner or --members again with --force, parents first/);
    }
    assert.deepEqual(project.files(), before);
    project.write(path, current[path] ?? "");
  }
  for (const path of [policy, actingUser]) project.write(path, earlier[path] ?? "");
  project.remove(actingUser);
  assert.equal((await project.run(...team, "--wire", "--force")).code, 0);
  assert.deepEqual([project.read(policy), project.read(actingUser)], [current[policy], current[actingUser]]);
  assert.equal((await project.run(...child, "--wire")).code, 0);
});

test("refuses a name that the file with the import uses for something else, and writes nothing", async () => {
  using project = testProject();
  await project.run("gen.auth", "--wire");
  const before = project.files();
  const takenNames: readonly (readonly [command: string, path: string, names: readonly string[]])[] = [
    ["gen.service", "run/run.ts", ["http", "email", "app", "seeds"]],
    ["gen.middleware", "run/run.ts", ["http", "commands"]],
    ["gen.command", "app/command/command.ts", ["command", "commands"]],
    ["gen.schedule", "app/schedule/schedule.ts", ["schedule", "schedules"]],
    ["gen.job", "app/job/job.ts", ["job", "jobs"]],
    ["gen.mail", "app/mail/mail.ts", ["mail"]],
    ["gen.migration", "database/migration.ts", ["migrations"]],
  ];
  for (const [command, path, names] of takenNames) {
    for (const name of names) {
      const { code, stdout, stderr } = await project.run(command, name);
      assert.deepEqual([command, name, code, stdout], [command, name, 1, ""]);
      assert.ok(stderr.includes(`${path} uses it for something else. Choose another name.`), stderr);
    }
  }
  assert.deepEqual(project.files(), before);
});

test("refuses fields of a job and of a mail that only a table has, and writes nothing", async () => {
  using project = testProject();
  await project.run("gen.model", "sqlite", "order", "title:string", "--wire");
  const before = project.files();
  for (const command of ["gen.job", "gen.mail"]) {
    for (const [field, message] of [
      ["order:order", /Write its id: "order:uuid"/],
      ["orders:many(order)", /Write its id: "orders:uuid"/],
      ["title:string:unique", /only a column of a table has an index/],
      ["title:String", /Did you mean "string"/],
    ] as const) {
      const { code, stderr } = await project.run(command, "order_mail", field, "--wire");
      assert.equal(code, 1, field);
      assert.match(stderr, message, field);
    }
  }
  assert.equal((await project.run("gen.command", "order.mail", "title:string")).code, 2);
  assert.deepEqual(project.files(), before);
});

test("refuses an unknown database and suggests a name", async () => {
  using project = testProject();
  const { stderr } = await project.run("gen.model", "postgres", "note", "title:string");
  assert.match(stderr, /Did you mean "postgresql"\? Choose one of: sqlite, postgresql, mariadb/);
  const unknown = await project.run("gen.html", "oracle", "note", "title:string");
  assert.match(unknown.stderr, /"oracle" is not a supported database\. Choose one of: sqlite/);
});

test("requires the name of a database if the project uses several, and lists them", async () => {
  using project = testProject();
  const services = project.read("service/service.ts");
  const secondImport = 'import { postgresql } from "limmat/database/postgresql";\n';
  project.write("service/service.ts", `${secondImport}${services}`);
  const before = project.files();
  const { code, stdout, stderr } = await project.run("gen.html", "note", "title:string");
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /service\/service\.ts uses several databases: postgresql, sqlite\. Write one of them in front/);
  assert.deepEqual(project.files(), before);
  const chosen = await project.run("gen.html", "postgresql", "note", "title:string");
  assert.deepEqual([chosen.code, chosen.stderr], [0, ""]);
});

test("refuses pages and an API of a missing model, and explains where users come from", async () => {
  using project = testProject();
  const before = project.files();
  for (const command of ["gen.html", "gen.json"]) {
    const { code, stderr } = await project.run(command, "sqlite", "note", "title:string", "--no-model", "--wire");
    assert.equal(code, 1);
    assert.match(stderr, /app\/domain\/note\/note\.ts" does not exist\. Generate the model "note" first/);
  }
  const { stderr } = await project.run("gen.model", "sqlite", "user", "title:string");
  assert.match(stderr, /users come with accounts \(gen\.auth\)/);
  assert.deepEqual(project.files(), before);
});

test("refuses an image of a model without pages or with this field, and roles without users", async () => {
  using project = testProject();
  await project.run("gen.model", "sqlite", "note", "title:string", "--wire");
  const refusal = async (...argv: readonly string[]): Promise<string> => {
    const before = project.files();
    const { code, stderr } = await project.run(...argv, "--wire");
    assert.equal(code, 1);
    assert.deepEqual(project.files(), before);
    return stderr;
  };
  for (const model of ["note", "../note", "user"]) {
    assert.match(await refusal("gen.upload", model, "cover"), /no pages of it\. Run gen\.html first/);
  }
  await project.run("gen.html", "sqlite", "note", "title:string", "--no-model", "--wire");
  assert.match(await refusal("gen.upload", "note", "title"), /the model has this field already/);
  assert.match(await refusal("gen.upload", "note", "Cover"), /Write "cover"/);
  assert.match(await refusal("gen.role", "employee", "packer", "manager"), /run gen\.auth first/);
  assert.equal((await project.run("gen.upload", "note", "cover", "--wire")).code, 0);
  assert.match(await refusal("gen.upload", "note", "cover"), /already exist/);
});

test("gen.admin refuses a project without accounts, unknown models, and a file that is not its own", async () => {
  using project = testProject();
  const refusal = async (...models: readonly string[]): Promise<string> => {
    const before = project.files();
    const { code, stderr } = await project.run("gen.admin", ...models, "--wire");
    assert.equal(code, 1);
    assert.deepEqual(project.files(), before);
    return stderr;
  };
  await project.run("gen.model", "sqlite", "note", "title:string", "--wire");
  assert.match(await refusal("note"), /Administrators are users: run gen\.auth first/);
  await project.run("gen.auth", "--wire");
  for (const model of ["tree", "../note"]) assert.match(await refusal("note", model), /the project has no such model/);
  assert.match(await refusal("user"), /these pages always show users/);
  project.write("routes/admin.ts", "export const admin = 1;\n");
  assert.match(await refusal("note"), /routes\/admin\.ts.*it has no Admin\.router/);
  assert.equal((await project.run("gen.admin")).code, 2);
});

test("shows the usage if arguments are missing, and names an unknown flag", async () => {
  using project = testProject();
  for (const [args, missing] of [
    [[], "<model_name> <field:type>..."],
    [["sqlite"], "<model_name> <field:type>..."],
    [["sqlite", "note"], "<field:type>..."],
  ] as const) {
    const { code, stderr } = await project.run("gen.html", ...args);
    assert.equal(code, 2);
    assert.ok(stderr.startsWith(`Arguments are missing: ${missing}\n`), stderr);
    assert.match(stderr, /gen\.html \[<database>\] <model_name> <field:type>\.\.\./);
  }
  assert.match((await project.run("gen.view", "note", "title:string", "--wier")).stderr, /--wier/);
});

test("refuses to run outside of a project", async () => {
  using project = testProject();
  project.remove("run");
  const { code, stderr } = await project.run("gen.model", "sqlite", "note", "title:string");
  assert.equal(code, 1);
  assert.match(stderr, /Run generators inside of a project/);
});

test("a dry run with any name and field exits with 0, 1 or 2 and writes nothing", async () => {
  using project = testProject();
  const count = Object.keys(project.files()).length;
  const anyName = fc.oneof(fc.string({ maxLength: 12 }), fc.stringMatching(/^[a-z_]{1,12}$/));
  const anyType = fc.oneof(fc.constantFrom("string", "int", "bool", "json"), fc.string({ maxLength: 8 }));
  await fc.assert(
    fc.asyncProperty(anyName, anyName, anyType, async (name, field, kind) => {
      const { code } = await project.run("gen.model", "--dry-run", "--", "sqlite", name, `${field}:${kind}`);
      assert.ok(code === 0 || code === 1 || code === 2);
      assert.equal(Object.keys(project.files()).length, count);
    }),
    { numRuns: 60 },
  );
});

test("refuses names that generated files declare twice", async () => {
  using project = testProject();
  assert.equal((await project.run("gen.auth", "--wire")).code, 0);
  assert.equal((await project.run("gen.model", "role", "title:string", "--wire")).code, 0);
  const before = project.files();
  for (const [argv, message] of [
    [["status_choice", "status:oneOf(a,b)"], /"status" .* the name of a table/],
    [["state", "kind:oneOf(a,b)", "title:string", "--plural=kind_choices"], /"kind" .* the name of a table/],
    [["item", "title:string", "roles:many(role)", "--members"], /members have "roles" already/],
    [["job_role", "title:string", "--plural=roles", "--members"], /members have "roles" already/],
    [["thing", "title:string", "--plural=links"], /"links" cannot be the plural/],
    [["thing", "title:string", "--plural=schema"], /"schema" cannot be the plural/],
    [["thing", "title:string", "--plural=class"], /"class" cannot be the plural/],
  ] as const) {
    const { code, stderr } = await project.run("gen.model", ...argv);
    assert.deepEqual([argv, code], [argv, 1]);
    assert.match(stderr, message, argv.join(" "));
  }
  assert.deepEqual(project.files(), before);
});

test("refuses a migration that is ambiguous or differs between databases", async () => {
  using project = testProject();
  const before = project.files();
  const invalidMigrations: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
    [["add_rank", "place:int"], /does not name the table\. Write "add_rank_to_notes"/],
    [["remove_rank_from_notes", "place:int:index"], /Write this step by hand/],
    [["add_rank_to_notes", "place:int:unique"], /in several steps/],
    [["drop_notes", "place:int"], /does not name the table/],
    [["create_order", "place:int"], /reserved word of SQL/],
    [["add_rank_to_", "place:int"], /Write "add_rank_to"/],
    [["a".repeat(41)], /at most 40/],
  ];
  for (const [argv, message] of invalidMigrations) {
    const { code, stderr } = await project.run("gen.migration", ...argv);
    assert.deepEqual([argv, code], [argv, 1]);
    assert.match(stderr, message, argv.join(" "));
  }
  assert.equal((await project.run("gen.migration")).code, 2);
  assert.deepEqual(project.files(), before);
});
