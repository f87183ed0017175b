import type { Command } from "../../core/index.ts";
import type { Field } from "./field.ts";
import { choicesConstant } from "./field-code.ts";
import { generate, parseArguments } from "./generate.ts";
import type { ModelName } from "./name.ts";
import {
  isSameModel,
  type Model,
  parseModel,
  referencedModels,
  requireReferencedModels,
  searchableFields,
} from "./parse-model.ts";
import { printCall, printNames, printWidth, stringLiteral, withArticle } from "./print.ts";
import { projectRoot } from "./project.ts";
import { readPackageFile, renderStub } from "./stub.ts";
import type { GeneratedFile } from "./write-files.ts";

/** Runs the command `gen.view`. */
export function genView(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["plural"]);
  const [name, ...fields] = positionals;
  if (name === undefined || fields.length === 0) return undefined;
  const root = projectRoot();
  const model = parseModel(name, fields, flags.plural);
  requireReferencedModels(model, root);
  return generate(root, { files: viewFiles(model), edits: [] }, flags, output);
}

/** Returns the view of a model, and the shared views that the project may lack. */
export function viewFiles(model: Model): readonly GeneratedFile[] {
  return [{ path: `web/view/${model.name.singular.kebab}.ts`, text: viewText(model) }, ...sharedViews()];
}

/** Returns the views that all generated pages use: layout, form controls and lists. */
export function sharedViews(): readonly GeneratedFile[] {
  return ["layout", "form", "list"].map((name) => {
    const path = `web/view/${name}.ts`;
    return { path, text: readPackageFile(`template/${path}`), whenPresent: "keep" };
  });
}

/** Maximum number of fields that a list shows. */
const maxColumns = 4;

function viewText({ name, fields }: Model): string {
  const { singular, plural } = name;
  const targets = referencedModels(fields);
  const isAsync = targets.length > 0;
  const columns = fields
    .filter(({ type }) => !["text", "json", "uuid", "reference"].includes(type))
    .filter((field) => field.isOptional || field !== searchableFields(fields)[0])
    .slice(0, maxColumns);
  return renderStub("view/view.ts", {
    imports: viewImports({ name, fields }, targets).join("\n"),
    Model: singular.pascal,
    words: singular.words,
    Title: singular.title,
    manyWords: plural.words,
    ManyTitle: plural.title,
    path: plural.kebab,
    searchOptions: searchableFields(fields).length === 0 ? ", { hasFilter: false }" : "",
    facts: fields.map((field) => `<div><dt>${field.label}</dt><dd>${displayValue(field)}</dd></div>`).join("\n"),
    heads: columns.map(({ label }) => `<th>${label}</th>`).join("\n"),
    cells: columns.map((field) => `<td>${displayValue(field)}</td>`).join("\n"),
    async: isAsync ? "async " : "",
    await: isAsync ? "await " : "",
    Html: isAsync ? "Promise<Html>" : "Html",
    fields: controlsFunction(fields, isAsync),
    choices: targets.map((target) => choicesFunctions(target, name)).join("\n"),
  });
}

/** Returns the functions that list the choices of a reference and show the chosen one. */
function choicesFunctions(target: ModelName, model: ModelName): string {
  const { singular, plural } = target;
  const namespace = isSameModel(target, model) ? "" : `${singular.pascal}.`;
  return renderStub("view/choices.ts", {
    find: `${namespace}find`,
    search: `${namespace}search`,
    model: singular.camel,
    aWords: withArticle(singular.words),
    labelOf: `${namespace}labelOf`,
    models: plural.camel,
    manyWords: plural.words,
  }).trimEnd();
}

/** Returns the template expression that shows the value of a field. */
function displayValue({ name, type, target, isOptional }: Field): string {
  const value = `item.${name}`;
  if (target !== undefined) return `\${await ${target.singular.camel}Label(${value})}`;
  if (type === "bool") return `\${${value} ? "Yes" : "No"}`;
  if (type === "datetime") return `\${timestamp(${value})}`;
  if (type !== "json") return `\${${value}}`;
  return isOptional ? `\${${value} === undefined ? "" : JSON.stringify(${value})}` : `\${JSON.stringify(${value})}`;
}

/** Returns the function that lists the form controls of a model. */
function controlsFunction(fields: readonly Field[], isAsync: boolean): string {
  const before = isAsync ? "  return " : "const fields = (data: Form): readonly Html[] => ";
  const indent = isAsync ? 4 : 2;
  const controls = fields.map((field) => formControl(field, indent));
  const line = `${before}[${controls.map((control) => control.replace(/,$/, "")).join(", ")}];`;
  const margin = " ".repeat(indent - 2);
  const lines = [`${before}[`, ...controls.map((control) => " ".repeat(indent) + control), `${margin}];`].join("\n");
  const list = line.length <= printWidth && !line.includes("\n") ? line : lines;
  return isAsync ? `async function fields(data: Form): Promise<readonly Html[]> {\n${list}\n}` : list;
}

/** Returns the call that renders the form control of a field. */
function formControl(field: Field, indent: number): string {
  const label = field.type === "datetime" ? `${field.label} (UTC)` : field.label;
  const args = ["data", stringLiteral(field.name), stringLiteral(label)];
  const required = field.isOptional ? [] : ["isRequired: true"];
  switch (field.type) {
    case "bool":
      return printCall("checkbox", args, [], indent);
    case "text":
    case "json":
      return printCall("textarea", args, required, indent);
    case "enum":
      return printCall("select", [...args, choicesConstant(field)], required, indent);
    case "reference":
      return printCall("select", [...args, `await ${field.target?.plural.camel}()`], required, indent);
    default:
      return printCall("input", args, [...inputOptions[field.type], ...required], indent);
  }
}

const inputOptions = {
  string: [],
  uuid: [],
  int: ['type: "number"'],
  float: ['type: "number"', 'step: "any"'],
  decimal: ['type: "number"', 'step: "0.01"'],
  date: ['type: "date"'],
  datetime: ['type: "datetime-local"'],
} as const;

function viewImports({ name, fields }: Model, targets: readonly ModelName[]): readonly string[] {
  const { singular } = name;
  const enums = fields.filter(({ type }) => type === "enum").map(choicesConstant);
  const controls = fields.map((field) => formControl(field, 0).replace(/\(.*/s, ""));
  const formNames = [...new Set(["deleteButton", "form", ...controls])];
  const otherModels = targets.filter((target) => !isSameModel(target, name));
  const selfReference = otherModels.length < targets.length ? ["find", "search"] : [];
  const modelPath = ({ singular: { kebab } }: ModelName): string => `../../app/domain/${kebab}/${kebab}.ts`;
  return [
    'import { html, type Html } from "limmat/html";',
    'import type { Form } from "limmat/schema";',
    'import { Query, type Request } from "limmat/web";',
    ...otherModels.map((model) => `import * as ${model.singular.pascal} from "${modelPath(model)}";`),
    printNames("import", [...enums, "labelOf", ...selfReference, `type ${singular.pascal}`], modelPath(name)),
    printNames("import", formNames, "./form.ts"),
    'import { layout } from "./layout.ts";',
    'import { pagination, searchForm, timestamp } from "./list.ts";',
  ];
}
