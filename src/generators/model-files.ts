import { memberServiceFile, policyFiles } from "./access-files.ts";
import { canLackUser, siblingError, userError } from "./choices-code.ts";
import {
  columnFields,
  isSameModel,
  labelField,
  manyFields,
  type Model,
  relatedModels,
  searchableFields,
  siblingFields,
  sortModels,
  userFields,
} from "./describe-model.ts";
import { choicesText, type FieldCode, fieldCode } from "./field-code.ts";
import { type Field, isUser } from "./field.ts";
import type { ModelName } from "./name.ts";
import { migrationText } from "./migration-file.ts";
import { arrayCode, callCode, objectCode, printCode, printInStub, stringLiteral, withArticle } from "./print.ts";
import { renderModule, templateFile } from "./render-model.ts";
import { repositoryText } from "./repository-file.ts";
import { serviceText, uniqueError } from "./service-file.ts";
import { type GeneratedFile, renderStub, type StubValues } from "../project/index.ts";

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
    ...(model.isTeam ? [memberServiceFile(model)] : []),
    templateFile("test/setup.ts"),
  ];
}

/** Returns the entity of a model: schema, type of its rows, and label. */
function entityText(model: Model): string {
  const { name, fields, hasRelations, hasMany } = model;
  const { singular, plural } = name;
  const members = (list: readonly Field[]): string =>
    list.map((field) => `${field.name}: ${fieldCode(field).schema},`).join("\n");
  const label = labelField(fields);
  const parameter = `${singular.camel}: Pick<${singular.pascal}, ${stringLiteral(label)}>`;
  return renderModule("model/entity.ts", model, {
    choices: choicesText(fields, "export const"),
    columns: members(columnFields(fields)),
    members: members(hasMany ? manyFields(fields) : fields),
    infer: `Table.Infer<typeof ${plural.camel}${hasRelations ? ", typeof relations" : ""}>`,
    ids: manyFields(fields)
      .map((field) => `readonly ${field.name}: readonly string[];`)
      .join("\n"),
    labelOf: printCode(callCode([parameter], "export function labelOf"), 0, ": string {"),
    label,
  });
}

function factoryText(model: Model): string {
  const { name, isNested, isTeam, hasContext, needsInputOptions } = model;
  const codes = model.fields.map((field) => ({
    name: field.name,
    ...fieldCode(field),
    ...limitedSamples(field, model),
  }));
  const optionsType = isNested ? "ListOptions" : "Options";
  const optionsParameter = hasContext ? `, ${needsInputOptions ? "given" : "options"}?: ${optionsType}` : "";
  return renderModule("model/factory.ts", model, {
    joined: isTeam ? `${name.singular.camel}Members` : name.plural.camel,
    factories: factoryImports(relatedModels(model), "."),
    samples: codes.map((code) => `${code.name}: ${code.sample},`).join("\n"),
    otherSamples: codes.map((code) => `${code.name}: ${code.otherSample},`).join("\n"),
    Options: optionsType,
    makeParameters: `changes: Partial<Input> = {}${optionsParameter}`,
  });
}

/** Returns the imports of the factories of models. */
const factoryImports = (models: readonly ModelName[], folder: string): string =>
  models
    .map(({ singular }) => `import * as ${singular.pascal}Factory from "${folder}/${singular.kebab}.ts";`)
    .join("\n");

/** Returns the imports of the factories that tests of a model use. */
export const testedFactories = ({ name, siblings }: Model): string =>
  factoryImports(sortModels([name, ...siblings]), "./factory");

/**
 * Returns the samples of a relation whose choices are limited: to users who see the entry, to the same parent, or to the
 * same model, whose first entry has no other entry to refer to.
 */
function limitedSamples(field: Field, model: Model): Partial<FieldCode> {
  const { target, type } = field;
  if (target === undefined) return {};
  const value = (id: string): string => (type === "manyToMany" ? `[${id}]` : id);
  const both = (id: string): Partial<FieldCode> => ({ sample: value(id), otherSample: value(id) });
  if (isUser(target)) {
    if (!model.hasMembers) return {};
    return both(model.isInTeam ? "await newMemberId(options)" : "actingUser(options).id");
  }
  const isSibling = siblingFields(model).includes(field);
  if (isSameModel(target, model.name)) {
    const other = value(isSibling ? "(await make({}, options)).id" : "(await make()).id");
    return { sample: type === "manyToMany" ? "[]" : "undefined", otherSample: other };
  }
  return isSibling ? both(`(await ${target.singular.pascal}Factory.make({}, options)).id`) : {};
}

