import type { Command } from "../core/index.ts";
import { addItems } from "./add-items.ts";
import {
  filterFields,
  filterName,
  isSameModel,
  labelField,
  listFields,
  type Model,
  referencedModels,
  relatedModels,
  searchableFields,
  sortModels,
  specialLabels,
} from "./describe-model.ts";
import { choicesConstant } from "./field-code.ts";
import { type Field, isUser } from "./field.ts";
import { generate, parseArguments } from "./generate.ts";
import { memberViewFile } from "./access-files.ts";
import type { ModelName } from "./name.ts";
import { parseModel, requireModel, requirePolicies, viewPath } from "./parse-model.ts";
import { arrayCode, type Code, type CodeArrow, objectCode, printCode, printInStub, stringLiteral } from "./print.ts";
import { renderModule, sharedStub, templateFile } from "./render-model.ts";
import { type GeneratedFile, projectRoot, readProjectFile } from "../project/index.ts";
import { listRules } from "./repository-file.ts";
import { fieldsCall, fieldsFunction, hasFieldOptions, labelFunction } from "./view-fields.ts";
import { catalogueLinkEdits, literalTexts, type TextGroup, textGroup, textImport } from "./texts.ts";
import { type FileEdit, replaceOnce } from "./wire.ts";

/** Runs the command `gen.view`. */
export function genView(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["plural", "in", "owner", "members"]);
  const [name, ...fields] = positionals;
  if (name === undefined || fields.length === 0) return undefined;
  const root = projectRoot();
  const model = parseModel(root, name, fields, flags);
  requirePolicies(root, model.name);
  for (const target of relatedModels(model)) requireModel(target, root);
  return generate(root, { files: viewFiles(model), edits: [], texts: textsOf(model) }, flags, output);
}

/** Returns the groups of texts of a model. */
export const textsOf = (model: Model): readonly TextGroup[] => [
  model.texts,
  ...(model.isTeam ? [model.memberTexts] : []),
  ...(model.hasUsers || model.isTeam ? [userTexts(model)] : []),
];

const userTexts = ({ texts }: Model): TextGroup => textGroup("userLabel", "userLabel", texts.isTranslated);

/** Returns the view of a model, and the shared views that the project may lack. */
export function viewFiles(model: Model): readonly GeneratedFile[] {
  // Pages with a login pass the context of a request to services, and pages that show users share their labels.
  const userContext = sharedStub("web/middleware/user-context.ts", "html/user-context.ts");
  const userLabel = sharedStub("web/view/user-label.ts", "view/user-label.ts", userTexts(model).values);
  return [
    { path: viewPath(model.name), text: viewText(model) },
    ...(model.requiresLogin ? [userContext] : []),
    ...(model.isTeam ? [memberViewFile(model)] : []),
    ...(model.hasUsers || model.isTeam ? [userLabel] : []),
    ...sharedViews(),
  ];
}

/** Returns the views that all generated pages use: layout and components. */
export const sharedViews = (): readonly GeneratedFile[] =>
  ["web/view/layout.ts", "web/view/components.ts"].map(templateFile);

/**
 * Returns the edit that links the list: in the navigation, or on the page of its parent. Without the line that it looks for, the user
 * adds the link.
 */
export function linkEdits(
  { name: { plural }, parent, hasParentPages, texts }: Model,
  root: string,
): readonly FileEdit[] {
  if (parent === undefined) return [navigationEdit(plural, texts)];
  if (!hasParentPages) return [];
  const group = textGroup("resource", parent.singular.camel, texts.isTranslated).name;
  if (readProjectFile(root, viewPath(parent))?.includes(`links: text.${group}.links`) === true) {
    return catalogueLinkEdits(root, group, plural);
  }
  const link = `${/^\w+$/.test(plural.kebab) ? plural.kebab : stringLiteral(plural.kebab)}: ${stringLiteral(plural.title)},`;
  const apply = (text: string): string | undefined =>
    replaceOnce(link, /^ {2}links: \{\},$/m, `  links: {\n    ${link}\n  },`)(text) ??
    replaceOnce(link, /^( {2}links: \{\n(?: {4}.*\n)*)(?= {2}\},$)/m, `$1    ${link}\n`)(text);
  return [{ path: viewPath(parent), apply, snippet: link }];
}

function navigationEdit({ kebab, title }: ModelName["plural"], texts: TextGroup): FileEdit {
  const pageOf = (label: string): string => `[${stringLiteral(`/${kebab}`)}, ${label}]`;
  const page = pageOf(texts.isTranslated ? `text.${texts.name}.title` : stringLiteral(title));
  const add = addItems(/^const pages\b[^=\n]*=(?: \(\) =>)?/m, page);
  // The formatter breaks a list of several lists, and a function before it.
  const breakList = (_: string, list: string, arrow: string | undefined, item: string): string =>
    arrow === undefined ? `${list} [\n  ${item},\n]` : `${list}${arrow}\n  [\n    ${item},\n  ]`;
  const apply = (text: string): string | undefined =>
    add(text.replace(/^(const pages\b[^=\n]*=)( \(\) =>)? \[(\[[^\]\n]*\])\]/m, breakList));
  return {
    path: "web/view/layout.ts",
    imports: texts.isTranslated ? [textImport] : [],
    apply,
    snippet: `const pages = [/* … */ ${page}];`,
  };
}

