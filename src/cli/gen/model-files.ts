import { type Field, indexName } from "./field.ts";
import { choicesConstant, type FieldCode, fieldCode } from "./field-code.ts";
import type { ModelName } from "./name.ts";
import { isSameModel, type Model, referencedModels, searchableFields } from "./parse-model.ts";
import { printList, printNames, stringLiteral, withArticle } from "./print.ts";
import { readPackageFile, renderStub } from "./stub.ts";
import type { GeneratedFile } from "./write-files.ts";

/** Returns the files of a model: entity, repository, service, migration, factory and tests. */
export function modelFiles(model: Model): readonly GeneratedFile[] {
  const { singular, plural } = model.name;
  const folder = `app/domain/${singular.kebab}`;
  return [
    { path: `${folder}/entity.ts`, text: entityText(model) },
    { path: `${folder}/repository.ts`, text: repositoryText(model) },
    { path: `${folder}/${singular.kebab}.ts`, text: serviceText(model) },
    { path: `database/migration/${plural.kebab}.ts`, text: migrationText(model) },
    { path: `test/factory/${singular.kebab}.ts`, text: factoryText(model) },
    { path: `test/${singular.kebab}.test.ts`, text: testText(model) },
    testSetupFile(),
  ];
}

/** Returns the setup file that all tests of a project share. */
export function testSetupFile(): GeneratedFile {
  return { path: "test/setup.ts", text: readPackageFile("template/test/setup.ts"), whenPresent: "keep" };
}

const enumConstants = (fields: readonly Field[]): readonly string[] =>
  fields.filter(({ type }) => type === "enum").map(choicesConstant);

function entityText({ name, fields }: Model): string {
  const choices = fields
    .filter(({ type }) => type === "enum")
    .map((field) => {
      const before = `export const ${choicesConstant(field)} = `;
      return printList(field.choices.map(stringLiteral), { open: "[", close: "]", before, after: " as const;" });
    });
  return renderStub("model/entity.ts", {
    choices: choices.length === 0 ? "" : `${choices.join("\n")}\n`,
    schema: fields.map((field) => `${field.name}: ${fieldCode(field).schema},`).join("\n"),
    Model: name.singular.pascal,
    words: name.singular.words,
    aWords: withArticle(name.singular.words),
    label: labelField(fields),
  });
}

/** Returns the field that titles and links show: the first required string or text, else `id`. */
function labelField(fields: readonly Field[]): string {
  const required = fields.filter(({ isOptional }) => !isOptional);
  const field = required.find(({ type }) => type === "string") ?? required.find(({ type }) => type === "text");
  return field?.name ?? "id";
}

function repositoryText({ name, fields }: Model): string {
  const { singular, plural } = name;
  const enums = enumConstants(fields);
  const boundValue = (field: Field): string => fieldCode(field).bind(`${singular.camel}.${field.name}`);
  const filter = searchableFields(fields).map((field) => stringLiteral(field.name));
  const filterOption = printList(filter, { open: "[", close: "]", indent: 2, before: "filter: ", after: "," });
  const signature = (operation: string): string =>
    printList([`${singular.camel}: ${singular.pascal}`, "options?: OperationOptions"], {
      open: "(",
      close: ")",
      before: `export async function ${operation}`,
      after: ": Promise<void> {",
    });
  return renderStub("model/repository.ts", {
    importEntity:
      enums.length === 0
        ? `import type { ${singular.pascal} } from "./entity.ts";`
        : printNames("import", [...enums, `type ${singular.pascal}`], "./entity.ts"),
    Model: singular.pascal,
    model: singular.camel,
    table: plural.snake,
    row: fields.map((field) => `${field.name}: ${fieldCode(field).row},`).join("\n"),
    filter: filter.length === 0 ? "" : filterOption.replaceAll("\n  ", "\n"),
    insertSignature: signature("insert"),
    updateSignature: signature("update"),
    inserted: fields.map((field) => `\${${boundValue(field)}},`).join("\n"),
    updated: fields.map((field) => `${field.name} = \${${boundValue(field)}},`).join("\n"),
  });
}

