import { entityText } from "./entity-file.ts";
import { type FieldCode, fieldCode } from "./field-code.ts";
import type { Field } from "./field.ts";
import type { ModelName } from "./name.ts";
import { migrationText } from "./migration-file.ts";
import { isSameModel, type Model, refersToUsers, relatedModels, searchableFields } from "./parse-model.ts";
import { hasMemberTable, isGuarded, policyFiles } from "./policy-file.ts";
import { printNames, withArticle } from "./print.ts";
import { serviceText, uniqueError } from "./service-file.ts";
import { readPackageFile, renderStub } from "./stub.ts";
import type { GeneratedFile } from "./write-files.ts";

/** Returns the files of a model: entity, service, migration, factory and tests. */
export function modelFiles(model: Model): readonly GeneratedFile[] {
  const { singular, plural } = model.name;
  const folder = `app/domain/${singular.kebab}`;
  return [
    { path: `${folder}/entity.ts`, text: entityText(model) },
    { path: `${folder}/${singular.kebab}.ts`, text: serviceText(model) },
    { path: `database/migration/${plural.kebab}.ts`, text: migrationText(model) },
    { path: `test/factory/${singular.kebab}.ts`, text: factoryText(model) },
    { path: `test/${singular.kebab}.test.ts`, text: testText(model) },
    ...policyFiles(model),
    testSetupFile(),
  ];
}

/** Returns the setup file that all tests of a project share. */
export function testSetupFile(): GeneratedFile {
  return { path: "test/setup.ts", text: readPackageFile("template/test/setup.ts"), whenPresent: "keep" };
}

function factoryText(model: Model): string {
  const { name, fields, parent } = model;
  const { singular } = name;
  const codes = fields.map((field) => ({ name: field.name, ...fieldCode(field), ...selfSamples(field, name) }));
  const samples = codes.map((code) => `${code.name}: ${code.sample},`).join("\n");
  const otherSamples = codes.map((code) => `${code.name}: ${code.otherSample},`).join("\n");
  const isNested = parent !== undefined;
  const hasContext = isNested || isGuarded(model);
  const hasUsers = refersToUsers(fields) || isGuarded(model);
  const needsRandom = /\bRandom\./.test(samples) || hasUsers;
  const canJoin = hasMemberTable(model) || model.canJoin;
  const own = [
    "type Input",
    "insert",
    ...(isNested ? ["type ListOptions"] : isGuarded(model) ? ["type Options"] : []),
    `type ${singular.pascal}`,
  ];
  const folder = `../../app/domain/${singular.kebab}`;
  return renderStub("model/factory.ts", {
    imports: [
      ...(needsRandom
        ? [printNames("import", [...(isGuarded(model) ? ["type Context"] : []), "Random"], "limmat")]
        : []),
      ...(canJoin
        ? [
            printNames(
              "import",
              [hasMemberTable(model) ? `${singular.camel}Members` : name.plural.camel],
              `${folder}/entity.ts`,
            ),
          ]
        : []),
      ...(canJoin ? [`import type { Role } from "${folder}/policy.ts";`] : []),
      printNames("import", own, `${folder}/${singular.kebab}.ts`),
      ...(hasUsers
        ? [printNames("import", [...(canJoin ? ["database"] : []), "user"], "../../service/service.ts")]
        : []),
      ...relatedModels(model).map(
        (target) => `import * as ${target.singular.pascal}Factory from "./${target.singular.kebab}.ts";`,
      ),
    ].join("\n"),
    Model: singular.pascal,
    aWords: withArticle(singular.words),
    samples,
    otherSamples,
    context: hasContext ? contextFunction(model) : "",
    makeParameters: `changes: Partial<Input> = {}${hasContext ? `, options?: ${isNested ? "ListOptions" : "Options"}` : ""}`,
    makeOptions: hasContext ? ", options ?? (await context())" : "",
    users: [isGuarded(model) ? newUserContext(model, canJoin) : "", hasUsers ? newUserId : ""].join(""),
  });
}

