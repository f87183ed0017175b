import { existsSync } from "node:fs";
import { join } from "node:path";
import { choicesOf, codeOf, type FieldCode } from "./field-code.ts";
import { type Field, indexName } from "./field.ts";
import { errors } from "./errors.ts";
import type { ModelName } from "./name.ts";
import { literal, printList, printNames, withArticle } from "./print.ts";
import { readText, renderStub } from "./stub.ts";
import type { GeneratedFile } from "./write-files.ts";

/** A model, as data: what the generators are told, once it was found to be right. */
export interface Model {
  readonly name: ModelName;
  readonly fields: readonly Field[];
}

/** The files of a model: entity, repository, service, migration, factory and tests. */
export function modelFiles(model: Model): readonly GeneratedFile[] {
  const { one, many } = model.name;
  const folder = `app/domain/${one.kebab}`;
  return [
    { path: `${folder}/entity.ts`, text: entity(model) },
    { path: `${folder}/repository.ts`, text: repository(model) },
    { path: `${folder}/${one.kebab}.ts`, text: service(model) },
    { path: `database/migration/${many.kebab}.ts`, text: migrationText(model) },
    { path: `test/factory/${one.kebab}.ts`, text: factory(model) },
    { path: `test/${one.kebab}.test.ts`, text: test(model) },
    setupFile(),
  ];
}

/** What the tests of a project share. */
export function setupFile(): GeneratedFile {
  return { path: "test/setup.ts", text: readText("template/test/setup.ts"), whenPresent: "keep" };
}

/**
 * Makes sure that what the model refers to is there.
 *
 * @throws E_GENERATE_MISSING
 */
export function requireTargets({ name, fields }: Model, root: string): void {
  for (const target of targetsOf(fields)) if (!isSame(target, name)) requireModel(target, root);
}

/**
 * Makes sure that a model is there, with its factory.
 *
 * @throws E_GENERATE_MISSING
 */
export function requireModel({ one }: ModelName, root: string): void {
  const files = [`app/domain/${one.kebab}/${one.kebab}.ts`, `test/factory/${one.kebab}.ts`];
  const missing = files.find((path) => !existsSync(join(root, path)));
  if (missing === undefined) return;
  const users =
    one.snake === "user" ? ' The users of gen.auth are no model: keep their id, as in "user_id:uuid:index".' : "";
  throw errors.E_GENERATE_MISSING(missing, `Generate the model "${one.snake}" first.${users}`);
}

/** Whether two names are of one model. */
export const isSame = (first: ModelName, second: ModelName): boolean => first.one.snake === second.one.snake;

/** The models that fields refer to, each once. */
export function targetsOf(fields: readonly Field[]): readonly ModelName[] {
  const targets = fields.flatMap(({ target }) => target ?? []);
  return [...new Map(targets.map((target) => [target.one.snake, target])).values()];
}

function entity({ name, fields }: Model): string {
  const choices = fields
    .filter(({ type }) => type === "enum")
    .map((field) => {
      const before = `export const ${choicesOf(field)} = `;
      return printList(field.choices.map(literal), { open: "[", close: "]", before, after: " as const;" });
    });
  return renderStub("model/entity.ts", {
    choices: choices.length === 0 ? "" : `${choices.join("\n")}\n`,
    schema: fields.map((field) => `${field.name}: ${codeOf(field).schema},`).join("\n"),
    Model: name.one.pascal,
    label: labelField(fields),
  });
}

/** The field that says best what an entry is. */
function labelField(fields: readonly Field[]): string {
  const required = fields.filter(({ isOptional }) => !isOptional);
  const best = required.find(({ type }) => type === "string") ?? required.find(({ type }) => type === "text");
  return best?.name ?? "id";
}

