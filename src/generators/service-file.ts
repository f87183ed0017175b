import { checkChoices, choicesCode, countName, offersByParent } from "./choices-code.ts";
import { choicesConstant } from "./field-code.ts";
import type { Field } from "./field.ts";
import type { ModelName } from "./name.ts";
import { hasLimitedChoices, manyFields, type Model, refersToUsers } from "./parse-model.ts";
import { hasMemberTable, hasReaders, isGuarded, requiresLogin } from "./policy-file.ts";
import { objectCode, printCode, printList, printNames, withArticle } from "./print.ts";
import { relationNames, siblingTables, uniqueColumns } from "./repository-file.ts";
import { renderStub } from "../project/index.ts";

/** Returns the service of a model. */
export function serviceText(model: Model): string {
  const { name, fields, parent } = model;
  const { singular, plural } = name;
  const listRelations = manyFields(fields);
  const isLoaded = relationNames(fields).length > 0;
  const withRelations = isLoaded ? "{ ...options, with: relations }" : "options";
  const searchOptions = ["...options", ...searchCondition(model), ...(isLoaded ? ["with: relations"] : [])];
  const searchCall = `${plural.camel}.search(database, parameters, ${searchOptions.length === 1 ? "options" : "searchOptions"})`;
  const { hasOwner } = model;
  const hasValues = parent !== undefined || hasOwner;
  const values = [
    hasLimitedChoices(model) && listRelations.length > 0 ? "...rest" : "...input",
    ...(parent === undefined ? [] : [parentCondition(parent)]),
    ...(hasOwner ? ["owner_id: user_id"] : []),
  ];
  return renderStub("model/service.ts", {
    imports: imports(model).join("\n"),
    reexport: printNames(
      "export",
      [
        ...fields.filter(({ type }) => type === "oneOf").map(choicesConstant),
        "type Input",
        "labelOf",
        "schema",
        `type ${singular.pascal}`,
      ],
      "./entity.ts",
    ).concat(hasReaders(model) ? '\nexport { changeableIds } from "./policy.ts";' : ""),
    words: singular.words,
    aWords: withArticle(singular.words),
    manyWords: plural.words,
    Model: singular.pascal,
    models: plural.camel,
    listOptions: parent === undefined ? "" : listOptions(model),
    seeGuard: isGuarded(model)
      ? "if ((await roleOf(id, actingUser(options), options)) === undefined) return undefined;"
      : "",
    find:
      listRelations.length === 0
        ? `return await ${plural.camel}.findOpt(database, id, ${withRelations});`
        : [
            `const item = await ${plural.camel}.findOpt(database, id, ${withRelations});`,
            "return item && withIds(item);",
          ].join("\n"),
    searchParameters:
      parent === undefined
        ? "parameters: AnySearchParameters = {}, options?: Options"
        : "parameters: AnySearchParameters, options: ListOptions",
    search: [
      ...listGuard(model, "return [[], 0];"),
      ...(searchOptions.length === 1
        ? []
        : [
            printList(searchOptions, {
              open: "{",
              close: "}",
              padding: " ",
              indent: 2,
              before: "const searchOptions = ",
              after: ";",
            }).replaceAll("\n  ", "\n"),
          ]),
      ...(listRelations.length === 0
        ? [`return await ${searchCall};`]
        : [`const [found, total] = await ${searchCall};`, "return [found.map(withIds), total];"]),
    ].join("\n"),
    insertSignature: printList(
      [`${inputOf(model)}: Input`, parent === undefined ? "options?: Options" : "options: ListOptions"],
      {
        open: "(",
        close: ")",
        before: "export async function insert",
        after: ": Promise<Outcome> {",
      },
    ),
    insert: [
      ...(hasOwner || hasMemberTable(model) ? ["const user_id = actingUser(options);"] : []),
      ...listGuard(model, `return error("This ${parent?.singular.words} does not exist");`),
      ...checkChoices(model),
      ...takeIds(model),
      ...(hasValues
        ? [
            printList(values, {
              open: "{",
              close: "}",
              padding: " ",
              indent: 2,
              before: "const values = ",
              after: ";",
            }).replaceAll("\n  ", "\n"),
          ]
        : []),
      ...writeLines(
        model,
        `${plural.camel}.insert(database, ${hasValues ? "values" : inputColumns(model)}, options)`,
        true,
      ),
    ].join("\n"),
    updateSignature: printList(["id: string", `${inputOf(model)}: Input`, "options?: Options"], {
      open: "(",
      close: ")",
      before: "export async function update",
      after: ": Promise<Outcome> {",
    }),
    changeGuard: changeGuard(model, "delete").join("\n"),
    update: [
      ...changeGuard(model, "change"),
      ...checkStoredChoices(model),
      ...takeIds(model),
      'const item = { id, version: options?.version ?? "any" } as const;',
      ...writeLines(model, `${plural.camel}.update(database, item, ${inputColumns(model)}, options)`),
    ].join("\n"),
    load: load(model),
    choices: choicesCode(model),
    refusals: refusals(model),
  });
}

