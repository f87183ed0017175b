import type { Command } from "../../core/index.ts";
import { offersByParent } from "./choices-code.ts";
import { choicesConstant } from "./field-code.ts";
import { type Field, isUser } from "./field.ts";
import { generate, parseArguments } from "./generate.ts";
import { memberViewFile } from "./member-files.ts";
import type { ModelName } from "./name.ts";
import {
  filterFields,
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
  siblingFields,
  sortNames,
  viewPath,
} from "./parse-model.ts";
import { hasMemberTable, hasReaders } from "./policy-file.ts";
import { printList, printNames, printWidth, stringLiteral } from "./print.ts";
import { projectRoot } from "./project.ts";
import { readPackageFile, renderStub } from "./stub.ts";
import { type FileEdit, replaceOnce } from "./wire.ts";
import type { GeneratedFile } from "./write-files.ts";

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
    ...(hasMemberTable(model) ? [memberViewFile(model)] : []),
    ...(refersToUsers(model.fields) || hasMemberTable(model) ? [userLabelFile()] : []),
    ...sharedViews(),
  ];
}

/** Returns the edit that links the page of the parent to the list. Without the line that it looks for, the user adds the link. */
export function parentLinkEdit({ name: { plural }, parent, hasParentPages }: Model): readonly FileEdit[] {
  if (parent === undefined || !hasParentPages) return [];
  const link = `<a class="button secondary" href="\${path}/${plural.kebab}">${plural.title}</a>`;
  const apply = replaceOnce(
    link,
    /^(?=  <a href="\$\{Rest\.listPath\(request\)\}">Back to the list<\/a>$)/m,
    `  ${link}\n`.replaceAll("$", "$$$$"),
  );
  return [{ path: viewPath(parent), imports: [], apply, snippet: link }];
}