function viewText(model: Model): string {
  const { name, fields } = model;
  const { singular, plural } = name;
  const choices = filterFields(fields).filter(({ type }) => type === "oneOf");
  const facts = [...fields.map((field) => column(field, model)), '"created_at"', '"updated_at"'];
  return renderModule("view/view.ts", model, {
    related: sortModels(referencedModels(fields))
      .filter((target) => !isSameModel(target, name))
      .map(({ singular: { pascal, kebab } }) => `import * as ${pascal} from "../../app/domain/${kebab}/${kebab}.ts";`)
      .join("\n"),
    choices: choices.map((field) => `${choicesConstant(field)}, `).join(""),
    ...listRules(fields, 2, "Query", ""),
    pages: printCode(
      objectCode(
        [
          model.texts.isTranslated
            ? `texts: text.${model.texts.name}`
            : literalTexts(singular.words, plural.words, specialLabels(model)),
          "labelOf",
          "schema",
          "layout",
          "components",
          "...listRules",
        ],
        `const pages: components.ResourcePages<${singular.pascal}, Input> = `,
      ),
      0,
      ";",
    ),
    listOptions: listOptions(model).join("\n"),
    facts: columnList("facts", facts, model),
    create: formPage("const create = components.newPage", model),
    edit: formPage("export const edit = components.editPage", model, "item"),
    fields: hasFieldOptions(model) ? fieldsFunction(model) : "",
  });
}

/** Returns the parameter of a function that reads the parent from the request of a list. */
const listRequest = ({ parent }: Model): string => `request: Request<{ readonly ${parent?.singular.camel}: string }>`;

function listOptions(model: Model): readonly string[] {
  const { fields, parent, isTeam, hasParentPages } = model;
  const label = objectCode([`name: ${stringLiteral(labelField(fields))}`, "value: labelOf"]);
  const columns = listFields(fields).map((field) => column(field, model));
  const before = `html\`<p><a href="\${request.prefix}/${parent?.plural.kebab}/\${request.params.${parent?.singular.camel}}">${model.texts.html("back")}</a></p>\``;
  return [
    columnList("columns", [label, ...columns, '"created_at"'], model),
    ...filterOptions(model),
    ...(searchableFields(fields).length > 0 ? [] : ["search: false,"]),
    ...(hasParentPages ? [`before: (${listRequest(model)}) =>`, `  ${before},`] : []),
    ...(isTeam ? ["before: pendingMemberships,"] : []),
  ];
}

/** Returns the choices of the filters: those of the form. A filter by one of several has the name of the relation. */
function filterOptions(model: Model): readonly string[] {
  const { dependsOnParent } = model;
  const filters = filterFields(model.fields).filter(({ target }) => target !== undefined);
  if (filters.length === 0) return [];
  const many = filters.filter(({ type }) => type === "manyToMany");
  if (many.length === 0) return [`filters: ${dependsOnParent ? printInStub(fieldsPart(model), 2, ",") : "fields,"}`];
  const parameter = dependsOnParent ? listRequest(model) : model.needsContext ? "request" : "";
  const choices = ["...options", ...many.map((field) => `${filterName(field)}: options.${field.name}`)];
  return [
    `filters: async (${parameter}) => {`,
    `  const options = await ${fieldsCall(model)};`,
    `  ${printInStub(objectCode(choices, "return "), 4, ";").replaceAll("\n", "\n  ")}`,
    "},",
  ];
}

/** Returns the call that makes a page with a form. */
function formPage(start: string, model: Model, item?: "item"): string {
  if (!hasFieldOptions(model)) return `${start}(pages);`;
  if (!model.dependsOnParent) return `${start}(pages, { fields });`;
  const { start: parameters, body } = fieldsPart(model);
  const part =
    item === undefined
      ? { start: `fields: ${parameters}`, body }
      : { start: "fields: (request, item) =>", body: fieldsCall(model, item) };
  return printCode(objectCode([part], `${start}(pages, `), 0, ");");
}

/** Returns the function that passes the parent of a request to `fields`. */
const fieldsPart = (model: Model): CodeArrow => ({ start: `(${listRequest(model)}) =>`, body: fieldsCall(model) });

/** Returns a list of columns. Labels of users that hide addresses depend on who looks at the page. */
function columnList(name: string, columns: readonly Code[], model: Model): string {
  const list = (before: string): Code => arrayCode(columns, before);
  const isPublic = model.hasPublicUsers && printCode(list(""), 0).includes("viewer");
  if (!isPublic) return printInStub(list(`${name}: `), 2, ",");
  return [
    `${name}: async (request) => {`,
    "  const viewer = await User.Web.userOrThrow(request);",
    `  ${printInStub(list("return "), 4, ";").replaceAll("\n", "\n  ")}`,
    "},",
  ].join("\n");
}

/** Returns the definition of a column: its name, if that says all. */
function column(field: Field, model: Model): Code {
  const { target } = field;
  const name = stringLiteral(field.name);
  if (target === undefined) return name;
  return objectCode([`name: ${name}`, { start: "value: (item) =>", body: relatedLabel(field, target, model) }]);
}

/** Returns the expression of the labels of related entries. */
function relatedLabel({ relation, type, isOptional }: Field, target: ModelName, model: Model): string {
  const labelOf = labelFunction(target, model);
  if (type === "manyToMany") return `item.${relation}.map(${labelOf}).join(", ")`;
  const label =
    isUser(target) && model.hasPublicUsers ? `labelFor(viewer, item.${relation})` : `${labelOf}(item.${relation})`;
  return isOptional ? `item.${relation} && ${label}` : label;
}
