import { offersByParent } from "./choices-code.ts";
import { choicesConstant } from "./field-code.ts";
import { type Field, isUser } from "./field.ts";
import type { ModelName } from "./name.ts";
import {
  filterFields,
  filterName,
  isSameModel,
  type Model,
  referencedModels,
  refersToUsers,
  siblingFields,
} from "./parse-model.ts";
import { requiresLogin } from "./policy-file.ts";
import { printList, stringLiteral } from "./print.ts";
import { renderStub } from "../project/index.ts";

/** Returns the name of the function that lists the choices of a relation. */
const choicesName = (target: ModelName): string => `${target.plural.camel}Choices`;

/** True if labels of users hide addresses: who sees an entry is no member of it. */
export const showsUsersPublicly = ({ fields, hasMembers }: Model): boolean => refersToUsers(fields) && !hasMembers;

/** True if the choices depend on the parent's id. */
export const dependsOnParent = (model: Model): boolean =>
  siblingFields(model).length > 0 || (offersByParent(model) && refersToUsers(model.fields));

/** True if the view passes the context of the request to services for choices. */
export const needsContext = (model: Model): boolean =>
  requiresLogin(model) && model.fields.some(({ target }) => target !== undefined);

export const parentIdName = ({ parent }: Model): string => `${parent?.singular.snake}_id`;

export const parentParameter = ({ parent }: Model): string => `request.params.${parent?.singular.camel}`;

/** Expressions of the parent's id and of the edited entry. */
interface ChoiceScope {
  readonly parentId: string;
  readonly item?: string;
}

/** Returns the arguments of `fields` in the page of a new entry, or in that of an existing one. */
export function fieldsArguments(model: Model, item?: string): string {
  return [
    ...(needsContext(model) ? ["request"] : []),
    ...(dependsOnParent(model) ? [item === undefined ? parentParameter(model) : `${item}.${parentIdName(model)}`] : []),
    ...(item !== undefined && refersToUsers(model.fields) ? [item] : []),
  ].join(", ");
}

/** Returns the parameters of `fields`. */
const fieldsParameters = (model: Model): readonly string[] => [
  ...(needsContext(model) ? ["request: Request"] : []),
  ...(dependsOnParent(model) ? [`${parentIdName(model)}: string`] : []),
  ...(refersToUsers(model.fields) ? [`item?: ${model.name.singular.pascal}`] : []),
];

/** Returns the call that lists the choices of a relation. */
export function choicesCall(target: ModelName, model: Model, { parentId, item }: ChoiceScope): string {
  const isByParent = isUser(target) ? offersByParent(model) : isSiblingModel(target, model);
  const args = [
    ...(needsContext(model) ? ["request"] : []),
    ...(isByParent ? [parentId] : []),
    ...(isUser(target) && item !== undefined ? [item] : []),
  ];
  return `${choicesName(target)}(${args.join(", ")})`;
}

const contextOption = "ctx: await userContext(request)";

const isSiblingModel = (target: ModelName, { siblings }: Model): boolean =>
  siblings.some((sibling) => isSameModel(sibling, target));

/** Returns the functions that list the choices of relations. */
export function choicesFunctions(model: Model): string {
  const others = referencedModels(model.fields).map((target) => {
    const namespace = isSameModel(target, model.name) ? "" : `${target.singular.pascal}.`;
    const isSibling = isSiblingModel(target, model);
    const options = [
      ...(needsContext(model) ? [contextOption] : []),
      ...(isSibling ? [`params: { ${model.parent?.singular.camel}: ${parentIdName(model)} }`] : []),
    ];
    const parameters = [
      ...(needsContext(model) ? ["request: Request"] : []),
      ...(isSibling ? [`${parentIdName(model)}: string`] : []),
    ];
    return choicesFunction(choicesName(target), parameters, {
      comment: `the newest 1,000 ${target.plural.words}${isSibling ? ` of the ${model.parent?.singular.words}` : ""}`,
      load: printList(["{ limit: 1000 }", ...(options.length === 0 ? [] : [`{ ${options.join(", ")} }`])], {
        open: "(",
        close: ")",
        indent: 2,
        before: `const [items] = await ${namespace}search`,
        after: ";",
      }).replaceAll("\n  ", "\n"),
      list: "items",
      labelOf: `${namespace}labelOf(row)`,
    });
  });
  return [...others, ...(refersToUsers(model.fields) ? [usersChoices(model)] : [])].join("\n");
}

/** Returns the function that lists the users whom a form offers. */
function usersChoices(model: Model): string {
  const isByParent = offersByParent(model);
  const isPublic = showsUsersPublicly(model);
  const parameters = [
    "request: Request",
    ...(isByParent ? [`${parentIdName(model)}: string`] : []),
    `item?: ${model.name.singular.pascal}`,
  ];
  return choicesFunction("usersChoices", parameters, {
    comment: "users, with their addresses for those who may see them",
    load: [
      ...(isPublic ? ["const viewer = await User.Web.userOrThrow(request);"] : []),
      `const users = await offeredUsers(${isByParent ? `${parentIdName(model)}, ` : ""}{ ${contextOption} }, item);`,
    ].join("\n"),
    list: "users",
    labelOf: isPublic ? "labelFor(viewer, row)" : "memberLabel(row)",
  });
}

/** Prints a function that lists choices. */
function choicesFunction(
  name: string,
  parameters: readonly string[],
  values: { readonly comment: string; readonly load: string; readonly list: string; readonly labelOf: string },
): string {
  const signature = printList(parameters, {
    open: "(",
    close: ")",
    before: `async function ${name}`,
    after: ": Promise<readonly (readonly [id: string, label: string])[]> {",
  });
  return renderStub("view/choices.ts", { signature, ...values }).trimEnd();
}

/** Returns the options of the form fields whose schema does not determine everything. */
export function fieldOptions(model: Model, scope: ChoiceScope): readonly string[] {
  return model.fields.flatMap(({ name, label, type, target }) => {
    const options: string[] = [];
    if (type === "datetime") options.push(`label: ${stringLiteral(`${label} (UTC)`)}`);
    else if (target !== undefined || /_ids?$/.test(name)) options.push(`label: ${stringLiteral(label)}`);
    if (target !== undefined) options.push(`choices: await ${choicesCall(target, model, scope)}`);
    return options.length === 0
      ? []
      : [printList(options, { open: "{", close: "}", padding: " ", indent: 4, before: `${name}: `, after: "," })];
  });
}

/** Returns the declaration of the options of the form fields. */
export function fieldsDeclaration(options: readonly string[], model: Model): string {
  if (options.length === 0) return "";
  const lines = (indent: string): string => options.map((option) => indent + option).join("\n");
  if (model.fields.every(({ target }) => target === undefined)) {
    return `\nconst fields: FormFields<Input> = {\n${lines("  ").replaceAll("\n    ", "\n  ")}\n};`;
  }
  const signature = printList(fieldsParameters(model), {
    open: "(",
    close: ")",
    before: "async function fields",
    after: ": Promise<FormFields<Input>> {",
  });
  return `\n${signature}\n  return {\n${lines("    ")}\n  };\n}`;
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
