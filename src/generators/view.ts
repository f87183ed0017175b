import type { Command } from "../core/index.ts";
import { choicesConstant } from "./field-code.ts";
import { type Field, isUser } from "./field.ts";
import { generate, parseArguments } from "./generate.ts";
import { memberViewFile } from "./member-files.ts";
import type { ModelName } from "./name.ts";
import {
  filterFields,
  filterName,
  isSameModel,
  labelField,
  listFields,
  type Model,
  parseModel,
  referencedModels,
  refersToUsers,
  relatedModels,
  requireModel,
  searchableFields,
  sortNames,
  viewPath,
} from "./parse-model.ts";
import { hasMemberTable, hasReaders, requiresLogin } from "./policy-file.ts";
import { type Code, type CodeArrow, objectCode, printCode, printList, printNames, stringLiteral } from "./print.ts";
import { type GeneratedFile, projectRoot, readPackageFile, renderStub } from "../project/index.ts";
import { filterRules } from "./routes-file.ts";
import {
  dependsOnParent,
  fieldsCall,
  fieldsFunction,
  hasFieldOptions,
  needsContext,
  showsUsersPublicly,
} from "./view-fields.ts";
import { type FileEdit, replaceOnce } from "./wire.ts";

/** Runs the command `gen.view`. */
export function genView(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["plural", "in", "owner", "members"]);
  const [name, ...fields] = positionals;
  if (name === undefined || fields.length === 0) return undefined;
  const root = projectRoot();
  const model = parseModel(root, name, fields, flags);
  for (const target of relatedModels(model)) requireModel(target, root);
  return generate(root, { files: viewFiles(model), edits: [] }, flags, output);
}

/** Returns the view of a model, and the shared views that the project may lack. */
export function viewFiles(model: Model): readonly GeneratedFile[] {
  return [
    { path: viewPath(model.name), text: viewText(model) },
    ...(requiresLogin(model) ? [userContextFile()] : []),
    ...(hasMemberTable(model) ? [memberViewFile(model)] : []),
    ...(refersToUsers(model.fields) || hasMemberTable(model) ? [userLabelFile()] : []),
    ...sharedViews(),
  ];
}

/** Returns the edit that links the page of the parent to the list. Without the line that it looks for, the user adds the link. */
export function parentLinkEdit({ name: { plural }, parent, hasParentPages }: Model): readonly FileEdit[] {
  if (parent === undefined || !hasParentPages) return [];
  const link = `${/^\w+$/.test(plural.kebab) ? plural.kebab : stringLiteral(plural.kebab)}: ${stringLiteral(plural.title)},`;
  const apply = (text: string): string | undefined =>
    replaceOnce(link, /^ {2}links: \{\},$/m, `  links: {\n    ${link}\n  },`)(text) ??
    replaceOnce(link, /^( {2}links: \{\n(?: {4}.*\n)*)(?= {2}\},$)/m, `$1    ${link}\n`)(text);
  return [{ path: viewPath(parent), imports: [], apply, snippet: link }];
}

/** Returns the labels of users, which all pages that show users share. */
const userLabelFile = (): GeneratedFile => ({
  path: "web/view/user-label.ts",
  text: renderStub("view/user-label.ts", {}),
  whenPresent: "keep",
});

/** Returns the context of a request, which all pages with a login pass to services. */
const userContextFile = (): GeneratedFile => ({
  path: "web/middleware/user-context.ts",
  text: renderStub("html/user-context.ts", {}),
  whenPresent: "keep",
});

/** Returns the views that all generated pages use: layout and components. */
export function sharedViews(): readonly GeneratedFile[] {
  return ["layout", "components"].map((name) => {
    const path = `web/view/${name}.ts`;
    return { path, text: readPackageFile(`template/${path}`), whenPresent: "keep" };
  });
}

