import type { Command } from "../../core/index.ts";
import { choicesConstant } from "./field-code.ts";
import { type Field, isUser } from "./field.ts";
import { generate, parseArguments } from "./generate.ts";
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
  sortNames,
} from "./parse-model.ts";
import { printList, printNames, printWidth, stringLiteral } from "./print.ts";
import { projectRoot } from "./project.ts";
import { readPackageFile, renderStub } from "./stub.ts";
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
  return [{ path: `web/view/${model.name.singular.kebab}.ts`, text: viewText(model) }, ...sharedViews()];
}

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
  const hasChoices = fields.some(({ target }) => target !== undefined);
  const filterOptions = filterFields(fields).flatMap((field) => {
    if (field.target === undefined) return [];
    const options = [`label: ${stringLiteral(field.label)}`, `choices: await ${choicesName(field.target)}()`];
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
  const formFields = fieldOptions(fields);
  const promise = (isAsync: boolean): string => (isAsync ? "Promise<Html>" : "Html");
  return renderStub("view/view.ts", {
    imports: viewImports(model, formFields.length > 0).join("\n"),
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
    searchOptions: hasSearch ? "" : "search: false,",
    filterOptions:
      filterOptions.length === 0
        ? ""
        : ["filters: {", ...filterOptions.map((line) => `  ${line.replaceAll("\n", "\n  ")}`), "},"].join("\n"),
    indexAsync: filterOptions.length > 0 ? "async " : "",
    IndexHtml: promise(filterOptions.length > 0),
    facts: fields.map((field) => `<div><dt>${field.label}</dt><dd>${displayValue(field, name)}</dd></div>`).join("\n"),
    columns: listFields(fields)
      .map((field) => tableColumn(field, model))
      .join("\n"),
    labelSort: sortNames(fields).includes(labelField(fields)) ? `, sort: ${stringLiteral(labelField(fields))}` : "",
    async: hasChoices ? "async " : "",
    Html: promise(hasChoices),
    fieldsOption: formFields.length === 0 ? "" : hasChoices ? "fields: await fields()," : "fields,",
    fields: fieldsDeclaration(formFields, hasChoices),
    choices: choicesFunctions(fields, name),
  });
}

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
function tableColumn(field: Field, { name: model, fields }: Model): string {
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
function relatedLabel({ target, relation, type }: Field, model: ModelName): string {
  if (target === undefined || relation === undefined) return "undefined";
  const labelOf = isUser(target)
    ? "userLabel"
    : isSameModel(target, model)
      ? "labelOf"
      : `${target.singular.pascal}.labelOf`;
  if (type === "manyToMany") return `item.${relation}.map(${labelOf}).join(", ")`;
  return `item.${relation} && ${labelOf}(item.${relation})`;
}

/** Returns the template expression that shows the value of a field. */
function displayValue(field: Field, model: ModelName): string {
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
function choicesFunctions(fields: readonly Field[], model: ModelName): string {
  const users = refersToUsers(fields) ? [renderStub("view/users.ts", {}).trimEnd()] : [];
  const others = referencedModels(fields).map((target) => {
    const namespace = isSameModel(target, model) ? "" : `${target.singular.pascal}.`;
    return renderStub("view/choices.ts", {
      search: `${namespace}search`,
      labelOf: `${namespace}labelOf`,
      choices: choicesName(target),
      manyWords: target.plural.words,
    }).trimEnd();
  });
  return [...others, ...users].join("\n");
}

/** Returns the options of the form fields whose schema does not determine everything. */
function fieldOptions(fields: readonly Field[]): readonly string[] {
  return fields.flatMap(({ name, label, type, target }) => {
    const options: string[] = [];
    if (type === "datetime") options.push(`label: ${stringLiteral(`${label} (UTC)`)}`);
    else if (target !== undefined || /_ids?$/.test(name)) options.push(`label: ${stringLiteral(label)}`);
    if (target !== undefined) options.push(`choices: await ${choicesName(target)}()`);
    return options.length === 0
      ? []
      : [printList(options, { open: "{", close: "}", padding: " ", indent: 4, before: `${name}: `, after: "," })];
  });
}

/** Returns the declaration of the options of the form fields. */
function fieldsDeclaration(options: readonly string[], isAsync: boolean): string {
  if (options.length === 0) return "";
  const lines = (indent: string): string => options.map((option) => indent + option).join("\n");
  return isAsync
    ? `\nasync function fields(): Promise<FormFields<Input>> {\n  return {\n${lines("    ")}\n  };\n}`
    : `\nconst fields: FormFields<Input> = {\n${lines("  ").replaceAll("\n    ", "\n  ")}\n};`;
}

function viewImports({ name, fields }: Model, hasFieldOptions: boolean): readonly string[] {
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
    "labelOf",
    "schema",
    `type ${name.singular.pascal}`,
  ];
  const modelPath = ({ singular: { kebab } }: ModelName): string => `../../app/domain/${kebab}/${kebab}.ts`;
  const hasUsers = refersToUsers(fields);
  return [
    ...(hasUsers ? ['import type { User } from "limmat";'] : []),
    'import { html, type Html } from "limmat/html";',
    'import type { Form } from "limmat/schema";',
    'import { Query, type Request, Rest } from "limmat/web";',
    ...others
      .toSorted((a, b) => (a.singular.kebab < b.singular.kebab ? -1 : 1))
      .map((model) => `import * as ${model.singular.pascal} from "${modelPath(model)}";`),
    printNames("import", own, modelPath(name)),
    ...(hasUsers ? ['import { user } from "../../service/service.ts";'] : []),
    printNames("import", components, "./components.ts"),
    'import { layout } from "./layout.ts";',
  ];
}