function serviceText({ name, fields }: Model): string {
  const { singular, plural } = name;
  const violations = violationHandlers(fields);
  const hasViolations = violations.length > 0;
  const hasSeveralUniqueFields = fields.filter(({ isUnique }) => isUnique).length > 1;
  const writeStatements = (operation: string): string => {
    const lines = [`await repository.${operation}(${singular.camel}, options);`, `return ok(${singular.camel});`];
    if (!hasViolations) return lines.join("\n");
    return ["return catchViolations(async () => {", ...lines.map((line) => `  ${line}`), "}, options);"].join("\n");
  };
  const errorType = hasViolations ? ", string | Readonly<Record<string, string>>" : "";
  const errors = hasViolations ? "an error message, or error messages by field" : "or an error message";
  return renderStub("model/service.ts", {
    importEntity: printNames("import", ["type Input", `type ${singular.pascal}`], "./entity.ts")
      .replace(/\btype /g, "")
      .replace("import", "import type"),
    reexport: printNames(
      "export",
      [...enumConstants(fields), "type Input", "labelOf", "schema", `type ${singular.pascal}`],
      "./entity.ts",
    ),
    outcome: `/** The written ${singular.words}, ${errors}. */\nexport type Outcome = Result<${singular.pascal}${errorType}>;`,
    words: singular.words,
    aWords: withArticle(singular.words),
    manyWords: plural.words,
    importDatabase: hasSeveralUniqueFields
      ? 'import { isUniqueViolation, type OperationOptions, type SearchParameters } from "limmat/database";'
      : 'import type { OperationOptions, SearchParameters } from "limmat/database";',
    Model: singular.pascal,
    model: singular.camel,
    insert: writeStatements("insert"),
    update: writeStatements("update"),
    catchViolations: hasViolations
      ? renderStub("model/catch-violations.ts", { violations: violations.join("\n") }).trimEnd()
      : "",
  });
}

/** Returns the statements that turn constraint violations into error messages. */
function violationHandlers(fields: readonly Field[]): readonly string[] {
  const handler = (condition: string, error: string): string => `if (${condition}) {\n  return error(${error});\n}`;
  const uniqueFields = fields.filter(({ isUnique }) => isUnique);
  const isUniqueViolation = ({ name: column }: Field): string =>
    uniqueFields.length === 1 ? 'isError(thrown, "E_DATABASE_UNIQUE")' : `isUniqueViolation(thrown, "${column}")`;
  const uniqueHandlers = uniqueFields.map((field) => handler(isUniqueViolation(field), uniqueError(field)));
  const references = fields.filter(({ type }) => type === "reference");
  const [firstReference] = references;
  if (firstReference === undefined) return uniqueHandlers;
  const referenceError =
    references.length === 1
      ? `{ ${firstReference.name}: "This ${firstReference.label.toLowerCase()} does not exist" }`
      : '"A referenced entry does not exist"';
  return [...uniqueHandlers, handler('isError(thrown, "E_DATABASE_FOREIGN_KEY")', referenceError)];
}

/** Returns the error for a value that another row already has, as TypeScript. */
const uniqueError = ({ name, label }: Field): string => `{ ${name}: "This ${label.toLowerCase()} is taken" }`;

