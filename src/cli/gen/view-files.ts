import { choicesOf } from "./field-code.ts";
import type { Field } from "./field.ts";
import { isSame, type Model, searched, targetsOf } from "./model-files.ts";
import type { ModelName } from "./name.ts";
import { literal, printCall, printNames, width, withArticle } from "./print.ts";
import { readText, renderStub } from "./stub.ts";
import type { GeneratedFile } from "./write-files.ts";

const mostColumns = 4;

/** The view of a model, and what all views share unless the project has it. */
export function viewFiles(model: Model): readonly GeneratedFile[] {
  return [{ path: `web/view/${model.name.one.kebab}.ts`, text: view(model) }, ...sharedViews()];
}

/** What all views share. */
export function sharedViews(): readonly GeneratedFile[] {
  return ["layout", "form", "list"].map((name) => {
    const path = `web/view/${name}.ts`;
    return { path, text: readText(`template/${path}`), whenPresent: "keep" };
  });
}

function view({ name, fields }: Model): string {
  const { one, many } = name;
  const targets = targetsOf(fields);
  const isAsync = targets.length > 0;
  const columns = fields
    .filter(({ type }) => !["text", "json", "uuid", "reference"].includes(type))
    .filter((field) => field.isOptional || field !== searched(fields)[0])
    .slice(0, mostColumns);
  return renderStub("view/view.ts", {
    imports: importsOf({ name, fields }, targets).join("\n"),
    Model: one.pascal,
    words: one.words,
    Title: one.title,
    ManyTitle: many.title,
    path: many.kebab,
    searchOptions: searched(fields).length === 0 ? ", { hasFilter: false }" : "",
    facts: fields.map((field) => `<div><dt>${field.label}</dt><dd>${shown(field)}</dd></div>`).join("\n"),
    heads: columns.map(({ label }) => `<th>${label}</th>`).join("\n"),
    cells: columns.map((field) => `<td>${shown(field)}</td>`).join("\n"),
    async: isAsync ? "async " : "",
    await: isAsync ? "await " : "",
    Html: isAsync ? "Promise<Html>" : "Html",
    fields: fieldsFunction(fields, isAsync),
    choices: targets.map((target) => choicesFunction(target, name)).join("\n"),
  });
}

/** The function that lists what a reference can be to. */
function choicesFunction({ one, many }: ModelName, own: ModelName): string {
  const of = isSame({ one, many }, own) ? "" : `${one.pascal}.`;
  return renderStub("view/choices.ts", {
    find: `${of}find`,
    search: `${of}search`,
    model: one.camel,
    aWords: withArticle(one.words),
    labelOf: `${of}labelOf`,
    models: many.camel,
    manyWords: many.words,
  }).trimEnd();
}

/** A value on a page. */
function shown({ name, type, target, isOptional }: Field): string {
  const value = `item.${name}`;
  if (target !== undefined) return `\${await ${target.one.camel}Label(${value})}`;
  if (type === "bool") return `\${${value} ? "Yes" : "No"}`;
  if (type === "datetime") return `\${moment(${value})}`;
  if (type !== "json") return `\${${value}}`;
  return isOptional ? `\${${value} === undefined ? "" : JSON.stringify(${value})}` : `\${JSON.stringify(${value})}`;
}

function fieldsFunction(fields: readonly Field[], isAsync: boolean): string {
  const before = isAsync ? "  return " : "const fields = (data: Form): readonly Html[] => ";
  const depth = isAsync ? 4 : 2;
  const controls = fields.map((field) => control(field, depth));
  const short = `${before}[${controls.map((each) => each.replace(/,$/, "")).join(", ")}];`;
  const edge = " ".repeat(depth - 2);
  const lines = [`${before}[`, ...controls.map((each) => " ".repeat(depth) + each), `${edge}];`].join("\n");
  const list = short.length <= width && !short.includes("\n") ? short : lines;
  return isAsync ? `async function fields(data: Form): Promise<readonly Html[]> {\n${list}\n}` : list;
}

/** What a field is filled in with. */
function control(field: Field, indent: number): string {
  const label = field.type === "datetime" ? `${field.label} (UTC)` : field.label;
  const common = ["data", literal(field.name), literal(label)];
  const required = field.isOptional ? [] : ["isRequired: true"];
  const print = (name: string, args: readonly string[], members: readonly string[]): string =>
    printCall(name, args, members, indent);
  switch (field.type) {
    case "bool":
      return print("checkbox", common, []);
    case "text":
    case "json":
      return print("textarea", common, required);
    case "enum":
      return print("select", [...common, choicesOf(field)], required);
    case "reference":
      return print("select", [...common, `await ${field.target?.many.camel}()`], required);
    default:
      return print("input", common, [...inputOptions[field.type], ...required]);
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

function importsOf({ name, fields }: Model, targets: readonly ModelName[]): readonly string[] {
  const enums = fields.filter(({ type }) => type === "enum").map(choicesOf);
  const controls = fields.map((field) => control(field, 0).replace(/\(.*/s, ""));
  const ofForm = [...new Set(["deleteButton", "form", ...controls])];
  const { one } = name;
  const others = targets.filter((target) => !isSame(target, name));
  const find = others.length < targets.length ? ["find", "search"] : [];
  const own = `../../app/domain/${one.kebab}/${one.kebab}.ts`;
  return [
    'import { html, type Html } from "limmat/html";',
    'import type { Form } from "limmat/schema";',
    'import { Query, type Request } from "limmat/web";',
    ...others.map(
      (target) =>
        `import * as ${target.one.pascal} from "../../app/domain/${target.one.kebab}/${target.one.kebab}.ts";`,
    ),
    printNames("import", [...enums, "labelOf", ...find, `type ${one.pascal}`], own),
    printNames("import", ofForm, "./form.ts"),
    'import { layout } from "./layout.ts";',
    'import { moment, pages, searchForm } from "./list.ts";',
  ];
}
