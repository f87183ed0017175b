import type { Command } from "../core/index.ts";
import { errors, type GeneratedFile, projectRoot, readProjectFile } from "../project/index.ts";
import { describeModel } from "./describe-model.ts";
import { parseFields } from "./field.ts";
import { generate, parseArguments } from "./generate.ts";
import { exportEdits, storageService } from "./mail-edits.ts";
import { migrationFile } from "./migration.ts";
import { migrationEdit } from "./migration-file.ts";
import { type Name, toName } from "./name.ts";
import { projectModels, requirePolicies, viewPath } from "./parse-model.ts";
import { callCode, objectCode, printCode, printNames } from "./print.ts";
import { declaresField } from "./project-tables.ts";
import { renderModule } from "./render-model.ts";
import { languagesOf, textGroup } from "./texts.ts";
import { type FileEdit, replaceOnce } from "./wire.ts";

/** Runs the command `gen.upload`: an image of a model that has pages. */
export function genUpload(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  const [modelName = "", fieldName, ...rest] = positionals;
  if (fieldName === undefined || rest.length > 0) return undefined;
  const root = projectRoot();
  const models = projectModels(root);
  const name = models.find(modelName);
  const read = (path: string): string => readProjectFile(root, path) ?? "";
  if (name === undefined || read(viewPath(name)) === "") {
    throw errors.E_GENERATE_NAME("the model", modelName, "the project has no pages of it. Run gen.html first.");
  }
  const { singular, plural } = name;
  const specification = `${fieldName}:uuid?`;
  const fields = parseFields([specification], name, models);
  const folder = `app/domain/${singular.kebab}`;
  if (declaresField(read(`${folder}/entity.ts`), fieldName)) {
    throw errors.E_GENERATE_FIELD(fieldName, "the model has this field already.");
  }
  const factory = read(`test/factory/${singular.kebab}.ts`);
  const isGuarded = read(`${folder}/policy.ts`) !== "";
  if (isGuarded) requirePolicies(root, name);
  const requiresLogin = factory.includes("export const password");
  const hasOwner = isGuarded || factory.includes("export async function context(");
  const field = toName(fieldName);
  const file = `${singular.kebab}-${field.kebab}`;
  const [, path = plural.kebab] = /\bname: "([\w/-]+)"/.exec(read(`routes/${singular.kebab}.ts`)) ?? [];
  const model = describeModel({ name, fields, hasOwner });
  const isTranslated = languagesOf(root).length > 0;
  const words = { words: singular.words, Field: field.title };
  const texts = textGroup("upload", `${singular.camel}${field.pascal}`, isTranslated, words);
  const values = {
    ...model.values,
    ...texts.values,
    path,
    label: isTranslated ? `label: ${texts.code("label")},` : "",
    Field: field.pascal,
    field: fieldName,
    fieldCamel: field.camel,
    fieldFile: field.kebab,
    fieldWords: field.words,
    formSignature: printCode(
      callCode(
        ["request: Request", `item: ${singular.pascal}`],
        `export ${isGuarded ? "async " : ""}function ${field.camel}Form`,
      ),
      0,
      isGuarded ? ": Promise<Html | undefined> {" : ": Html {",
    ),
    isGuarded,
    requiresLogin,
    newVisitor: requiresLogin ? "await loggedIn(context)" : "visitor(app)",
  };
  const render = (target: string, stub: string): GeneratedFile => ({
    path: target,
    text: renderModule(`upload/${stub}.ts`, { values }),
  });
  const migration = migrationFile(toName(`add_${fieldName}_to_${plural.snake}`), undefined, [specification], root);
  const files = [
    { path: `database/migration/${migration.name.kebab}.ts`, text: migration.text },
    render(`${folder}/${field.kebab}.ts`, "domain"),
    render(`web/handler/${file}.ts`, "handler"),
    render(`web/view/${file}.ts`, "view"),
    render(`test/${file}.test.ts`, "test"),
  ];
  const edits = [
    migrationEdit(migration.name),
    columnEdit(`${folder}/repository.ts`, fieldName),
    routesEdit(singular, `"/${path}/:id<uuid>/${field.kebab}"`, field),
    viewEdit(viewPath(name), file, field),
    ...exportEdits(storageService),
  ];
  const guard = `guard the routes in routes/${singular.kebab}.ts: everybody can replace the ${field.words}`;
  const nextSteps = ["npm run app migrate", "npm test", ...(requiresLogin ? [] : [guard])];
  return generate(root, { files, edits, texts: [texts], nextSteps }, flags, output);
}