/** Returns the migration that creates the table of a model. */
export function migrationText({ name, fields }: Model): string {
  const { plural } = name;
  const codes = fields.map((field) => fieldCode(field));
  const columnTypes = [...new Set(["uuid", ...codes.map(({ columnType }) => columnType), "timestamp"])];
  const indexed = fields.filter(({ isIndexed, isUnique, type }) => isIndexed || (type === "reference" && !isUnique));
  const step = renderStub("model/step", {
    table: plural.snake,
    types: `{ ${columnTypes.join(", ")} }`,
    columns: codes.map(({ column }) => `${column},`).join("\n"),
    indexes: indexed
      .map((field) => `"create index ${indexName(name, field.name)} on ${plural.snake} (${field.name})",`)
      .join("\n"),
  }).trimEnd();
  const indent = (text: string, spaces: string): string => text.replaceAll(/^(?=.)/gm, spaces);
  const dependencies = referencedModels(fields)
    .filter((target) => !isSameModel(target, name))
    .map((target) => stringLiteral(target.plural.snake));
  const start = `export const ${plural.camel} = Migration.make(`;
  if (dependencies.length === 0) {
    const migration = `${start}"${plural.snake}", [\n${indent(step, "  ")},\n]);`;
    return renderStub("model/migration.ts", { migration });
  }
  const after = printList(dependencies, { open: "[", close: "]", before: "after: " });
  const options = printList([after], { open: "{", close: "}", padding: " ", indent: 2, after: "," });
  const migration = `${start}\n  "${plural.snake}",\n  [\n${indent(step, "    ")},\n  ],\n  ${options}\n);`;
  return renderStub("model/migration.ts", { migration });
}

function factoryText({ name, fields }: Model): string {
  const { singular } = name;
  const codes = fields.map((field) => ({
    name: field.name,
    ...fieldCode(field),
    ...selfReferenceSamples(field, name),
  }));
  const samples = codes.map((code) => `${code.name}: ${code.sample},`).join("\n");
  const otherSamples = codes.map((code) => `${code.name}: ${code.otherSample},`).join("\n");
  const targets = referencedModels(fields).filter((target) => !isSameModel(target, name));
  return renderStub("model/factory.ts", {
    imports: [
      ...(/\bRandom\./.test(samples) ? ['import { Random } from "limmat";'] : []),
      printNames(
        "import",
        ["type Input", "insert", `type ${singular.pascal}`],
        `../../app/domain/${singular.kebab}/${singular.kebab}.ts`,
      ),
      ...targets.map((target) => `import * as ${target.singular.pascal}Factory from "./${target.singular.kebab}.ts";`),
    ].join("\n"),
    Model: singular.pascal,
    aWords: withArticle(singular.words),
    samples,
    otherSamples,
  });
}

/** Returns the samples of a reference to the same model. The first entry has no other entry to refer to. */
function selfReferenceSamples({ target }: Field, name: ModelName): Partial<FieldCode> {
  if (target === undefined || !isSameModel(target, name)) return {};
  return { sample: "undefined", otherSample: "(await make()).id" };
}

function testText({ name, fields }: Model): string {
  const { singular } = name;
  const [firstField] = fields as readonly [Field];
  const [searchableField] = searchableFields(fields);
  const filterTest = searchableField && { Model: singular.pascal, field: searchableField.name };
  const uniqueTest = (field: Field): string =>
    renderStub("model/unique-test.ts", {
      Model: singular.pascal,
      words: singular.words,
      field: field.name,
      fieldWords: field.label.toLowerCase(),
      error: uniqueError(field),
    }).replace(/\n$/, "");
  return renderStub("model/test.ts", {
    Model: singular.pascal,
    model: singular.camel,
    aWords: withArticle(singular.words),
    imports: [
      'import { Form } from "limmat";',
      `import * as ${singular.pascal} from "../app/domain/${singular.kebab}/${singular.kebab}.ts";`,
      `import * as ${singular.pascal}Factory from "./factory/${singular.kebab}.ts";`,
      'import { test, useServices } from "./setup.ts";',
    ].join("\n"),
    field: firstField.name,
    invalid: fieldCode(firstField).invalid,
    filterTest: filterTest === undefined ? "" : renderStub("model/filter-test.ts", filterTest).replace(/\n$/, ""),
    uniqueTests: fields
      .filter(({ isUnique }) => isUnique)
      .map(uniqueTest)
      .join("\n"),
  });
}