function repository({ name, fields }: Model): string {
  const { one, many } = name;
  const enums = fields.filter(({ type }) => type === "enum").map(choicesOf);
  const value = (field: Field): string => codeOf(field).bind(`${one.camel}.${field.name}`);
  const filter = searched(fields).map((field) => literal(field.name));
  return renderStub("model/repository.ts", {
    importEntity:
      enums.length === 0
        ? `import type { ${one.pascal} } from "./entity.ts";`
        : printNames("import", [...enums, `type ${one.pascal}`], "./entity.ts"),
    Model: one.pascal,
    model: one.camel,
    table: many.snake,
    row: fields.map((field) => `${field.name}: ${codeOf(field).row},`).join("\n"),
    filter:
      filter.length === 0
        ? ""
        : printList(filter, { open: "[", close: "]", indent: 2, before: "filter: ", after: "," }).replaceAll(
            "\n  ",
            "\n",
          ),
    inserted: fields.map((field) => `\${${value(field)}},`).join("\n"),
    updated: fields.map((field) => `${field.name} = \${${value(field)}},`).join("\n"),
  });
}

/** The fields that a search looks at. */
export const searched = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ type }) => type === "string" || type === "text");

function service({ name, fields }: Model): string {
  const { one, many } = name;
  const enums = fields.filter(({ type }) => type === "enum").map(choicesOf);
  const refusals = refusalsOf({ name, fields });
  const isGuarded = refusals.length > 0;
  const isTold = fields.filter(({ isUnique }) => isUnique).length > 1;
  const change = (call: string): string => {
    const lines = [`await repository.${call}(${one.camel}, options);`, `return ok(${one.camel});`];
    if (!isGuarded) return lines.join("\n");
    return ["return guarded(async () => {", ...lines.map((line) => `  ${line}`), "}, options);"].join("\n");
  };
  const outcome = isGuarded
    ? `export type Outcome = Result<${one.pascal}, string | Readonly<Record<string, string>>>;`
    : `export type Outcome = Result<${one.pascal}>;`;
  return renderStub("model/service.ts", {
    importEntity: printNames("import", ["type Input", `type ${one.pascal}`], "./entity.ts")
      .replace(/\btype /g, "")
      .replace("import", "import type"),
    reexport: printNames("export", [...enums, "type Input", "labelOf", "schema", `type ${one.pascal}`], "./entity.ts"),
    outcome: `/** What came of a change, or what speaks against it${isGuarded ? ", in one message or by field" : ""}. */\n${outcome}`,
    words: one.words,
    aWords: withArticle(one.words),
    manyWords: many.words,
    importDatabase: isTold
      ? 'import { isTaken, type Options, type SearchParameters } from "limmat/database";'
      : 'import type { Options, SearchParameters } from "limmat/database";',
    Model: one.pascal,
    model: one.camel,
    insert: change("insert"),
    update: change("update"),
    guarded: isGuarded ? renderStub("model/guarded.ts", { refusals: refusals.join("\n") }).trimEnd() : "",
  });
}

/** What the service says when the rules of the database speak against a change. */
function refusalsOf({ fields }: Model): readonly string[] {
  const refusal = (condition: string, error: string): string => `if (${condition}) {\n  return error(${error});\n}`;
  const unique = fields.filter(({ isUnique }) => isUnique);
  // The only one needs not be told from others.
  const isClash = ({ name: column }: Field): string =>
    unique.length === 1 ? 'isError(thrown, "E_DATABASE_UNIQUE")' : `isTaken(thrown, "${column}")`;
  const references = fields.filter(({ type }) => type === "reference");
  const [only] = references;
  return [
    ...unique.map((field) => refusal(isClash(field), uniqueError(field))),
    ...(only === undefined
      ? []
      : [
          refusal(
            'isError(thrown, "E_DATABASE_FOREIGN_KEY")',
            references.length === 1
              ? `{ ${only.name}: "This ${only.label.toLowerCase()} does not exist" }`
              : '"Something that it refers to does not exist"',
          ),
        ]),
  ];
}

/** The error for a value that another entry has already, as TypeScript. */
const uniqueError = ({ name, label }: Field): string => `{ ${name}: "This ${label.toLowerCase()} is taken" }`;

