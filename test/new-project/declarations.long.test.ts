// Declarations of applications (`"declaration": true`, as composite projects of a monorepo have it): TypeScript must be able
// to name every type that it infers.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../sources.ts";
import { createProject } from "./create-project.ts";
import { install, packFramework, run, runLimmat } from "./package.ts";

const framework = packFramework();
after(() => framework[Symbol.dispose]());

/** Compiles the files of a folder with declarations. */
function compile(folder: string, options: Readonly<Record<string, unknown>>): void {
  const { compilerOptions, ...settings } = options as { readonly compilerOptions?: object };
  const config = { ...settings, compilerOptions: { ...compilerOptions, declaration: true, noEmit: true } };
  writeFileSync(join(folder, "tsconfig.declarations.json"), JSON.stringify(config));
  const typescript = join(root, "node_modules/typescript/bin/tsc");
  run(process.execPath, [typescript, "-p", "tsconfig.declarations.json", "--pretty", "false"], folder);
}

test("a project with accounts and resources of all kinds compiles with declarations", () => {
  const project = createProject(framework, "declared");
  for (const command of [
    "gen.auth",
    "gen.html label name:string:unique",
    "gen.html project name:string notes:text? --owner --members",
    "gen.html issue title:string state:oneOf(open,closed) assignee:user? weight:int? --in=project --members",
    "gen.html comment body:text --in=issue --owner --members",
    "gen.html book title:string pages:int price:decimal? ratio:float done:bool on:date? at:datetime ref:uuid? extra:json? labels:many(label)",
    "gen.json book --no-model title:string",
    "gen.html chapter title:string --in=book",
    "gen.json section title:string --in=chapter",
    "gen.html diary title:string --owner",
    "gen.html team name:string --members",
    "gen.json tag name:string",
    "gen.service billing",
    "gen.job mail.send order:uuid total:decimal?",
    "gen.mail order_confirmation order:uuid total:decimal? sent_at:datetime",
    "gen.command mail.purge",
    "gen.schedule mail.sweep",
    "gen.middleware quota",
    "gen.webhook payment",
    "gen.role employee packer manager",
    "gen.upload book cover",
    "gen.upload diary picture",
    "gen.admin book diary team employee",
  ])
    runLimmat(project, [...command.split(" "), "--wire"]);
  compile(project, {
    extends: "./tsconfig.json",
    compilerOptions: { skipLibCheck: false },
    exclude: ["node_modules", "resources"],
  });
});

test("TypeScript can name what every exported function returns, also where nothing of the framework is imported", async () => {
  const folder = join(framework.folder, "values");
  mkdirSync(folder);
  // TypeScript checks whether a name is portable only for packages that the project depends on.
  const dependencies = { limmat: framework.version };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  install(folder, framework.tarball);
  writeFileSync(
    join(folder, "returned.ts"),
    "export declare function returned<A extends readonly never[], R>(fn: (...args: A) => R): R;\n",
  );
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly "@limmat/source": string }>>;
  };
  let functionCount = 0;
  for (const [index, [name, entryPoint]] of Object.entries(exports).entries()) {
    if (typeof entryPoint === "string") continue;
    const functions = functionsOf((await import(join(root, entryPoint["@limmat/source"]))) as object);
    functionCount += functions.length;
    writeFileSync(
      join(folder, `values-${index}.ts`),
      [
        'import { returned } from "./returned.ts";',
        `import * as module from "limmat${name.slice(1)}";`,
        ...functions.map((path, number) => `export const value${number} = returned(module.${path});`),
      ].join("\n"),
    );
    const copies = functions.map((_, number) => `export const value${number} = values.value${number};`);
    writeFileSync(
      join(folder, `copies-${index}.ts`),
      [`import * as values from "./values-${index}.ts";`, ...copies].join("\n"),
    );
  }
  assert.ok(functionCount > 400, `${functionCount}`);
  writeFileSync(join(folder, "tables.ts"), tables);
  writeFileSync(
    join(folder, "all-tables.ts"),
    'import { notes, people } from "./tables.ts";\nexport const all = [notes, people];\nexport const extended = { ...notes, all };\n',
  );
  const template = JSON.parse(readFileSync(join(root, "template/tsconfig.json"), "utf8")) as object;
  compile(folder, { ...template, include: ["*.ts"] });
});

/** Tables with everything whose types have names. */
const tables = `import { Schema, User } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";

const schema = Schema.record({ title: Schema.string(), lines: Schema.list(Schema.record({ count: Schema.int() })) });
export const people = Table.make("people", { schema: Schema.record({ name: Schema.string() }), timestamps: true });
export const notes = Table.make("notes", {
  schema,
  columns: { person_id: Row.uuid, owner_id: Row.optional(Row.uuid), data: Row.json(schema) },
  timestamps: true,
  version: true,
  softDelete: true,
  relations: {
    person: () => Table.belongsTo(people),
    owner: () => Table.belongsTo(User.table),
    readers: () => Table.manyToMany(people, { through: "note_readers" }),
  },
  search: { filter: ["title"], sortBy: ["title"], filterBy: ["title"] },
});
`;

/** Returns the paths of the functions of a module and of its namespaces: `make`, `Schema.record`. */
function functionsOf(module: object): readonly string[] {
  return Object.entries(module).flatMap(([name, value]: [string, unknown]) => {
    const isNamespace = Object.prototype.toString.call(value) === "[object Module]";
    if (isNamespace) return functionsOf(value as object).map((path) => `${name}.${path}`);
    const isFunction = typeof value === "function" && !Function.prototype.toString.call(value).startsWith("class");
    return isFunction ? [name] : [];
  });
}
