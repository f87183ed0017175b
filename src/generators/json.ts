import type { Command } from "../core/index.ts";
import { errors, type GeneratedFile, renderStub, type StubValues } from "../project/index.ts";
import { type Field, isUser } from "./field.ts";
import { generate } from "./generate.ts";
import { modelNextSteps, parseModelArguments, planModel } from "./model.ts";
import { columnFields, type Model } from "./describe-model.ts";
import { renderModule } from "./render-model.ts";
import { apiRouteEdit, apiRoutesFile } from "./routes-file.ts";

/** Runs the command `gen.json`. */
export function genJson(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const parsed = parseModelArguments(args, ["no-model"]);
  if (parsed === undefined) return undefined;
  const { root, model, flags, remarks } = parsed;
  if (model.requiresLogin) throw usersInApi(model);
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
  const [firstField] = columnFields(model.fields);
  const invalid = invalidInput(model.fields);
  const text = renderModule("json/test.ts", model, {
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
