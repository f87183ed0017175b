import type { Command } from "../core/index.ts";
import { errors, type GeneratedFile, projectRoot, renderStub, type StubValues } from "../project/index.ts";
import { addItems, type NewRouter, newRouterEdit } from "./add-items.ts";
import { columnFields, isSameModel, type Model, sortModels } from "./describe-model.ts";
import { fieldCode } from "./field-code.ts";
import { type Field, isUser } from "./field.ts";

import { memberPageFiles } from "./access-files.ts";
import { exportEdits, tokenService } from "./mail-edits.ts";
import { generateModel } from "./model.ts";
import { foreignChoice, limitedFields, testedFactories } from "./model-files.ts";
import { needsUser } from "./parse-model.ts";
import { printNames } from "./print.ts";
import { renderModule } from "./render-model.ts";
import { listRules } from "./repository-file.ts";
import { linkEdits, viewFiles } from "./view.ts";
import type { FileEdit } from "./wire.ts";

/** Runs the command `gen.html`. */
export const genHtml = (args: readonly string[], output: Command.Output): Command.Done | undefined =>
  generateModel(args, output, ["no-model"], (model) => {
    const { singular, plural } = model.name;
    const members = model.isTeam ? [routeEdit("site", `${singular.camel}Members`, `${singular.kebab}-member`)] : [];
    return {
      files: [
        ...viewFiles(model),
        pageRoutesFile(model),
        pagesTestFile(model),
        ...(model.isTeam ? memberPageFiles(model) : []),
      ],
      edits: [routeEdit("site", plural.camel, singular.kebab), ...members, ...linkEdits(model, projectRoot())],
      nextSteps: [`npm run dev, and open ${listPath(model)}`],
    };
  });

/** Runs the command `gen.json`. */
export const genJson = (args: readonly string[], output: Command.Output): Command.Done | undefined =>
  generateModel(args, output, ["no-model", "token"], (model, { needsToken }) => {
    if (model.requiresLogin || needsUser(projectRoot(), model.name)) throw usersInApi(model);
    const { singular, plural } = model.name;
    const api = `${plural.camel}Api`;
    const imports = `import { ${api} } from "./${singular.kebab}-api.ts";`;
    return {
      files: [apiRoutesFile(model), apiTestFile(model, needsToken)],
      edits: needsToken
        ? [...exportEdits(tokenService), newRouterEdit(tokenApi, api, imports, ...tokenImports)]
        : [routeEdit("api", api, `${singular.kebab}-api`)],
      nextSteps: [
        `npm run dev, and request /api/${plural.kebab}`,
        needsToken
          ? "npm run app token.create api"
          : `Everybody can change the ${plural.words}: require a token with --token (npm run app docs, page Tokens)`,
      ],
    };
  });

/** Router of the APIs whose clients need a token. */
const tokenApi: NewRouter = {
  name: "tokenApi",
  declaration: `// For clients with an API token: npm run app token.create api
const tokenApi = Web.choose([], {
  middlewares: [Token.Web.bearer({ token, purpose: "api" })],
});`,
  parent: "const api",
};

const tokenImports = ['import { Token } from "limmat";', 'import { token } from "../service/service.ts";'];

/** Returns the path of the list of a model, for people. */
const listPath = ({ name: { plural }, parent }: Model): string =>
  parent === undefined ? `/${plural.kebab}` : `/${parent.plural.kebab}/:${parent.singular.camel}/${plural.kebab}`;

function pagesTestFile(model: Model): GeneratedFile {
  const [firstField] = model.fields;
  const text = renderModule("html/test.ts", model, {
    factories: testedFactories(model),
    choiceTest: choiceTest(model),
    field: firstField?.name ?? "",
    invalid: firstField === undefined ? "" : fieldCode(firstField).invalid,
  });
  return { path: `test/${model.name.singular.kebab}-pages.test.ts`, text };
}

/** Returns the test that pages and JSON refuse a choice which the form does not offer. */
function choiceTest(model: Model): string {
  const [field] = limitedFields(model);
  if (field === undefined) return "";
  const foreignId = field.type === "manyToMany" ? `${field.name}.join()` : field.name;
  return renderStub(
    "html/choice-test.ts",
    { ...foreignChoice(field, model), field: field.name, foreignId },
    model.values,
  );
}

/** An API has no login, and its list would show the users to everybody. */
const usersInApi = ({ name, fields }: Model): Error => {
  const { relation = name.singular.snake } = fields.find(({ target }) => target !== undefined && isUser(target)) ?? {};
  return errors.E_GENERATE_FIELD(
    relation,
    "a generated API has no login, so it cannot show users. Generate pages with gen.html, and write the API by hand (npm run app docs, page JSON APIs).",
  );
};

function apiTestFile(model: Model, needsToken: boolean): GeneratedFile {
  const [firstField] = columnFields(model.fields);
  const invalid = invalidInput(model.fields);
  const text = renderModule("json/test.ts", model, {
    needsToken,
    field: firstField?.name ?? "",
    invalidTest:
      invalid === undefined ? "" : renderStub("json/invalid-test.ts", invalid, model.values).replace(/\n$/, ""),
  });
  return { path: `test/${model.name.singular.kebab}-api.test.ts`, text };
}

/** Returns a field and a TypeScript value that it refuses. An optional JSON field accepts every JSON value. */
function invalidInput(fields: readonly Field[]): StubValues | undefined {
  const required = fields.find(({ isOptional }) => !isOptional);
  if (required !== undefined) return { field: required.name, invalidValue: "undefined" };
  const optional = fields.find(({ type }) => type !== "json");
  return optional === undefined ? undefined : { field: optional.name, invalidValue: "[]" };
}

/** Returns the routes of the pages of a model. */
const pageRoutesFile = (model: Model): GeneratedFile => ({
  path: `routes/${model.name.singular.kebab}.ts`,
  text: renderModule("html/routes.ts", model, resourceValues(model)),
});

/** Returns the routes of the JSON API of a model. */
const apiRoutesFile = (model: Model): GeneratedFile => ({
  path: `routes/${model.name.singular.kebab}-api.ts`,
  text: renderModule("json/routes.ts", model, {
    ...resourceValues(model),
    ...listRules(model.fields, 4, "Web.Query", `${model.name.singular.pascal}.`),
  }),
});

/** Returns the edit of `routes/routes.ts` that adds routes to a router. */
export const routeEdit = (router: string, name: string, file: string): FileEdit => ({
  path: "routes/routes.ts",
  imports: [printNames("import", [name], `./${file}.ts`)],
  apply: addItems(new RegExp(`^const ${router}\\b[^=\\n]*= Web\\.(?:choose|combine)\\(`, "m"), name),
  snippet: `const ${router} = Web.choose([/* … */ ${name}], /* … */);`,
});

/**
 * Returns the imports of the services, and the options of a nested resource. Its items are not below the parent, so that their paths
 * stay short.
 */
function resourceValues({ name, parent }: Model): { readonly services: string; readonly parentOptions: string } {
  const services = sortModels([name, ...(parent === undefined ? [] : [parent])])
    .flatMap((model) => {
      const { pascal, kebab } = model.singular;
      const service = `import * as ${pascal} from "../app/domain/${kebab}/${kebab}.ts";`;
      if (!isSameModel(model, name)) return [service];
      const policy = `import { policy } from "../app/domain/${kebab}/policy.ts";`;
      return kebab > "policy" ? [policy, service] : [service, policy];
    })
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