function contextFunction(model: Model): string {
  const { parent, hasMembers } = model;
  if (parent === undefined) {
    return [
      "/** Stores a user, and returns options that name the user. */",
      "export async function context(): Promise<Options> {",
      "  return { ctx: await newUserContext() };",
      "}",
      "",
    ].join("\n");
  }
  const { singular } = parent;
  const factory = `${singular.pascal}Factory`;
  const lines = hasMembers
    ? [
        `  const options = await ${factory}.context();`,
        `  const { id } = await ${factory}.make({}, options);`,
        `  return { ctx: options.ctx ?? [], params: { ${singular.camel}: id } };`,
      ]
    : isGuarded(model)
      ? [
          `  const { id } = await ${factory}.make();`,
          `  return { ctx: await newUserContext(), params: { ${singular.camel}: id } };`,
        ]
      : [`  return { params: { ${singular.camel}: (await ${factory}.make()).id } };`];
  return [
    `/** Stores ${withArticle(singular.words)}, and returns options that name it. */`,
    "export async function context(): Promise<ListOptions> {",
    ...lines,
    "}",
    "",
  ].join("\n");
}

/** Returns the functions that store users for tests of permissions. */
function newUserContext(model: Model, canJoin: boolean): string {
  const { name, parent } = model;
  const { singular, plural } = name;
  const base = [
    "",
    "/** Stores a user, and returns the context of this user's requests. */",
    "export async function newUserContext(): Promise<Context> {",
    '  return [["user_id", await newUserId()]];',
    "}",
    "",
  ];
  if (!canJoin) return base.join("\n");
  const column = `${(parent ?? name).singular.snake}_id`;
  const body =
    parent === undefined
      ? [
          "  const user_id = await newUserId();",
          `  const member = { ${column}: id, user_id, role };`,
          `  await ${singular.camel}Members.insert(database, member);`,
          '  return [["user_id", user_id]];',
        ]
      : [
          `  const { ${column} } = await ${plural.camel}.find(database, id);`,
          `  return ${parent.singular.pascal}Factory.join(${column}, role);`,
        ];
  return [
    ...base,
    `/** Stores a user with a role for ${withArticle(singular.words)}, and returns the context of this user's requests. */`,
    "export async function join(id: string, role: Role): Promise<Context> {",
    ...body,
    "}",
    "",
  ].join("\n");
}

const newUserId = `
/** Password of all users of tests. */
export const password = "a meadow of cats";

async function newUserId(): Promise<string> {
  const { id } = await user.createUser({ email: \`\${Random.hex(8)}@example.com\`, password });
  return id;
}`;

/** Returns the samples of a relation to the same model. The first entry has no other entry to refer to. */
function selfSamples({ target, type }: Field, name: ModelName): Partial<FieldCode> {
  if (target === undefined || !isSameModel(target, name)) return {};
  const other = "(await make()).id";
  return type === "manyToMany"
    ? { sample: "[]", otherSample: `[${other}]` }
    : { sample: "undefined", otherSample: other };
}

function testText(model: Model): string {
  const { name, fields, parent } = model;
  const { singular } = name;
  const [firstField] = fields as readonly [Field];
  const [searchableField] = searchableFields(fields);
  const hasGuard = isGuarded(model);
  const isNested = parent !== undefined || hasGuard;
  const optionValues = {
    context: isNested ? `const context = await ${singular.pascal}Factory.context();` : "",
    options: isNested ? ", context" : "",
  };
  const make = isNested ? "{}, context" : "";
  const uniqueTest = (field: Field): string =>
    renderStub("model/unique-test.ts", {
      Model: singular.pascal,
      words: singular.words,
      field: field.name,
      fieldWords: field.label.toLowerCase(),
      error: uniqueError(field),
      ...optionValues,
      make,
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
    ...optionValues,
    itemContext: hasGuard ? optionValues.context : "",
    itemMake: hasGuard ? make : "",
    itemOptions: hasGuard ? ", context" : "",
    versionOptions: hasGuard ? "{ ...context, version }" : "{ version }",
    makeFunction: isNested
      ? `const make = () => ${singular.pascal}Factory.make(${make});`
      : `const { make } = ${singular.pascal}Factory;`,
    filterTest:
      searchableField === undefined
        ? ""
        : renderStub("model/filter-test.ts", {
            Model: singular.pascal,
            field: searchableField.name,
            ...optionValues,
            make,
          }).replace(/\n$/, ""),
    uniqueTests: fields
      .filter(({ isUnique }) => isUnique)
      .map(uniqueTest)
      .join("\n"),
  });
}
