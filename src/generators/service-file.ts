import { checkChoices, choicesCode, countName } from "./choices-code.ts";
import { manyFields, type Model } from "./describe-model.ts";
import { choicesConstant } from "./field-code.ts";
import type { Field } from "./field.ts";
import {
  arrayCode,
  callCode,
  type Code,
  objectCode,
  printCallback,
  printCode,
  printInStub,
  printNames,
} from "./print.ts";
import { renderModule } from "./render-model.ts";
import { siblingTables, uniqueColumns } from "./repository-file.ts";

/** Returns the service of a model. */
export function serviceText(model: Model): string {
  const { name, fields, isNested, isGuarded, isTeam, hasOwner, hasMany, hasRelations, hasLimitedChoices } = model;
  const { singular, plural } = name;
  const ids = manyFields(fields).map((field) => field.name);
  // The ids of relations to several rows are no columns. Choices are checked in the input as a whole.
  const takesIds = hasMany && hasLimitedChoices;
  const parameter = `${hasMany && !takesIds ? `{ ${ids.join(", ")}, ...input }` : "input"}: Input`;
  const row = takesIds ? "rest" : "input";
  const parent = isNested ? [`${model.values["parentColumn"]}: options.params.${model.values["parent"]}`] : [];
  const owner = hasOwner ? [`owner_id: ${isTeam ? "user_id" : "actingUser(options).id"}`] : [];
  const values = [`...${row}`, ...parent, ...owner];
  const admin = 'await Policy.unchecked("creators are admins", ';
  const searchOptions = ["...options", ...searchCondition(model, parent), ...(hasRelations ? ["with: relations"] : [])];
  const hasSearchOptions = searchOptions.length > 1;
  const constant = (start: string, items: readonly string[]): string => printInStub(objectCode(items, start), 2, ";");
  const signature = (operation: string, parameters: readonly string[]): string =>
    printCode(callCode(parameters, `export async function ${operation}`), 0, ": Promise<Outcome> {");
  return renderModule("model/service.ts", model, {
    tables: [
      plural.camel,
      ...siblingTables(model).map((sibling) => countName(sibling, model)),
      `${singular.camel}Members, relations`,
    ].join(", "),
    reexport: reexport(model),
    row: isGuarded ? "where" : "id",
    rowOptions: hasRelations ? "{ ...options, with: relations }" : "options",
    where: isGuarded && isNested ? printInStub(arrayCode([objectCode(parent), visible], "const where = "), 2, ";") : "",
    searchOptions: hasSearchOptions ? constant("const searchOptions = ", searchOptions) : "",
    search: `${plural.camel}.search(database, parameters, ${hasSearchOptions ? "searchOptions" : "options"})`,
    insertSignature: signature("insert", [parameter, isNested ? "options: ListOptions" : "options?: Options"]),
    requireParent: requireParent(model),
    newChoices: checkChoices(model),
    takeIds: takesIds ? `const { ${ids.join(", ")}, ...rest } = input;` : "",
    values: values.length > 1 ? constant("const values = ", values) : "",
    insert: `${plural.camel}.insert(database, ${values.length > 1 ? "values" : row}, options)`,
    insertsMore: hasRelations || isTeam,
    insertAdmin: printCallback(admin, `${singular.camel}Members.insert(database, admin, options)`, 4),
    setLinks: manyFields(fields)
      .map((field) => `await links.${field.relation}.set(database, written, ${field.name}, options);`)
      .join("\n"),
    updateSignature: signature("update", ["id: string", parameter, "options?: Options"]),
    changedChoices: checkChoices(model, "stored"),
    update: `${plural.camel}.update(database, item, ${row}, options)`,
    relatedIds: manyFields(fields)
      .map((field) => `${field.name}: item.${field.relation}.map(({ id }) => id),`)
      .join("\n"),
    choices: choicesCode(model),
    refusals: refusals(model),
    call: model.texts.isTranslated ? "()" : "",
  });
}

const reexport = ({ name, fields }: Model): string => {
  const choices = fields.filter(({ type }) => type === "oneOf").map(choicesConstant);
  return printNames(
    "export",
    [...choices, "type Input", "labelOf", "schema", `type ${name.singular.pascal}`],
    "./entity.ts",
  );
};

const visible = "policy.where(actingUser(options))";

/** Returns the condition of a list: the parent, and what the user may see. */
function searchCondition({ isGuarded, isNested }: Model, parent: readonly string[]): readonly string[] {
  if (isGuarded) return [isNested ? "where" : `where: ${visible}`];
  return isNested ? [printCode(objectCode(parent, "where: "), 4)] : [];
}

/** Returns the statement that refuses an entry below a parent which the user may not see. */
function requireParent({ values: { Parent, parent } }: Model): string {
  const args = ["database", "actingUser(options)", '"see"', `options.params.${parent}`, "options"];
  return printInStub(callCode(args, `await ${Parent}.policy.require`), 2, ";");
}

/** Returns the errors for the violations of constraints. */
function refusals(model: Model): string {
  const columns = uniqueColumns(model);
  const unique = model.fields
    .filter(({ isUnique }) => isUnique)
    .map((field, index) =>
      objectCode([
        `columns: [${columns[index]?.map((column) => `"${column}"`).join(", ")}]`,
        `refusal: { ${field.name}: ${model.texts.code("taken", { field: field.label.toLowerCase() }, field.name)} }`,
      ]),
    );
  const references = model.fields.filter(({ target }) => target !== undefined);
  const [first] = references;
  const referenceError =
    references.length === 1 && first?.type === "belongsTo"
      ? `{ ${first.name}: ${model.texts.code("missing", { field: first.label.toLowerCase() }, first.name)} }`
      : model.texts.code("noEntry");
  const members: readonly Code[] = [
    `noRow: ${model.texts.code("gone")}`,
    ...(first === undefined ? [] : [`foreignKey: ${referenceError}`]),
    ...(unique.length === 0 ? [] : [arrayCode(unique, "unique: ")]),
  ];
  if (!model.texts.isTranslated) return printCode(objectCode(members, "const refusals = "), 0, " as const;");
  return `function refusals() {\n  ${printCode(objectCode(members, "return "), 2, " as const;")}\n}`;
}

/** Returns the error for a value that another row already has, as TypeScript. */
export const uniqueError = ({ name, label }: Field): string => `{ ${name}: "This ${label.toLowerCase()} is taken" }`;