/** Returns the labels of users, which all pages that show users share. */
const userLabelFile = (): GeneratedFile => ({
  path: "web/view/user-label.ts",
  text: renderStub("view/user-label.ts", {}),
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
  const { name, fields, parent } = model;
  const { singular, plural } = name;
  const hasChoices = fields.some(({ target }) => target !== undefined);
  const filterOptions = filterFields(fields).flatMap((field) => {
    if (field.target === undefined) return [];
    const options = [
      `label: ${stringLiteral(field.label)}`,
      `choices: await ${choicesCall(field.target, model, { parentId: parentParameter(model) })}`,
    ];
    const text = printList(options, {
      open: "{",
      close: "}",
      padding: " ",
      indent: 6,
      before: `${field.name}: `,
      after: ",",
    });
    return [text.replaceAll("\n      ", "\n")];
  });
  const hasSearch = searchableFields(fields).length > 0;
  const hasViewer = showsUsersPublicly(model);
  const isLimited = hasReaders(model);
  const newFields = fieldOptions(model, { parentId: parentParameter(model) });
  const promise = (isAsync: boolean): string => (isAsync ? "Promise<Html>" : "Html");
  const isIndexAsync = filterOptions.length > 0 || hasViewer || isLimited;
  const viewer = "const viewer = await User.Web.userOrThrow(request);";
  const listRequest = `request: ${model.hasParentPages || dependsOnParent(model) ? `Request<{ readonly ${parent?.singular.camel}: string }>` : "Request"}`;
  const rights = isLimited ? "changeable.has(item.id) && " : "";
  return renderStub("view/view.ts", {
    imports: viewImports(model, newFields.length > 0).join("\n"),
    Model: singular.pascal,
    words: singular.words,
    Title: singular.title,
    manyWords: plural.words,
    ManyTitle: plural.title,
    filterBy: filterRules(fields),
    sortBy: printList(sortNames(fields).map(stringLiteral), {
      open: "[",
      close: "]",
      indent: 2,
      before: "sortBy: ",
      after: ",",
    }).replaceAll("\n  ", "\n"),
    indexSignature: printList([listRequest, "csrf: string", "[items, total]: Page", "query: Query"], {
      open: "(",
      close: ")",
      before: `export ${isIndexAsync ? "async " : ""}function index`,
      after: `: ${promise(isIndexAsync)} {`,
    }),
    indexFacts: [
      ...(hasViewer || isLimited ? [viewer] : []),
      ...(isLimited ? ["const changeable = await changeableIds(items, viewer.id);"] : []),
    ].join("\n"),
    searchOptions: hasSearch ? "" : "search: false as const,",
    filterOptions:
      filterOptions.length === 0
        ? ""
        : ["filters: {", ...filterOptions.map((line) => `  ${line.replaceAll("\n", "\n  ")}`), "},"].join("\n"),
    actions: printArrow(
      "actions: (item) =>",
      `${rights}actions(csrf, Rest.itemPath(request, item.id), item, query),`,
      4,
    ),
    parentLink:
      parent !== undefined && model.hasParentPages
        ? `<p><a href="\${request.prefix}/${parent.plural.kebab}/\${request.params.${parent.singular.camel}}">Back to the ${parent.singular.words}</a></p>`
        : "",
    showAsync: hasViewer || isLimited ? "async " : "",
    ShowHtml: promise(hasViewer || isLimited),
    showFacts: [
      ...(hasViewer || isLimited ? [viewer] : []),
      ...(isLimited ? ["const changeable = await changeableIds([item], viewer.id);"] : []),
    ].join("\n"),
    facts: fields.map((field) => `<div><dt>${field.label}</dt><dd>${displayValue(field, model)}</dd></div>`).join("\n"),
    editLink: isLimited
      ? '${changeable.has(item.id) && html`<a class="button" href="${path}/edit">Edit</a>`}'
      : '<a class="button" href="${path}/edit">Edit</a>',
    membersLink: hasMemberTable(model) ? '<a class="button secondary" href="${path}/members">Members</a>' : "",
    columns: listFields(fields)
      .map((field) => tableColumn(field, model))
      .join("\n"),
    labelSort: sortNames(fields).includes(labelField(fields)) ? `, sort: ${stringLiteral(labelField(fields))}` : "",
    createSignature: printList(
      [dependsOnParent(model) ? listRequest : "request: Request", "csrf: string", "data: Form"],
      {
        open: "(",
        close: ")",
        before: `${hasChoices ? "async " : ""}function create`,
        after: `: ${promise(hasChoices)} {`,
      },
    ),
    async: hasChoices ? "async " : "",
    Html: promise(hasChoices),
    newFields:
      newFields.length === 0 ? "" : hasChoices ? `fields: await fields(${fieldsArguments(model)}),` : "fields,",
    editFields:
      newFields.length === 0 ? "" : hasChoices ? `fields: await fields(${fieldsArguments(model, "item")}),` : "fields,",
    fields: fieldsDeclaration(fieldOptions(model, { parentId: parentIdName(model), item: "item" }), model),
    choices: choicesFunctions(model),
    options: needsOptions(model) ? optionsFunction : "",
  });
}

/** Returns the function that makes the options of services. */
const optionsFunction = `
/** Returns the options of services: the user of the request. */
async function optionsOf(request: Request): Promise<Options> {
  return { ctx: [["user_id", (await User.Web.userOrThrow(request)).id]] };
}`;

/** True if labels of users hide addresses: who sees an entry is no member of it. */
const showsUsersPublicly = ({ fields, hasMembers }: Model): boolean => refersToUsers(fields) && !hasMembers;

/** True if the choices depend on the parent's id. */
const dependsOnParent = (model: Model): boolean =>
  siblingFields(model).length > 0 || (offersByParent(model) && refersToUsers(model.fields));

/** True if the view passes the user of the request to services for choices. */
const needsOptions = (model: Model): boolean =>
  (refersToUsers(model.fields) && !offersByParent(model)) || (siblingFields(model).length > 0 && model.hasMembers);

const parentIdName = ({ parent }: Model): string => `${parent?.singular.snake}_id`;

const parentParameter = ({ parent }: Model): string => `request.params.${parent?.singular.camel}`;

/** Expressions of the parent's id and of the edited entry. */
interface ChoiceScope {
  readonly parentId: string;
  readonly item?: string;
}

/** Returns the arguments of `fields` in the page of a new entry, or in that of an existing one. */
function fieldsArguments(model: Model, item?: string): string {
  return [
    ...(needsOptions(model) ? ["request"] : []),
    ...(dependsOnParent(model) ? [item === undefined ? parentParameter(model) : `${item}.${parentIdName(model)}`] : []),
    ...(item !== undefined && refersToUsers(model.fields) ? [item] : []),
  ].join(", ");
}

/** Returns the parameters of `fields`. */
const fieldsParameters = (model: Model): readonly string[] => [
  ...(needsOptions(model) ? ["request: Request"] : []),
  ...(dependsOnParent(model) ? [`${parentIdName(model)}: string`] : []),
  ...(refersToUsers(model.fields) ? [`item?: ${model.name.singular.pascal}`] : []),
];

/** Returns the call that lists the choices of a relation. */
function choicesCall(target: ModelName, model: Model, { parentId, item }: ChoiceScope): string {
  const items = item === undefined ? [] : [item];
  const args = isUser(target)
    ? [offersByParent(model) ? parentId : "request", ...items]
    : isSiblingModel(target, model)
      ? [...(model.hasMembers ? ["request"] : []), parentId]
      : [];
  return `${choicesName(target)}(${args.join(", ")})`;
}

const isSiblingModel = (target: ModelName, { siblings }: Model): boolean =>
  siblings.some((sibling) => isSameModel(sibling, target));

/** Returns the name of the function that lists the choices of a relation. */
const choicesName = (target: ModelName): string => `${target.plural.camel}Choices`;

/** Returns the filters of the list, as TypeScript. */
function filterRules(fields: readonly Field[]): string {
  const rules = filterFields(fields).map((field) => {
    const { name, type, isOptional } = field;
    const rule =
      type === "oneOf" ? `Query.oneOf(...${choicesConstant(field)})` : type === "bool" ? "Query.bool" : "Query.uuid";
    return `  ${name}: ${isOptional ? `Query.nullable(${rule})` : rule},`;
  });
  return rules.length === 0 ? "" : ["filterBy: {", ...rules, "},"].join("\n");
}

/** Returns the definition of a column of the list. */
function tableColumn(field: Field, model: Model): string {
  const { fields } = model;
  const { name, label, type, target } = field;
  const properties = [`label: ${stringLiteral(label)}`];
  if (target === undefined) properties.push(`name: ${stringLiteral(name)}`);
  else properties.push(printArrow("value: (item) =>", relatedLabel(field, model), 8));
  if (sortNames(fields).includes(name)) properties.push(`sort: ${stringLiteral(name)}`);
  if (type === "decimal") properties.push("isNumeric: true");
  if (type === "oneOf") properties.push("format: humanize");
  return printList(properties, { open: "{", close: "}", padding: " ", indent: 6, after: "," }).replaceAll(
    "\n      ",
    "\n",
  );
}

/** Prints an arrow function for a list that is expanded at `indent`. */
const printArrow = (start: string, body: string, indent: number): string =>
  indent + start.length + body.length + 2 <= printWidth
    ? `${start} ${body}`
    : `${start}\n  ${" ".repeat(indent)}${body}`;

/** Returns the expression of the labels of related entries. */
function relatedLabel({ target, relation, type }: Field, model: Model): string {
  if (target === undefined || relation === undefined) return "undefined";
  if (isUser(target) && showsUsersPublicly(model)) {
    return type === "manyToMany"
      ? `item.${relation}.map((person) => labelFor(viewer, person)).join(", ")`
      : `item.${relation} && labelFor(viewer, item.${relation})`;
  }
  const labelOf = isUser(target)
    ? "memberLabel"
    : isSameModel(target, model.name)
      ? "labelOf"
      : `${target.singular.pascal}.labelOf`;
  if (type === "manyToMany") return `item.${relation}.map(${labelOf}).join(", ")`;
  return `item.${relation} && ${labelOf}(item.${relation})`;
}

/** Returns the template expression that shows the value of a field. */
function displayValue(field: Field, model: Model): string {
  const { name, type, target, isOptional } = field;
  const value = `item.${name}`;
  if (target !== undefined) return `\${${relatedLabel(field, model)}}`;
  if (type === "bool") return `\${${value} ? "Yes" : "No"}`;
  if (type === "datetime") return `\${timestamp(${value})}`;
  if (type === "oneOf") return `\${${isOptional ? `${value} && ` : ""}humanize(${value})}`;
  if (type !== "json") return `\${${value}}`;
  return isOptional ? `\${${value} === undefined ? "" : JSON.stringify(${value})}` : `\${JSON.stringify(${value})}`;
}

/** Returns the functions that list the choices of relations. */
function choicesFunctions(model: Model): string {
  const others = referencedModels(model.fields).map((target) => {
    const namespace = isSameModel(target, model.name) ? "" : `${target.singular.pascal}.`;
    const isSibling = isSiblingModel(target, model);
    const params = `params: { ${model.parent?.singular.camel}: ${parentIdName(model)} }`;
    const options = !isSibling
      ? ""
      : model.hasMembers
        ? `, { ...(await optionsOf(request)), ${params} }`
        : `, { ${params} }`;
    const parameters = isSibling
      ? [...(model.hasMembers ? ["request: Request"] : []), `${parentIdName(model)}: string`]
      : [];
    return choicesFunction(choicesName(target), parameters, {
      comment: `the newest 1,000 ${target.plural.words}${isSibling ? ` of the ${model.parent?.singular.words}` : ""}`,
      load: printList(isSibling ? ["{ limit: 1000 }", options.slice(2)] : ["{ limit: 1000 }"], {
        open: "(",
        close: ")",
        indent: 2,
        before: `const [items] = await ${namespace}search`,
        after: ";",
      }).replaceAll("\n  ", "\n"),
      list: "items",
      labelOf: `${namespace}labelOf(row)`,
    });
  });
  return [...others, ...(refersToUsers(model.fields) ? [usersChoices(model)] : [])].join("\n");
}

/** Returns the function that lists the users whom a form offers. */
function usersChoices(model: Model): string {
  const isByParent = offersByParent(model);
  const isPublic = showsUsersPublicly(model);
  const parameters = [
    isByParent ? `${parentIdName(model)}: string` : "request: Request",
    `item?: ${model.name.singular.pascal}`,
  ];
  return choicesFunction("usersChoices", parameters, {
    comment: "users, with their addresses for those who may see them",
    load: [
      ...(isPublic ? ["const viewer = await User.Web.userOrThrow(request);"] : []),
      `const users = await offeredUsers(${isByParent ? parentIdName(model) : "await optionsOf(request)"}, item);`,
    ].join("\n"),
    list: "users",
    labelOf: isPublic ? "labelFor(viewer, row)" : "memberLabel(row)",
  });
}

/** Prints a function that lists choices. */
function choicesFunction(
  name: string,
  parameters: readonly string[],
  values: { readonly comment: string; readonly load: string; readonly list: string; readonly labelOf: string },
): string {
  const signature = printList(parameters, {
    open: "(",
    close: ")",
    before: `async function ${name}`,
    after: ": Promise<readonly (readonly [id: string, label: string])[]> {",
  });
  return renderStub("view/choices.ts", { signature, ...values }).trimEnd();
}

/** Returns the options of the form fields whose schema does not determine everything. */
function fieldOptions(model: Model, scope: ChoiceScope): readonly string[] {
  return model.fields.flatMap(({ name, label, type, target }) => {
    const options: string[] = [];
    if (type === "datetime") options.push(`label: ${stringLiteral(`${label} (UTC)`)}`);
    else if (target !== undefined || /_ids?$/.test(name)) options.push(`label: ${stringLiteral(label)}`);
    if (target !== undefined) options.push(`choices: await ${choicesCall(target, model, scope)}`);
    return options.length === 0
      ? []
      : [printList(options, { open: "{", close: "}", padding: " ", indent: 4, before: `${name}: `, after: "," })];
  });
}

/** Returns the declaration of the options of the form fields. */
function fieldsDeclaration(options: readonly string[], model: Model): string {
  if (options.length === 0) return "";
  const lines = (indent: string): string => options.map((option) => indent + option).join("\n");
  if (model.fields.every(({ target }) => target === undefined)) {
    return `\nconst fields: FormFields<Input> = {\n${lines("  ").replaceAll("\n    ", "\n  ")}\n};`;
  }
  const signature = printList(fieldsParameters(model), {
    open: "(",
    close: ")",
    before: "async function fields",
    after: ": Promise<FormFields<Input>> {",
  });
  return `\n${signature}\n  return {\n${lines("    ")}\n  };\n}`;
}

function viewImports(model: Model, hasFieldOptions: boolean): readonly string[] {
  const { name, fields } = model;
  const components = ["deleteButton", "emptyState", "filters", "formOf", "pager", "sortLinks", "table", "timestamp"];
  if (hasFieldOptions) components.push("type FormFields");
  if (fields.some(({ type }) => type === "oneOf")) components.push("humanize");
  const targets = referencedModels(fields);
  const others = targets.filter((target) => !isSameModel(target, name));
  const own = [
    ...filterFields(fields)
      .filter(({ type }) => type === "oneOf")
      .map(choicesConstant),
    ...(others.length < targets.length ? ["search"] : []),
    ...(hasFieldOptions ? ["type Input"] : []),
    ...(hasReaders(model) ? ["changeableIds"] : []),
    ...(refersToUsers(fields) ? ["offeredUsers"] : []),
    ...(needsOptions(model) ? ["type Options"] : []),
    "labelOf",
    "schema",
    `type ${name.singular.pascal}`,
  ];
  const hasViewer = showsUsersPublicly(model) || hasReaders(model) || needsOptions(model);
  const modelPath = ({ singular: { kebab } }: ModelName): string => `../../app/domain/${kebab}/${kebab}.ts`;
  return [
    ...(hasViewer ? ['import { User } from "limmat";'] : []),
    'import { html, type Html } from "limmat/html";',
    'import type { Form } from "limmat/schema";',
    'import { Query, type Request, Rest } from "limmat/web";',
    ...others
      .toSorted((a, b) => (a.singular.kebab < b.singular.kebab ? -1 : 1))
      .map((other) => `import * as ${other.singular.pascal} from "${modelPath(other)}";`),
    printNames("import", own, modelPath(name)),
    printNames("import", components, "./components.ts"),
    'import { layout } from "./layout.ts";',
    ...(refersToUsers(fields)
      ? [printNames("import", [showsUsersPublicly(model) ? "labelFor" : "memberLabel"], "./user-label.ts")]
      : []),
  ];
}
