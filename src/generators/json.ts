import type { Command } from "../core/index.ts";
import { errors, type GeneratedFile, renderStub } from "../project/index.ts";
import { type Field, isUser } from "./field.ts";
import { generate } from "./generate.ts";
import { modelNextSteps, parseModelArguments, planModel } from "./model.ts";
import { needsInputOptions } from "./choices-code.ts";
import { columnFields, type Model } from "./parse-model.ts";
import { withArticle } from "./print.ts";
import { requiresLogin } from "./policy-file.ts";
import { apiRouteEdit, apiRoutesFile } from "./routes-file.ts";

/** Runs the command `gen.json`. */
export function genJson(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const parsed = parseModelArguments(args, ["no-model"]);
  if (parsed === undefined) return undefined;
  const { root, model, flags, remarks } = parsed;
  if (requiresLogin(model)) throw usersInApi(model);
  const modelPlan = planModel(model, root, flags);
  return generate(
    root,
    {
      files: [...modelPlan.files, apiRoutesFile(model), apiTestFile(model)],
      edits: [...modelPlan.edits, apiRouteEdit(model)],
      nextSteps: [
        ...modelNextSteps(flags),
        `npm run dev, and request /api/${model.name.plural.kebab}`,
        `Everybody can change the ${model.name.plural.words}: require a token (npm run app docs, page Tokens)`,
      ],
      remarks,
    },
    flags,
    output,
  );
}

/** An API has no login, and its list would show the users to everybody. */
const usersInApi = ({ name, fields }: Model): Error => {
  const { relation = name.singular.snake } = fields.find(({ target }) => target !== undefined && isUser(target)) ?? {};
  return errors.E_GENERATE_FIELD(
    relation,
    "a generated API has no login, so it cannot show users. Generate pages with gen.html, and write the API by hand.",
  );
};

function apiTestFile(model: Model): GeneratedFile {
  const { name, fields, parent } = model;
  const { singular, plural } = name;
  const [firstField] = columnFields(fields);
  const invalid = invalidInput(fields);
  const isNested = parent !== undefined;
  const values = {
    context: isNested
      ? [
          `const context = await ${singular.pascal}Factory.context();`,
          `const path = \`/api/${parent.plural.kebab}/\${context.params.${parent.singular.camel}}/${plural.kebab}\`;`,
        ].join("\n")
      : "",
    search: isNested ? "{}, context" : "",
    input: needsInputOptions(model) ? "context" : "",
  };
  const text = renderStub("json/test.ts", {
    importModel: `import * as ${singular.pascal} from "../app/domain/${singular.kebab}/${singular.kebab}.ts";`,
    Model: singular.pascal,
    model: singular.camel,
    file: singular.kebab,
    path: isNested ? `const itemPath = "/api/${plural.kebab}";` : `const path = "/api/${plural.kebab}";`,
    item: isNested ? "itemPath" : "path",
    context: values.context,
    make: isNested ? "{}, context" : "",
    input: values.input,
    itemContext: needsInputOptions(model) ? `const context = await ${singular.pascal}Factory.context();` : "",
    itemMake: needsInputOptions(model) ? "{}, context" : "",
    manyWords: plural.words,
    aWords: withArticle(singular.words),
    field: firstField?.name ?? "",
    invalidTest:
      invalid === undefined
        ? ""
        : renderStub("json/invalid-test.ts", { Model: singular.pascal, ...invalid, ...values }).replace(/\n$/, ""),
  });
  return { path: `test/${singular.kebab}-api.test.ts`, text };
}

/** Returns a field and a TypeScript value that it refuses. An optional JSON field accepts every JSON value. */
function invalidInput(fields: readonly Field[]): { readonly field: string; readonly invalidValue: string } | undefined {
  const required = fields.find(({ isOptional }) => !isOptional);
  if (required !== undefined) return { field: required.name, invalidValue: "undefined" };
  const optional = fields.find(({ type }) => type !== "json");
  return optional === undefined ? undefined : { field: optional.name, invalidValue: "[]" };
}