/** Returns the edit that adds a column to the table of a model, the first in its repository. */
function columnEdit(path: string, name: string): FileEdit {
  const column = `${name}: Row.optional(Row.uuid)`;
  const print = (columns: readonly string[]): string => printCode(objectCode(columns, "columns: "), 2, ",");
  const start = /^( {2}schema\b.*,\n)( {2}columns: \{(?: (.*) \},)?\n)?/m;
  const add = (_: string, schema: string, line = "", columns?: string): string =>
    line.endsWith("{\n")
      ? `${schema}${line}    ${column},\n`
      : `${schema}  ${print([...(columns?.split(", ") ?? []), column])}\n`;
  return {
    path,
    imports: ['import { Row } from "limmat/database";'],
    apply: (text) => {
      const isPresent = new RegExp(`\\b${name}: Row\\b`).test(text);
      return isPresent ? text : start.test(text) ? text.replace(start, add) : undefined;
    },
    snippet: print([column]),
  };
}

/** Routes of a resource in a call of `choose`. */
const resource = /(?<= = Web\.choose\()\n( {2}Web\.Rest\.resourceOfService\(\{\n[^]*?\n {2}\}\),\n)(\)?)/;

/** Returns the edit that adds the routes of an image to those of the pages of its model. */
function routesEdit(model: Name, path: string, field: Name): FileEdit {
  const handlers = `../web/handler/${model.kebab}-${field.kebab}.ts`;
  const names = [`show${field.pascal}`, `replace${field.pascal}`] as const;
  const routes = [callCode([path, names[0]], "Web.get"), callCode([path, names[1]], "Web.post")];
  const lines = (indent: string): string =>
    routes.map((route) => `${indent}${printCode(route, indent.length, ",")}\n`).join("");
  // The formatter divides the arguments if options follow the list.
  const addList = (_: string, call: string, end: string): string =>
    (end === "" ? `\n  [\n${call.replaceAll(/^/gm, "  ").slice(0, -2)}  ],\n` : `[\n${call}]${end}`).replace(
      "Web",
      "...Web",
    );
  const list = /^( +)\.\.\.Web\.Rest\.resourceOfService\(\{\n[^]*?^\1\}\),\n/m;
  return {
    path: `routes/${model.kebab}.ts`,
    imports: [printNames("import", names, handlers)],
    apply: (text) => {
      if (text.includes(handlers)) return text;
      const listed = text.replace(resource, addList);
      return list.test(listed) ? listed.replace(list, (call, indent: string) => call + lines(indent)) : undefined;
    },
    snippet: `Web.choose([...Web.Rest.resourceOfService({ /* … */ }),\n${lines("  ")}], /* … */);`,
  };
}

/** Returns the edit that shows an image and its form on the page of an entry. */
const viewEdit = (path: string, file: string, { camel }: Name): FileEdit => ({
  path,
  imports: [`import { ${camel}Form } from "./${file}.ts";`],
  apply: replaceOnce(
    `"./${file}.ts"`,
    /^export const show = components\.itemPage\(pages, \{\n(?:(?! {2}after:) {2}.*\n)*(?=\}\);$)/m,
    `$&  after: ${camel}Form,\n`,
  ),
  snippet: `export const show = components.itemPage(pages, { /* … */ after: ${camel}Form });`,
});
