import { addItems } from "./add-items.ts";
import { filterFields, filterName, type Model, sortModels, sortNames } from "./describe-model.ts";
import { choicesConstant } from "./field-code.ts";
import type { Field } from "./field.ts";
import { arrayCode, printInStub, printNames, stringLiteral } from "./print.ts";
import { renderModule } from "./render-model.ts";
import type { GeneratedFile } from "../project/index.ts";
import type { FileEdit } from "./wire.ts";

/** Returns the routes of the pages of a model. */
export const pageRoutesFile = (model: Model): GeneratedFile => ({
  path: `routes/${model.name.singular.kebab}.ts`,
  text: renderModule("html/routes.ts", model, resourceValues(model)),
});

/** Returns the routes of the JSON API of a model. */
export const apiRoutesFile = (model: Model): GeneratedFile => ({
  path: `routes/${model.name.singular.kebab}-api.ts`,
  text: renderModule("json/routes.ts", model, {
    ...resourceValues(model),
    ...listRules(model.fields, 4, "Web.Query", `${model.name.singular.pascal}.`),
  }),
});

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

/** Returns the imports of the services, and the options of a nested resource. Its items are not below the parent, so that their paths stay short. */
function resourceValues({ name, parent }: Model): { readonly services: string; readonly parentOptions: string } {
  const services = sortModels([name, ...(parent === undefined ? [] : [parent])])
    .map(({ singular: { pascal, kebab } }) => `import * as ${pascal} from "../app/domain/${kebab}/${kebab}.ts";`)
    .join("\n");
  if (parent === undefined) return { services, parentOptions: "" };
  const { pascal, camel, snake } = parent.singular;
  const parentOptions = [
    "shallow: true,",
    "parent: {",
    `  path: "/${parent.plural.kebab}/:${camel}",`,
    `  find: (params, options) => ${pascal}.find(params.${camel}, options),`,
    `  of: (item) => ({ ${camel}: item.${snake}_id }),`,
    "},",
  ].join("\n");
  return { services, parentOptions };
}

/**
 * Returns the filters and sort columns of a list, as TypeScript. `query` names the namespace of their types, and `choices`
 * begins the name of the choices of a `oneOf`.
 */
export function listRules(
  fields: readonly Field[],
  indent: number,
  query: string,
  choices: string,
): { readonly filterBy: string; readonly sortBy: string } {
  const rules = filterFields(fields).map((field) => {
    const { type, isOptional } = field;
    const rule =
      type === "oneOf"
        ? `${query}.oneOf(...${choices}${choicesConstant(field)})`
        : `${query}.${type === "bool" ? "bool" : "uuid"}`;
    const canBeAbsent = isOptional || type === "manyToMany";
    return `  ${filterName(field)}: ${canBeAbsent ? `${query}.nullable(${rule})` : rule},`;
  });
  return {
    filterBy: rules.length === 0 ? "" : ["filterBy: {", ...rules, "},"].join("\n"),
    sortBy: printInStub(arrayCode(sortNames(fields).map(stringLiteral), "sortBy: "), indent, ","),
  };
}
