import type { Command } from "../core/index.ts";
import { errors, type GeneratedFile, projectRoot, readProjectFile, renderStub } from "../project/index.ts";
import { addItems } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import type { ModelName } from "./name.ts";
import { projectModels, requireModel } from "./parse-model.ts";
import { objectCode, printCode, printNames, stringLiteral } from "./print.ts";
import { renderModule } from "./render-model.ts";
import { routeEdit } from "./resource.ts";
import { addImports, type FileEdit, requireFreeName } from "./wire.ts";

const routesPath = "routes/admin.ts";

/** Runs the command `gen.admin`: pages of models for administrators. */
export function genAdmin(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  if (positionals.length === 0) return undefined;
  const root = projectRoot();
  const read = (path: string): string => readProjectFile(root, path) ?? "";
  const projectNames = projectModels(root);
  if (projectNames.find("user") === undefined) {
    throw errors.E_GENERATE_MISSING("export const user", "Administrators are users: run gen.auth first.");
  }
  const models = [...new Set(positionals)].map((name) => {
    const model = projectNames.find(name);
    const problem =
      name === "user" ? "these pages always show users." : "the project has no such model. Generate it first.";
    if (model === undefined || name === "user") throw errors.E_GENERATE_NAME("the model", name, problem);
    requireModel(model, root);
    return model;
  });
  const routes = read(routesPath);
  if (routes !== "" && !routes.includes("Admin.router(")) {
    throw errors.E_GENERATE_NAME("the file", routesPath, "it has no Admin.router. Rename it and what it exports.");
  }
  const edits = models.map(tableEdit);
  for (const edit of edits) requireFreeName(root, edit, edit.value, "the name of the pages");
  const hasAudit = /^export const audit\b/m.test(read("service/service.ts"));
  const services = hasAudit ? "audit, database" : "database";
  const newRoutes = edits.reduce(
    (text, { apply, imports }) => addImports(apply(text) ?? text, imports),
    renderStub("admin/routes.ts", { services, hasAudit }),
  );
  const files = models.flatMap((model) => modelFiles(model, read));
  return generate(
    root,
    {
      files: routes === "" ? [...files, { path: routesPath, text: newRoutes }] : files,
      edits: [...(routes === "" ? [] : edits), routeEdit("site", "admin", "admin")],
      nextSteps: ["npm test", "npm run app user.admin <email>", "npm run dev, and open /admin"],
    },
    flags,
    output,
  );
}

/** Returns the edit that adds the pages of a model to those of the project. */
function tableEdit({ singular: { camel, kebab } }: ModelName): FileEdit & { readonly value: string } {
  const value = `${camel}Admin`;
  return {
    path: routesPath,
    value,
    imports: [printNames("import", [value], `../web/admin/${kebab}.ts`)],
    apply: addItems(/^ {2}tables:/m, value),
    snippet: `export const admin = Admin.router({ tables: [/* … */ ${value}] /* … */ });`,
  };
}

/** Returns the description of the pages of a model, and their test. */
function modelFiles(model: ModelName, read: (path: string) => string): readonly GeneratedFile[] {
  const { singular, plural } = model;
  const folder = `app/domain/${singular.kebab}`;
  const factory = read(`test/factory/${singular.kebab}.ts`);
  const words = objectCode([`one: ${stringLiteral(singular.words)}`, `many: ${stringLiteral(plural.words)}`]);
  // The group of a catalogue, as the service names it.
  const [, group] = /\btext\.(\w+)\.gone\b/.exec(read(`${folder}/${singular.kebab}.ts`)) ?? [];
  const texts = `texts: ${group === undefined ? printCode(words, 0) : `text.${group}`}`;
  const hasContext = factory.includes("export async function context(");
  const values = {
    file: singular.kebab,
    model: singular.camel,
    Model: singular.pascal,
    models: plural.camel,
    manyWords: plural.words,
    path: `/admin/${plural.snake}`,
    table: printCode(
      objectCode([texts, "labelOf"], `export const ${singular.camel}Admin = Admin.table(${plural.camel}, `),
      0,
      ");",
    ),
    hasContext,
    makeArguments: hasContext ? "{}, context" : "",
    inputArguments: /function otherInput\(\w/.test(factory) ? "context" : "",
    canFilter: /\bfilter: \[/.test(read(`${folder}/repository.ts`)),
  };
  const render = (path: string, stub: string): GeneratedFile => ({
    path,
    text: renderModule(`admin/${stub}.ts`, { values }),
  });
  return [render(`web/admin/${singular.kebab}.ts`, "table"), render(`test/${singular.kebab}-admin.test.ts`, "test")];
}