/** Returns the parameter of the input: the ids of relations to several rows are no columns. */
const inputOf = (model: Model): string =>
  hasLimitedChoices(model) || manyFields(model.fields).length === 0 ? "input" : `{ ${idNames(model)}, ...input }`;

const idNames = ({ fields }: Model): string =>
  manyFields(fields)
    .map(({ name }) => name)
    .join(", ");

/** Returns the variable with the columns of the input. */
const inputColumns = (model: Model): string =>
  hasLimitedChoices(model) && manyFields(model.fields).length > 0 ? "rest" : "input";

/** Returns the statement that separates the ids of relations from the columns, after the input was checked as a whole. */
const takeIds = (model: Model): readonly string[] =>
  inputColumns(model) === "rest" ? [`const { ${idNames(model)}, ...rest } = input;`] : [];

/** Returns the statements that read the stored row and check the choices of a change. */
function checkStoredChoices(model: Model): readonly string[] {
  if (!hasLimitedChoices(model)) return [];
  const { singular, plural } = model.name;
  const options = relationNames(model.fields).length > 0 ? "{ ...options, with: relations }" : "options";
  return [
    `const stored = await ${plural.camel}.findOpt(database, id, ${options});`,
    `if (stored === undefined) return error("This ${singular.words} no longer exists");`,
    ...checkChoices(model, "stored"),
  ];
}

function imports(model: Model): readonly string[] {
  const { name, fields, parent, hasMembers } = model;
  const hasUsers = refersToUsers(fields);
  const isByParent = offersByParent(model);
  const policies = [
    "mayChange",
    "roleOf",
    ...(hasMembers && parent !== undefined ? ["maySeeList"] : []),
    ...(hasUsers && hasMemberTable(model) ? ["usersOf"] : []),
  ];
  const types = ["Input", ...(manyFields(fields).length > 0 ? ["StoredRow"] : []), name.singular.pascal];
  return [
    ...(isGuarded(model) || hasLimitedChoices(model)
      ? [printNames("import", ["error", "type Result", ...(hasUsers ? ["type User"] : [])], "limmat")]
      : [printNames("import type", ["Result"], "limmat")]),
    'import { type AnySearchParameters, attempt, type OperationOptions } from "limmat/database";',
    printNames("import", ["database", ...(hasUsers && !isByParent ? ["user"] : [])], "../../../service/service.ts"),
    ...(requiresLogin(model) ? ['import { actingUser } from "../acting-user.ts";'] : []),
    ...(hasUsers && isByParent
      ? [`import * as ${parent?.singular.pascal} from "../${parent?.singular.kebab}/policy.ts";`]
      : []),
    printNames("import type", types, "./entity.ts"),
    ...(isGuarded(model) ? [printNames("import", policies, "./policy.ts")] : []),
    printNames(
      "import",
      [
        name.plural.camel,
        ...siblingTables(model).map((sibling) => countName(sibling, model)),
        ...(hasMemberTable(model) ? [`${name.singular.camel}Members`, "visibleTo"] : []),
        ...(relationNames(fields).length > 0 ? ["relations"] : []),
      ],
      "./repository.ts",
    ),
  ];
}

const parentCondition = ({ singular }: ModelName): string => `${singular.snake}_id: options.params.${singular.camel}`;

/** Returns the condition of a list: the parent, and what the user may see. */
function searchCondition(model: Model): readonly string[] {
  const { parent, hasOwner, hasMembers } = model;
  if (hasMemberTable(model)) return ["where: visibleTo(actingUser(options))"];
  const conditions = [
    ...(parent === undefined ? [] : [parentCondition(parent)]),
    ...(hasOwner && !hasMembers ? ["owner_id: actingUser(options)"] : []),
  ];
  return conditions.length === 0
    ? []
    : [printList(conditions, { open: "{", close: "}", padding: " ", indent: 4, before: "where: ", after: "" })];
}