function testText(model: Model): string {
  const { fields, hasItemContext } = model;
  const [firstField] = fields;
  const [searchableField] = searchableFields(fields);
  const unique = fields.filter(({ isUnique }) => isUnique);
  const render = (stub: string, values: StubValues): string =>
    renderStub(stub, values, model.values).replace(/\n$/, "");
  const uniqueTests = unique.map((field) => {
    const values = { field: field.name, fieldWords: field.label.toLowerCase(), error: uniqueError(field) };
    return render("model/unique-test.ts", values);
  });
  return renderModule("model/test.ts", model, {
    factories: testedFactories(model),
    field: firstField?.name ?? "",
    invalid: firstField === undefined ? "" : fieldCode(firstField).invalid,
    versionOptions: hasItemContext ? "{ ...context, version }" : "{ version }",
    filterTest: searchableField === undefined ? "" : render("model/filter-test.ts", { field: searchableField.name }),
    uniqueTests: uniqueTests.join("\n"),
    choiceTests: choiceTests(model, render).join("\n"),
  });
}

/** Returns the tests that refuse choices which the form does not offer. */
function choiceTests(model: Model, render: (stub: string, values: StubValues) => string): readonly string[] {
  const { pascal } = model.name.singular;
  const results = [`await ${pascal}.insert(input, context)`, `await ${pascal}.update(id, input, context)`];
  const tests = limitedFields(model).map((field) => {
    const { foreign, foreignWords, error } = foreignChoice(field, model);
    return render("model/choice-test.ts", {
      field: field.name,
      foreignWords,
      values: printConstant("input", [`...(await ${pascal}Factory.input(context))`, `${field.name}: ${foreign}`]),
      results: printInStub(arrayCode(results, "const results = "), 2, ";"),
      errors: printConstant("errors", [`${field.name}: "${error}"`]),
    });
  });
  if (!model.hasPublicUsers) return tests;
  const errors = userFields(model.fields).map((field) => `${field.name}: "${userError(field, model)}"`);
  const unset = userFields(model.fields).map(({ name }) => `${name}: undefined`);
  const withoutUser = canLackUser(model)
    ? `const guest = { ...input, ${unset.join(", ")} };\nassert.ok((await ${pascal}.insert(guest, { ...context, ctx: [] })).ok);`
    : "";
  return [...tests, render("model/self-test.ts", { errors: printConstant("errors", errors), withoutUser })];
}

/** Returns the fields whose choices depend on the members or on the parent. */
export const limitedFields = (model: Model): readonly Field[] => [
  ...(model.hasMembers ? userFields(model.fields) : []),
  ...siblingFields(model),
];

/** Prints a constant with an object, within a function. */
const printConstant = (name: string, members: readonly string[]): string =>
  printInStub(objectCode(members, `const ${name} = `), 2, ";");

/** A choice that a form does not offer. */
interface ForeignChoice {
  readonly foreignWords: string;
  /** Expression of the choice. */
  readonly foreign: string;
  readonly error: string;
}

/** Returns a choice that the form does not offer. */
export function foreignChoice(field: Field, model: Model): ForeignChoice {
  const { target, type } = field;
  const value = (id: string): string => (type === "manyToMany" ? `[${id}]` : id);
  if (target === undefined || isUser(target)) {
    return {
      foreignWords: `a user who does not see the ${(model.parent ?? model.name).singular.words}`,
      foreign: value(`actingUser({ ctx: await ${model.name.singular.pascal}Factory.newUserContext() }).id`),
      error: userError(field, model),
    };
  }
  return {
    foreignWords: `${withArticle(target.singular.words)} of another ${model.parent?.singular.words}`,
    foreign: value(`(await ${target.singular.pascal}Factory.make()).id`),
    error: siblingError(field, model),
  };
}