/** The migration that makes the table. */
export function migrationText({ name, fields }: Model): string {
  const { many } = name;
  const codes = fields.map((field) => codeOf(field));
  const columnTypes = [...new Set(["uuid", ...codes.map(({ columnType }) => columnType), "timestamp"])];
  const indexed = fields.filter(({ isIndexed, isUnique, type }) => isIndexed || (type === "reference" && !isUnique));
  const step = renderStub("model/step", {
    table: many.snake,
    types: `{ ${columnTypes.join(", ")} }`,
    columns: codes.map(({ column }) => `${column},`).join("\n"),
    indexes: indexed
      .map((field) => `"create index ${indexName(name, field.name)} on ${many.snake} (${field.name})",`)
      .join("\n"),
  }).trimEnd();
  const after = targetsOf(fields)
    .filter((target) => !isSame(target, name))
    .map((target) => literal(target.many.snake));
  const start = `export const ${many.camel} = Migration.make(`;
  const indent = (text: string, depth: string): string => text.replaceAll(/^(?=.)/gm, depth);
  const text =
    after.length === 0
      ? `${start}"${many.snake}", [\n${indent(step, "  ")},\n]);`
      : `${start}\n  "${many.snake}",\n  [\n${indent(step, "    ")},\n  ],\n  ${printList([printList(after, { open: "[", close: "]", before: "after: " })], { open: "{", close: "}", pad: " ", indent: 2, after: "," })}\n);`;
  return renderStub("model/migration.ts", { migration: text });
}

function factory({ name, fields }: Model): string {
  const { one } = name;
  const codes = fields.map((field) => ({ name: field.name, ...codeOf(field), ...ofItself(field, name) }));
  const samples = codes.map((code) => `${code.name}: ${code.sample},`).join("\n");
  const others = codes.map((code) => `${code.name}: ${code.otherSample},`).join("\n");
  const targets = targetsOf(fields).filter((target) => !isSame(target, name));
  return renderStub("model/factory.ts", {
    imports: [
      ...(/\bRandom\./.test(samples) ? ['import { Random } from "limmat";'] : []),
      printNames(
        "import",
        ["type Input", "insert", `type ${one.pascal}`],
        `../../app/domain/${one.kebab}/${one.kebab}.ts`,
      ),
      ...targets.map((target) => `import * as ${target.one.pascal}Factory from "./${target.one.kebab}.ts";`),
    ].join("\n"),
    Model: one.pascal,
    aWords: withArticle(one.words),
    samples,
    otherSamples: others,
  });
}

/** The samples of a reference to another entry of the same model: the first of all has none to refer to. */
function ofItself({ target }: Field, name: ModelName): Partial<FieldCode> {
  if (target === undefined || !isSame(target, name)) return {};
  return { sample: "undefined", otherSample: "(await make()).id" };
}

function test({ name, fields }: Model): string {
  const { one } = name;
  const values = { Model: one.pascal };
  const [first] = fields as readonly [Field];
  const [filtered] = searched(fields);
  const unique = fields.filter(({ isUnique }) => isUnique);
  return renderStub("model/test.ts", {
    ...values,
    model: one.camel,
    aWords: withArticle(one.words),
    imports: [
      'import { Form } from "limmat";',
      `import * as ${one.pascal} from "../app/domain/${one.kebab}/${one.kebab}.ts";`,
      `import * as ${one.pascal}Factory from "./factory/${one.kebab}.ts";`,
      'import { test, useServices } from "./setup.ts";',
    ].join("\n"),
    field: first.name,
    invalid: codeOf(first).invalid,
    filterTest:
      filtered === undefined
        ? ""
        : renderStub("model/filter-test.ts", { ...values, field: filtered.name }).replace(/\n$/, ""),
    uniqueTests: unique
      .map((field) =>
        renderStub("model/unique-test.ts", {
          ...values,
          words: one.words,
          field: field.name,
          fieldWords: field.label.toLowerCase(),
          error: uniqueError(field),
        }).replace(/\n$/, ""),
      )
      .join("\n"),
  });
}
