import type { Command } from "../core/index.ts";
import type { Model } from "./describe-model.ts";
import { fieldCode } from "./field-code.ts";
import { generate } from "./generate.ts";
import { modelNextSteps, parseModelArguments, planModel } from "./model.ts";
import { memberPageFiles } from "./member-files.ts";
import { foreignChoice, limitedFields, testedFactories } from "./model-files.ts";
import { renderModule } from "./render-model.ts";
import { memberRouteEdit, pageRouteEdit, pageRoutesFile } from "./routes-file.ts";
import { type GeneratedFile, renderStub } from "../project/index.ts";
import { parentLinkEdit, viewFiles } from "./view.ts";

/** Runs the command `gen.html`. */
export function genHtml(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const parsed = parseModelArguments(args, ["no-model"]);
  if (parsed === undefined) return undefined;
  const { root, model, flags, remarks } = parsed;
  const modelPlan = planModel(model, root, flags);
  const files = [...modelPlan.files, ...viewFiles(model), pageRoutesFile(model), pagesTestFile(model)];
  const edits = [...modelPlan.edits, pageRouteEdit(model)];
  return generate(
    root,
    {
      files: model.isTeam ? [...files, ...memberPageFiles(model)] : files,
      edits: [...edits, ...(model.isTeam ? [memberRouteEdit(model)] : []), ...parentLinkEdit(model)],
      nextSteps: [...modelNextSteps(flags), `npm run dev, and open ${listPath(model)}`],
      remarks,
    },
    flags,
    output,
  );
}

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