/** Returns the statement that refuses a list and a new entry below a parent that the user does not see. */
function listGuard({ parent, hasMembers }: Model, otherwise: string): readonly string[] {
  if (parent === undefined || !hasMembers) return [];
  return [
    `const maySee = await maySeeList(options.params.${parent.singular.camel}, actingUser(options), options);`,
    `if (!maySee) ${otherwise}`,
  ];
}

/** Returns the statements that refuse a change. */
function changeGuard(model: Model, verb: string): readonly string[] {
  if (!isGuarded(model)) return [];
  return [
    "const isPermitted = await mayChange(id, actingUser(options), options);",
    `if (!isPermitted) return error("You may not ${verb} this ${model.name.singular.words}");`,
  ];
}

const listOptions = ({ name, parent }: Model): string =>
  [
    `/** Options of a list and of a new ${name.singular.words}. */`,
    "export interface ListOptions extends Options {",
    `  readonly params: { readonly ${parent?.singular.camel}: string };`,
    "}",
    "",
  ].join("\n");

/** Returns the statements that write a row. Rows with relations are loaded again. */
function writeLines(model: Model, operation: string, isNew = false): readonly string[] {
  const { name, fields } = model;
  const isLoaded = relationNames(fields).length > 0;
  const addsAdmin = isNew && hasMemberTable(model);
  if (!isLoaded && !addsAdmin) return [`return write(() => ${operation}, options);`];
  const links = manyFields(fields).map(
    (field) => `  await links.${field.relation}.set(database, written, ${field.name}, options);`,
  );
  return [
    "return write(async () => {",
    `  const written = await ${operation};`,
    ...links,
    ...(addsAdmin
      ? [
          `  const admin = { ${name.singular.snake}_id: written.id, user_id, role: "admin" } as const;`,
          `  await ${name.singular.camel}Members.insert(database, admin, options);`,
        ]
      : []),
    isLoaded ? "  return load(written.id, options);" : "  return written;",
    "}, options);",
  ];
}

/** Returns the functions that load a row with its relations. */
function load({ name: { singular, plural }, fields }: Model): string {
  const listRelations = manyFields(fields);
  if (relationNames(fields).length === 0) return "";
  const loaded = `${plural.camel}.find(database, id, { ...options, with: relations })`;
  const start = `async function load(id: string, options?: Options): Promise<${singular.pascal}> {`;
  if (listRelations.length === 0) return `${start}\n  return ${loaded};\n}\n`;
  const ids = listRelations.map(({ name, relation }) => `  ${name}: item.${relation}.map(({ id }) => id),`);
  return [
    `const { links } = ${plural.camel};`,
    "",
    start,
    `  return withIds(await ${loaded});`,
    "}",
    "",
    "/** Adds the ids of the related entries, which the form shows. */",
    `const withIds = (item: StoredRow): ${singular.pascal} => ({`,
    "  ...item,",
    ...ids,
    "});",
    "",
  ].join("\n");
}

/** Returns the errors for the violations of constraints. */
function refusals(model: Model): string {
  const { name, fields } = model;
  const columns = uniqueColumns(model);
  const unique = fields
    .filter(({ isUnique }) => isUnique)
    .map((field, index) =>
      objectCode([
        `columns: [${columns[index]?.map((column) => `"${column}"`).join(", ")}]`,
        `refusal: ${uniqueError(field)}`,
      ]),
    );
  const references = fields.filter(({ target }) => target !== undefined);
  const [first] = references;
  const referenceError =
    references.length === 1 && first?.type === "belongsTo"
      ? `{ ${first.name}: "This ${first.label.toLowerCase()} does not exist" }`
      : '"A chosen entry does not exist"';
  const members = [
    `noRow: "This ${name.singular.words} no longer exists"`,
    ...(first === undefined ? [] : [`foreignKey: ${referenceError}`]),
    ...(unique.length === 0 ? [] : [{ before: "unique: ", open: "[", close: "]", items: unique }]),
  ];
  return printCode(objectCode(members, "const refusals = "), 0, " as const;");
}

/** Returns the error for a value that another row already has, as TypeScript. */
export const uniqueError = ({ name, label }: Field): string => `{ ${name}: "This ${label.toLowerCase()} is taken" }`;