function viewText(model: Model): string {
  const { name, fields } = model;
  const { singular, plural } = name;
  return renderStub("view/view.ts", {
    imports: viewImports(model).join("\n"),
    filterBy: filterRules(fields, "Query", "").join("\n"),
    sortBy: printList(sortNames(fields).map(stringLiteral), {
      open: "[",
      close: "]",
      indent: 2,
      before: "sortBy: ",
      after: ",",
    }).replaceAll("\n  ", "\n"),
    pages: printCode(
      objectCode(
        [
          `one: ${stringLiteral(singular.words)}`,
          `many: ${stringLiteral(plural.words)}`,
          "labelOf",
          "schema",
          "layout",
          "components",
          ...(hasReaders(model) ? ["changeableIds: changeable"] : []),
          "...listRules",
        ],
        `const pages: components.ResourcePages<${singular.pascal}, Input> = `,
      ),
      0,
      ";",
    ),
    index: printOptionsCall("export const index = components.listPage", listOptions(model)),
    show: printOptionsCall("export const show = components.itemPage", [
      ...columnList("facts", [...fields.map((field) => column(field, model)), '"created_at"', '"updated_at"'], model),
      ...(hasMemberTable(model) ? ["links: {", '  members: "Members",', "},"] : ["links: {},"]),
    ]),
    create: formPage("const create = components.newPage", model),
    edit: formPage("export const edit = components.editPage", model, "item"),
    fields: [
      ...(hasFieldOptions(model) ? [fieldsFunction(model)] : []),
      ...(hasReaders(model) ? [changeableFunction(model)] : []),
    ].join("\n"),
  });
}

const printOptionsCall = (start: string, options: readonly string[]): string =>
  [`${start}(pages, {`, ...options.map((line) => `  ${line}`), "});"].join("\n");

/** Returns the parameter of a function that reads the parent from the request of a list. */
const listRequest = ({ parent }: Model): string => `request: Request<{ readonly ${parent?.singular.camel}: string }>`;

function listOptions(model: Model): readonly string[] {
  const { fields, parent } = model;
  const label = objectCode([
    `label: ${stringLiteral(model.name.singular.title)}`,
    "value: labelOf",
    ...(sortNames(fields).includes(labelField(fields)) ? [`sort: ${stringLiteral(labelField(fields))}`] : []),
  ]);
  const columns = listFields(fields).map((field) => column(field, model));
  return [
    ...columnList("columns", [label, ...columns, '"created_at"'], model),
    ...filterOptions(model),
    ...(searchableFields(fields).length > 0 ? [] : ["search: false,"]),
    ...(parent !== undefined && model.hasParentPages
      ? [
          `before: (${listRequest(model)}) =>`,
          `  html\`<p><a href="\${request.prefix}/${parent.plural.kebab}/\${request.params.${parent.singular.camel}}">Back to the ${parent.singular.words}</a></p>\`,`,
        ]
      : []),
    ...(hasMemberTable(model) ? ["before: pendingMemberships,"] : []),
  ];
}

/** Returns the choices of the filters: those of the form. A filter by one of several has the name of the relation. */
function filterOptions(model: Model): readonly string[] {
  const filters = filterFields(model.fields).filter(({ target }) => target !== undefined);
  if (filters.length === 0) return [];
  const many = filters.filter(({ type }) => type === "manyToMany");
  if (many.length === 0)
    return [`filters: ${dependsOnParent(model) ? printCode(fieldsPart(model), 2, ",") : "fields,"}`];
  const parameter = dependsOnParent(model) ? listRequest(model) : needsContext(model) ? "request" : "";
  const choices = ["...options", ...many.map((field) => `${filterName(field)}: options.${field.name}`)];
  return [
    `filters: async (${parameter}) => {`,
    `  const options = await ${fieldsCall(model)};`,
    `  ${printCode(objectCode(choices, "return "), 4, ";")}`,
    "},",
  ];
}

/** Returns the call that makes a page with a form. */
function formPage(start: string, model: Model, item?: "item"): string {
  if (!hasFieldOptions(model)) return `${start}(pages);`;
  if (!dependsOnParent(model)) return `${start}(pages, { fields });`;
  const { start: parameters, body } = fieldsPart(model);
  const part =
    item === undefined
      ? { start: `fields: ${parameters}`, body }
      : { start: "fields: (request, item) =>", body: fieldsCall(model, item) };
  return printCode(objectCode([part], `${start}(pages, `), 0, ");");
}

/** Returns the function that passes the parent of a request to `fields`. */
const fieldsPart = (model: Model): CodeArrow => ({ start: `(${listRequest(model)}) =>`, body: fieldsCall(model) });

/** Returns a list of columns. Labels of users that hide addresses depend on who looks at the page. */
function columnList(name: string, columns: readonly Code[], model: Model): readonly string[] {
  const list = (before: string): Code => ({ before, open: "[", close: "]", items: columns });
  const isPublic = showsUsersPublicly(model) && printCode(list(""), 0).includes("viewer");
  if (!isPublic) return [printCode(list(`${name}: `), 2, ",")];
  return [
    `${name}: async (request) => {`,
    "  const viewer = await User.Web.userOrThrow(request);",
    `  ${printCode(list("return "), 4, ";")}`,
    "},",
  ];
}

