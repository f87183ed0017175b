import { addItems } from "./add-items.ts";
import { choicesConstant } from "./field-code.ts";
import type { Field } from "./field.ts";
import { filterFields, filterName, type Model, sortNames } from "./parse-model.ts";
import { requiresLogin } from "./policy-file.ts";
import { printList, printNames, stringLiteral } from "./print.ts";
import { type GeneratedFile, renderStub } from "../project/index.ts";
import type { FileEdit } from "./wire.ts";

/** Returns the routes of the pages of a model. */
export function pageRoutesFile(model: Model): GeneratedFile {
  const { singular, plural } = model.name;
  const text = renderStub("html/routes.ts", {
    imports: [
      requiresLogin(model) ? 'import { User, Web } from "limmat";' : 'import { Web } from "limmat";',
      ...domainImports(model),
      ...(requiresLogin(model) ? ['import { userContext } from "../web/middleware/user-context.ts";'] : []),
      `import * as ${singular.pascal}View from "../web/view/${singular.kebab}.ts";`,
    ].join("\n"),
    Model: singular.pascal,
    models: plural.camel,
    manyWords: plural.words,
    path: plural.kebab,
    parent: parentOptions(model),
    middlewares: requiresLogin(model) ? '{ middlewares: [User.Web.requireUser({ loginPath: "/login" })] },' : "",
  });
  return { path: `routes/${singular.kebab}.ts`, text };
}

/** Returns the routes of the JSON API of a model. */
export function apiRoutesFile(model: Model): GeneratedFile {
  const { singular, plural } = model.name;
  const text = renderStub("json/routes.ts", {
    imports: ['import { Web } from "limmat";', ...domainImports(model)].join("\n"),
    Model: singular.pascal,
    models: `${plural.camel}Api`,
    manyWords: plural.words,
    path: plural.kebab,
    rules: apiRules(model),
    parent: parentOptions(model),
  });
  return { path: `routes/${singular.kebab}-api.ts`, text };
}

/** Returns the edit of `routes/routes.ts` that adds the routes of the pages. */
export const pageRouteEdit = ({ name: { singular, plural } }: Model): FileEdit =>
  routeEdit("site", plural.camel, singular.kebab);

/** Returns the edit of `routes/routes.ts` that adds the routes of the members. */
export const memberRouteEdit = ({ name: { singular } }: Model): FileEdit =>
  routeEdit("site", `${singular.camel}Members`, `${singular.kebab}-member`);

/** Returns the edit of `routes/routes.ts` that adds the routes of the JSON API. */
export const apiRouteEdit = ({ name: { singular, plural } }: Model): FileEdit =>
  routeEdit("api", `${plural.camel}Api`, `${singular.kebab}-api`);

const routeEdit = (router: string, name: string, file: string): FileEdit => ({
  path: "routes/routes.ts",
  imports: [printNames("import", [name], `./${file}.ts`)],
  apply: addItems(new RegExp(`^const ${router}\\b[^=\\n]*= Web\\.(?:choose|combine)\\(`, "m"), name),
  snippet: `const ${router} = Web.choose([/* … */ ${name}], /* … */);`,
});

function domainImports({ name, parent }: Model): readonly string[] {
  const models = parent === undefined ? [name] : [name, parent];
  return models
    .toSorted((a, b) => (a.singular.kebab < b.singular.kebab ? -1 : 1))
    .map(
      ({ singular }) => `import * as ${singular.pascal} from "../app/domain/${singular.kebab}/${singular.kebab}.ts";`,
    );
}

/** Returns the options of a nested resource. Its items are not below the parent, so that their paths stay short. */
function parentOptions(model: Model): string {
  const { parent } = model;
  const ctx = requiresLogin(model) ? ["ctx: userContext,"] : [];
  if (parent === undefined) return ctx.join("\n");
  const { singular, plural } = parent;
  return [
    ...ctx,
    "shallow: true,",
    "parent: {",
    `  path: "/${plural.kebab}/:${singular.camel}",`,
    `  find: (params, options) => ${singular.pascal}.find(params.${singular.camel}, options),`,
    `  of: (item) => ({ ${singular.camel}: item.${singular.snake}_id }),`,
    "},",
  ].join("\n");
}

/** Returns the filters and sort columns of a JSON API. */
function apiRules({ name, fields }: Model): string {
  const sortBy = printList(sortNames(fields).map(stringLiteral), {
    open: "[",
    close: "]",
    indent: 4,
    before: "sortBy: ",
    after: ",",
  }).replaceAll("\n    ", "\n");
  return [...filterRules(fields, "Web.Query", `${name.singular.pascal}.`), sortBy].join("\n");
}

/**
 * Returns the filters of a list, as TypeScript. `query` names the namespace of their types, and `choices` begins the name
 * of the choices of a `oneOf`.
 */
export function filterRules(fields: readonly Field[], query: string, choices: string): readonly string[] {
  const rules = filterFields(fields).map((field) => {
    const { type, isOptional } = field;
    const rule =
      type === "oneOf"
        ? `${query}.oneOf(...${choices}${choicesConstant(field)})`
        : `${query}.${type === "bool" ? "bool" : "uuid"}`;
    const canBeAbsent = isOptional || type === "manyToMany";
    return `  ${filterName(field)}: ${canBeAbsent ? `${query}.nullable(${rule})` : rule},`;
  });
  return rules.length === 0 ? [] : ["filterBy: {", ...rules, "},"];
}
