import type { Command } from "../core/index.ts";
import { needsInputOptions, siblingError, userError } from "./choices-code.ts";
import { type Field, isUser } from "./field.ts";
import { fieldCode } from "./field-code.ts";
import { generate } from "./generate.ts";
import { modelNextSteps, parseModelArguments, planModel } from "./model.ts";
import { memberPageFiles } from "./member-files.ts";
import { foreignChoice, testedFactories } from "./model-files.ts";
import { type Model, refersToUsers, siblingFields, userFields } from "./parse-model.ts";
import { hasMemberTable, requiresLogin } from "./policy-file.ts";
import { withArticle } from "./print.ts";
import { memberRouteEdit, pageRouteEdit, pageRoutesFile } from "./routes-file.ts";
import { type GeneratedFile, renderStub } from "../project/index.ts";
import { parentLinkEdit, viewFiles } from "./view.ts";

/** Runs the command `gen.html`. */
export function genHtml(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const parsed = parseModelArguments(args, ["no-model"]);
  if (parsed === undefined) return undefined;
  const { root, model, flags, remarks } = parsed;
  const modelPlan = planModel(model, root, flags);
  return generate(
    root,
    {
      files: [
        ...modelPlan.files,
        ...viewFiles(model),
        pageRoutesFile(model),
        pagesTestFile(model),
        ...(hasMemberTable(model) ? memberPageFiles(model) : []),
      ],
      edits: [
        ...modelPlan.edits,
        pageRouteEdit(model),
        ...(hasMemberTable(model) ? [memberRouteEdit(model)] : []),
        ...parentLinkEdit(model),
      ],
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
  const { name, fields, parent } = model;
  const { singular, plural } = name;
  const [firstField] = fields as readonly [Field];
  const isNested = parent !== undefined;
  const needsLogin = requiresLogin(model);
  const limitedField = firstLimitedField(model);
  const input = needsInputOptions(model) ? "context" : "";
  const contextLine = `const context = await ${singular.pascal}Factory.context();`;
  const context = [
    ...(needsLogin || isNested ? [contextLine] : []),
    ...(isNested
      ? [`const path = \`/${parent.plural.kebab}/\${context.params.${parent.singular.camel}}/${plural.kebab}\`;`]
      : []),
  ];
  const needsContext = needsLogin || input !== "";
  const text = renderStub("html/test.ts", {
    imports: [
      ...(needsLogin ? ['import { Context } from "limmat";'] : []),
      `import { ${needsLogin ? "type Visitor, " : ""}visitor } from "limmat/testing";`,
      ...(limitedField !== undefined && usesActingUser(model)
        ? ['import { actingUser } from "../app/domain/acting-user.ts";']
        : []),
      `import * as ${singular.pascal} from "../app/domain/${singular.kebab}/${singular.kebab}.ts";`,
      ...(limitedField === undefined ? [name] : testedFactories(model, [limitedField])).map(
        (target) => `import * as ${target.singular.pascal}Factory from "./factory/${target.singular.kebab}.ts";`,
      ),
      'import { app } from "../run/run.ts";',
      ...(needsLogin ? ['import { user } from "../service/service.ts";'] : []),
      'import { test, useServices } from "./setup.ts";',
    ].join("\n"),
    path: isNested ? `const itemPath = "/${plural.kebab}";` : `const path = "/${plural.kebab}";`,
    item: isNested ? "itemPath" : "path",
    context: context.join("\n"),
    make: isNested || needsLogin ? "{}, context" : "",
    search: isNested || needsLogin ? "{}, context" : "",
    itemContext: needsContext ? contextLine : "",
    itemMake: needsContext ? "{}, context" : "",
    itemOptions: needsContext ? ", context" : "",
    input,
    visitor: needsLogin ? "await loggedIn(context)" : "visitor(app)",
    choiceTest: choiceTest(model, context.join("\n")),
    login: needsLogin
      ? renderStub("html/login-as.ts", { Model: singular.pascal, Options: `${singular.pascal}.Options` })
      : "",
    Model: singular.pascal,
    model: singular.camel,
    manyWords: plural.words,
    aWords: withArticle(singular.words),
    field: firstField.name,
    invalid: fieldCode(firstField).invalid,
  });
  return { path: `test/${singular.kebab}-pages.test.ts`, text };
}

/** Returns the field whose limited choices the tests of the pages use. */
const firstLimitedField = (model: Model): Field | undefined =>
  (model.hasMembers ? userFields(model.fields) : []).concat(siblingFields(model))[0];

/** True if the test of the choices needs the id of a user. */
const usesActingUser = (model: Model): boolean => model.hasMembers && refersToUsers(model.fields);

/** Returns the test that pages and JSON refuse a choice which the form does not offer. */
function choiceTest(model: Model, context: string): string {
  const field = firstLimitedField(model);
  if (field === undefined) return "";
  const { foreign, foreignWords } = foreignChoice(field, model);
  return renderStub("html/choice-test.ts", {
    Model: model.name.singular.pascal,
    foreign,
    foreignWords,
    field: field.name,
    foreignId: field.type === "manyToMany" ? `${field.name}.join()` : field.name,
    context,
    visitor: requiresLogin(model) ? "await loggedIn(context)" : "visitor(app)",
    error:
      field.target !== undefined && isUser(field.target)
        ? userError(field, model)
        : siblingError(field, model.parent?.singular.words ?? ""),
  });
}
