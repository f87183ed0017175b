import type { Command } from "../core/index.ts";
import { singularize } from "../inflection/index.ts";
import { choicesConstant } from "./field-code.ts";
import { type Field, isUser } from "./field.ts";
import { generate, parseArguments } from "./generate.ts";
import { memberViewFile } from "./member-files.ts";
import { type ModelName, toName } from "./name.ts";
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
import { printList, printNames, printWidth, stringLiteral } from "./print.ts";
import { type GeneratedFile, projectRoot, readPackageFile, renderStub } from "../project/index.ts";
import { type FileEdit, replaceOnce } from "./wire.ts";
import {
  choicesCall,
  choicesFunctions,
  dependsOnParent,
  fieldOptions,
  fieldsArguments,
  fieldsDeclaration,
  filterRules,
  needsContext,
  parentIdName,
  parentParameter,
  showsUsersPublicly,
} from "./view-choices.ts";

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
  const { name, fields, parent } = model;
  const { singular, plural } = name;
  const hasChoices = fields.some(({ target }) => target !== undefined);
  const filterOptions = filterFields(fields).flatMap((field) => {
    if (field.target === undefined) return [];
    const filter = filterName(field);
    // Chooses one entry, also of a relation to several.
    const label = field.type === "manyToMany" ? toName(singularize(filter)).title : field.label;
    const options = [
      `label: ${stringLiteral(label)}`,
      `choices: await ${choicesCall(field.target, model, { parentId: parentParameter(model) })}`,
    ];
    const text = printList(options, {
      open: "{",
      close: "}",
      padding: " ",
      indent: 6,
      before: `${filter}: `,
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
    filterBy: filterRules(fields, "Query", "").join("\n"),
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
      ...(isLimited
        ? ["const changeable = await changeableIds(items, viewer.id, { ctx: await userContext(request) });"]
        : []),
    ].join("\n"),
    pending: hasMemberTable(model) ? "${await pendingMemberships(request, csrf)}" : "",
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
      ...(isLimited
        ? ["const changeable = await changeableIds([item], viewer.id, { ctx: await userContext(request) });"]
        : []),
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
  });
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
    "labelOf",
    "schema",
    `type ${name.singular.pascal}`,
  ];
  const hasViewer = showsUsersPublicly(model) || hasReaders(model);
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
    ...(hasReaders(model) || needsContext(model)
      ? ['import { userContext } from "../middleware/user-context.ts";']
      : []),
    printNames("import", components, "./components.ts"),
    'import { layout } from "./layout.ts";',
    ...(hasMemberTable(model) ? [`import { pendingMemberships } from "./${name.singular.kebab}-member.ts";`] : []),
    ...(refersToUsers(fields)
      ? [printNames("import", [showsUsersPublicly(model) ? "labelFor" : "memberLabel"], "./user-label.ts")]
      : []),
  ];
}
