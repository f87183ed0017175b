import type { Command } from "../../core/index.ts";
import { parseDatabase } from "./database.ts";
import { databaseMismatch, projectRoot } from "./project.ts";
import type { Field } from "./field.ts";
import { fieldCode } from "./field-code.ts";
import { generate, parseArguments } from "./generate.ts";
import { modelNextSteps, planModel } from "./model.ts";
import { type Model, parseModel } from "./parse-model.ts";
import { isGuarded } from "./policy-file.ts";
import { withArticle } from "./print.ts";
import { pageRouteEdit, pageRoutesFile, requiresLogin } from "./routes-file.ts";
import { renderStub } from "./stub.ts";
import { viewFiles } from "./view.ts";
import type { GeneratedFile } from "./write-files.ts";

/** Runs the command `gen.html`. */
export function genHtml(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire", "plural", "in", "owner", "members", "no-model"]);
  const [databaseName, name, ...fields] = positionals;
  if (databaseName === undefined || name === undefined || fields.length === 0) return undefined;
  const root = projectRoot();
  const database = parseDatabase(databaseName);
  const model = parseModel(root, name, fields, flags);
  const modelPlan = planModel(model, root, flags);
  return generate(
    root,
    {
      files: [...modelPlan.files, ...viewFiles(model), pageRoutesFile(model), pagesTestFile(model)],
      edits: [...modelPlan.edits, pageRouteEdit(model)],
      nextSteps: [...modelNextSteps, `npm run dev, and open ${listPath(model)}`],
      remarks: [databaseMismatch(root, database)],
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
  const hasGuard = isGuarded(model);
  const context =
    hasGuard && !isNested
      ? [`const context = await ${singular.pascal}Factory.context();`]
      : isNested
        ? [
            `const context = await ${singular.pascal}Factory.context();`,
            `const path = \`/${parent.plural.kebab}/\${context.params.${parent.singular.camel}}/${plural.kebab}\`;`,
          ]
        : [];
  const text = renderStub("html/test.ts", {
    imports: [
      ...(needsLogin ? [`import { ${hasGuard ? "Context" : "Random"} } from "limmat";`] : []),
      `import { ${needsLogin ? "type Visitor, " : ""}visitor } from "limmat/testing";`,
      `import * as ${singular.pascal} from "../app/domain/${singular.kebab}/${singular.kebab}.ts";`,
      `import * as ${singular.pascal}Factory from "./factory/${singular.kebab}.ts";`,
      'import { app } from "../run/run.ts";',
      ...(needsLogin ? ['import { user } from "../service/service.ts";'] : []),
      'import { test, useServices } from "./setup.ts";',
    ].join("\n"),
    path: isNested ? `const itemPath = "/${plural.kebab}";` : `const path = "/${plural.kebab}";`,
    item: isNested ? "itemPath" : "path",
    context: context.join("\n"),
    make: isNested || hasGuard ? "{}, context" : "",
    search: isNested || hasGuard ? "{}, context" : "",
    itemContext: hasGuard ? (context[0] ?? "") : "",
    itemMake: hasGuard ? "{}, context" : "",
    itemOptions: hasGuard ? ", context" : "",
    visitor: hasGuard ? "await loggedIn(context)" : needsLogin ? "await loggedIn()" : "visitor(app)",
    login: hasGuard
      ? renderStub("html/login-as.ts", { Model: singular.pascal, Options: `${singular.pascal}.Options` })
      : needsLogin
        ? renderStub("html/login.ts", {})
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