/** Returns the definition of a column: its name, if that says all. */
function column(field: Field, model: Model): Code {
  const { name, label, target } = field;
  const text = `label: ${stringLiteral(label)}`;
  if (target !== undefined) return objectCode([text, { start: "value: (item) =>", body: relatedLabel(field, model) }]);
  return isDefaultLabel(field) ? stringLiteral(name) : objectCode([`name: ${stringLiteral(name)}`, text]);
}

/** True if the label of a column is made of its name. */
const isDefaultLabel = ({ name, label }: Field): boolean =>
  label.toLowerCase() === name.replaceAll("_", " ") && !name.endsWith("_id");

/** Returns the expression of the labels of related entries. */
function relatedLabel({ target, relation, type, isOptional }: Field, model: Model): string {
  if (target === undefined || relation === undefined) return "undefined";
  const isPublic = isUser(target) && showsUsersPublicly(model);
  const labelOf = isUser(target)
    ? "memberLabel"
    : isSameModel(target, model.name)
      ? "labelOf"
      : `${target.singular.pascal}.labelOf`;
  if (type === "manyToMany") {
    return `item.${relation}.map(${isPublic ? "(person) => labelFor(viewer, person)" : labelOf}).join(", ")`;
  }
  const label = isPublic ? `labelFor(viewer, item.${relation})` : `${labelOf}(item.${relation})`;
  return isOptional ? `item.${relation} && ${label}` : label;
}

/** Returns the function that finds out which items of a page the user may change. */
const changeableFunction = ({ name: { singular } }: Model): string =>
  [
    "",
    "/** Returns the ids of those items that the visitor may change. */",
    printList(["request: Request", `items: readonly ${singular.pascal}[]`], {
      open: "(",
      close: ")",
      before: "async function changeable",
      after: ": Promise<ReadonlySet<string>> {",
    }),
    "  const { id } = await User.Web.userOrThrow(request);",
    "  return changeableIds(items, id, { ctx: await userContext(request) });",
    "}",
  ].join("\n");

function viewImports(model: Model): readonly string[] {
  const { name, fields } = model;
  const targets = referencedModels(fields);
  const others = targets.filter((target) => !isSameModel(target, name));
  const rules = filterFields(fields);
  const own = [
    ...rules.filter(({ type }) => type === "oneOf").map(choicesConstant),
    ...(others.length < targets.length ? ["search"] : []),
    "type Input",
    `type ${name.singular.pascal}`,
    ...(hasReaders(model) ? ["changeableIds"] : []),
    ...(refersToUsers(fields) ? ["offeredUsers"] : []),
    "labelOf",
    "schema",
  ];
  const hasParentLink = model.parent !== undefined && model.hasParentPages;
  const web = [
    ...(rules.length > 0 ? ["Query"] : []),
    ...(hasParentLink || hasReaders(model) || needsContext(model) || dependsOnParent(model) ? ["type Request"] : []),
  ];
  const modelPath = ({ singular: { kebab } }: ModelName): string => `../../app/domain/${kebab}/${kebab}.ts`;
  return [
    ...(showsUsersPublicly(model) || hasReaders(model) ? ['import { User } from "limmat";'] : []),
    ...(hasParentLink ? ['import { html } from "limmat/html";'] : []),
    ...(web.length === 0
      ? []
      : web.includes("Query")
        ? [printNames("import", web, "limmat/web")]
        : ['import type { Request } from "limmat/web";']),
    ...others
      .toSorted((a, b) => (a.singular.kebab < b.singular.kebab ? -1 : 1))
      .map((other) => `import * as ${other.singular.pascal} from "${modelPath(other)}";`),
    printNames("import", own, modelPath(name)),
    ...(hasReaders(model) || needsContext(model)
      ? ['import { userContext } from "../middleware/user-context.ts";']
      : []),
    'import * as components from "./components.ts";',
    'import { layout } from "./layout.ts";',
    ...(hasMemberTable(model) ? [`import { pendingMemberships } from "./${name.singular.kebab}-member.ts";`] : []),
    ...(refersToUsers(fields)
      ? [printNames("import", [showsUsersPublicly(model) ? "labelFor" : "memberLabel"], "./user-label.ts")]
      : []),
  ];
}
