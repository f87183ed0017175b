import { entityText } from "./entity-file.ts";
import { needsInputOptions, offersByParent, siblingError, userError } from "./choices-code.ts";
import { type FieldCode, fieldCode } from "./field-code.ts";
import { type Field, isUser } from "./field.ts";
import { memberServiceFile } from "./member-files.ts";
import type { ModelName } from "./name.ts";
import { migrationText } from "./migration-file.ts";
import {
  isSameModel,
  type Model,
  refersToUsers,
  relatedModels,
  searchableFields,
  siblingFields,
  userFields,
} from "./parse-model.ts";
import { hasMemberTable, policyFiles, requiresLogin } from "./policy-file.ts";
import { printList, printNames, withArticle } from "./print.ts";
import { repositoryText } from "./repository-file.ts";
import { serviceText, uniqueError } from "./service-file.ts";
import { type GeneratedFile, readPackageFile, renderStub } from "../project/index.ts";

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
    ...policyFiles(model),
    ...(hasMemberTable(model) ? [memberServiceFile(model)] : []),
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
  const codes = fields.map((field) => ({ name: field.name, ...fieldCode(field), ...limitedSamples(field, model) }));
  const samples = codes.map((code) => `${code.name}: ${code.sample},`).join("\n");
  const otherSamples = codes.map((code) => `${code.name}: ${code.otherSample},`).join("\n");
  const isNested = parent !== undefined;
  const hasUsers = requiresLogin(model);
  const hasContext = isNested || hasUsers;
  const hasInputOptions = needsInputOptions(model);
  const optionsType = isNested ? "ListOptions" : "Options";
  const needsRandom = /\bRandom\./.test(samples) || hasUsers;
  const canJoin = hasMemberTable(model) || model.canJoin;
  const own = ["type Input", "insert", ...(hasContext ? [`type ${optionsType}`] : []), `type ${singular.pascal}`];
  const folder = `../../app/domain/${singular.kebab}`;
  return renderStub("model/factory.ts", {
    imports: [
      ...(needsRandom ? [printNames("import", [...(hasUsers ? ["type Context"] : []), "Random"], "limmat")] : []),
      ...(/\bactingUser\(/.test(samples) || usesNewMember(model)
        ? ['import { actingUser } from "../../app/domain/acting-user.ts";']
        : []),
      ...(canJoin
        ? [
            `import type { Role } from "${folder}/policy.ts";`,
            printNames(
              "import",
              [hasMemberTable(model) ? `${singular.camel}Members` : name.plural.camel],
              `${folder}/repository.ts`,
            ),
          ]
        : []),
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
    inputParameters: `${hasInputOptions ? `options: ${optionsType}, ` : ""}changes: Partial<Input> = {}`,
    otherParameters: hasInputOptions ? `options: ${optionsType}` : "",
    context: hasContext ? contextFunction(model) : "",
    makeParameters: `changes: Partial<Input> = {}${hasContext ? `, ${hasInputOptions ? "given" : "options"}?: ${optionsType}` : ""}`,
    makeContext: hasInputOptions ? "const options = given ?? (await context());" : "",
    makeInput: hasInputOptions ? "options, changes" : "changes",
    makeOptions: hasInputOptions ? ", options" : hasContext ? ", options ?? (await context())" : "",
    users: [
      hasUsers ? newUserContext(model, canJoin) : "",
      usesNewMember(model) ? newMemberId(model) : "",
      hasUsers ? newUserId : "",
    ].join(""),
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
    : requiresLogin(model)
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
  const base = offersToAdmins(model)
    ? [
        "",
        "/** Stores a user, and returns the context of this user's requests. Forms offer all users to an administrator. */",
        "export async function newUserContext({ isAdmin = true } = {}): Promise<Context> {",
        "  const person = { email: `${Random.hex(8)}@example.com`, password };",
        "  const { id } = isAdmin ? await user.createAdmin(person) : await user.createUser(person);",
        '  return [["user_id", id]];',
        "}",
        "",
      ]
    : [
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

/** True if forms offer all users to administrators of the application. */
const offersToAdmins = ({ fields, hasMembers }: Model): boolean => !hasMembers && refersToUsers(fields);

/** True if the samples of a model need a new member of its parent. */
const usesNewMember = (model: Model): boolean => offersByParent(model) && refersToUsers(model.fields);

function newMemberId({ parent }: Model): string {
  const { singular } = parent ?? { singular: { camel: "", pascal: "" } };
  return [
    "",
    "async function newMemberId({ params }: ListOptions): Promise<string> {",
    `  return actingUser({ ctx: await ${singular.pascal}Factory.join(params.${singular.camel}, "member") });`,
    "}",
    "",
  ].join("\n");
}

/**
 * Returns the samples of a relation whose choices are limited: to users who see the entry, to the same parent, or to the
 * same model, whose first entry has no other entry to refer to.
 */
function limitedSamples(field: Field, model: Model): Partial<FieldCode> {
  const { target, type } = field;
  if (target === undefined) return {};
  const both = (id: string): Partial<FieldCode> => {
    const value = type === "manyToMany" ? `[${id}]` : id;
    return { sample: value, otherSample: value };
  };
  if (isUser(target)) {
    if (!model.hasMembers) return {};
    return both(offersByParent(model) ? "await newMemberId(options)" : "actingUser(options)");
  }
  const isSibling = siblingFields(model).includes(field);
  if (isSameModel(target, model.name)) {
    const other = isSibling ? "(await make({}, options)).id" : "(await make()).id";
    return type === "manyToMany"
      ? { sample: "[]", otherSample: `[${other}]` }
      : { sample: "undefined", otherSample: other };
  }
  return isSibling ? both(`(await ${target.singular.pascal}Factory.make({}, options)).id`) : {};
}

function testText(model: Model): string {
  const { name, fields, parent } = model;
  const { singular } = name;
  const [firstField] = fields as readonly [Field];
  const [searchableField] = searchableFields(fields);
  const hasGuard = requiresLogin(model) || needsInputOptions(model);
  const isNested = parent !== undefined || hasGuard;
  const input = needsInputOptions(model) ? "context" : "";
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
      input,
    }).replace(/\n$/, "");
  return renderStub("model/test.ts", {
    Model: singular.pascal,
    model: singular.camel,
    aWords: withArticle(singular.words),
    imports: [
      'import { Form } from "limmat";',
      ...(model.hasMembers && refersToUsers(fields)
        ? ['import { actingUser } from "../app/domain/acting-user.ts";']
        : []),
      `import * as ${singular.pascal} from "../app/domain/${singular.kebab}/${singular.kebab}.ts";`,
      ...testedFactories(model, siblingFields(model)).map(
        (target) => `import * as ${target.singular.pascal}Factory from "./factory/${target.singular.kebab}.ts";`,
      ),
      'import { test, useServices } from "./setup.ts";',
    ].join("\n"),
    field: firstField.name,
    invalid: fieldCode(firstField).invalid,
    ...optionValues,
    input,
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
            input,
          }).replace(/\n$/, ""),
    choiceTests: choiceTests(model),
    uniqueTests: fields
      .filter(({ isUnique }) => isUnique)
      .map(uniqueTest)
      .join("\n"),
  });
}

/** Returns the models whose factories the tests of the choices of these fields use, with the model itself. */
export function testedFactories({ name, siblings }: Model, fields: readonly Field[]): readonly ModelName[] {
  const targets = siblings.filter((sibling) =>
    fields.some(({ target }) => target !== undefined && isSameModel(target, sibling)),
  );
  return [name, ...targets.filter((target) => !isSameModel(target, name))].toSorted((a, b) =>
    a.singular.kebab < b.singular.kebab ? -1 : 1,
  );
}

/** Returns the tests that refuse choices which the form does not offer. */
function choiceTests(model: Model): string {
  const { name, parent } = model;
  const siblings = siblingFields(model).map((field) => ({
    field: field.name,
    ...foreignChoice(field, model),
    error: siblingError(field, parent?.singular.words ?? ""),
  }));
  const users = model.hasMembers
    ? userFields(model.fields).map((field) => ({
        field: field.name,
        ...foreignChoice(field, model),
        error: userError(field, model),
      }))
    : [];
  const { pascal } = name.singular;
  const tests = [...users, ...siblings].map(({ field, foreign, foreignWords, error }) =>
    renderStub("model/choice-test.ts", {
      Model: pascal,
      field,
      foreignWords,
      values: printConstant("input", [`...(await ${pascal}Factory.input(context))`, `${field}: ${foreign}`]),
      results: printList([`await ${pascal}.insert(input, context)`, `await ${pascal}.update(id, input, context)`], {
        open: "[",
        close: "]",
        before: "const results = ",
        after: ";",
        indent: 2,
      }).replaceAll("\n  ", "\n"),
      errors: printConstant("errors", [`${field}: "${error}"`]),
    }),
  );
  if (offersToAdmins(model)) {
    const errors = userFields(model.fields).map((field) => `${field.name}: "${userError(field, model)}"`);
    tests.push(
      renderStub("model/self-test.ts", {
        Model: pascal,
        input: needsInputOptions(model) ? "context" : "",
        errors: printConstant("errors", errors),
      }),
    );
  }
  return tests.map((text) => text.replace(/\n$/, "")).join("\n");
}

/** Prints a constant with an object, within a function. */
const printConstant = (name: string, members: readonly string[]): string =>
  printList(members, {
    open: "{",
    close: "}",
    padding: " ",
    indent: 2,
    before: `const ${name} = `,
    after: ";",
  }).replaceAll("\n  ", "\n");

/** Returns a choice that the form does not offer, as TypeScript, and its words. */
export function foreignChoice(field: Field, model: Model): { readonly foreignWords: string; readonly foreign: string } {
  const { target, type } = field;
  const factory = (other: ModelName): string => `${other.singular.pascal}Factory`;
  const list = (id: string): string => (type === "manyToMany" ? `[${id}]` : id);
  if (target === undefined || isUser(target)) {
    const id = `actingUser({ ctx: await ${factory(model.name)}.newUserContext() })`;
    return {
      foreignWords: `a user who does not see the ${(model.parent ?? model.name).singular.words}`,
      foreign: list(id),
    };
  }
  return {
    foreignWords: `${withArticle(target.singular.words)} of another ${model.parent?.singular.words}`,
    foreign: list(`(await ${factory(target)}.make()).id`),
  };
}
