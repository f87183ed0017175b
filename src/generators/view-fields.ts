import { isSameModel, type Model, referencedModels } from "./describe-model.ts";
import { type Field, isUser } from "./field.ts";
import type { ModelName } from "./name.ts";
import { callCode, objectCode, printCode } from "./print.ts";

/** Returns the options of a form field that its schema does not determine; none if there are none. */
function optionsOf({ target }: Field, model: Model): readonly string[] {
  if (target === undefined) return [];
  const choices = isUser(target) ? "users" : target.plural.camel;
  return [`choices: components.choicesOf(${choices}, ${labelFunction(target, model)})`];
}

/** Returns the function that returns the label of a related entry, as TypeScript. */
export function labelFunction(target: ModelName, model: Model): string {
  if (isUser(target)) return model.hasPublicUsers ? "(person) => labelFor(viewer, person)" : "memberLabel";
  return isSameModel(target, model.name) ? "labelOf" : `${target.singular.pascal}.labelOf`;
}

/** True if the form needs options of its fields. */
export const hasFieldOptions = (model: Model): boolean =>
  model.fields.some((field) => optionsOf(field, model).length > 0);

/**
 * Returns the call of `fields`, for a new entry or for the edited one: the parent is that of the request, or of `item`.
 */
export function fieldsCall({ parent, needsContext, dependsOnParent, hasUsers }: Model, item?: "item"): string {
  const parentId =
    item === undefined ? `request.params.${parent?.singular.camel}` : `item.${parent?.singular.snake}_id`;
  const args = [
    ...(needsContext ? ["request"] : []),
    ...(dependsOnParent ? [parentId] : []),
    ...(item !== undefined && hasUsers ? [item] : []),
  ];
  return `fields(${args.join(", ")})`;
}

/** Returns the function `fields`: the options of the form fields, with the choices of relations. */
export function fieldsFunction(model: Model): string {
  const { name, parent, needsContext, dependsOnParent, hasUsers, hasRelations } = model;
  const parentId = `${parent?.singular.snake}_id`;
  const parameters = [
    ...(needsContext ? ["request: Request"] : []),
    ...(dependsOnParent ? [`${parentId}: string`] : []),
    ...(hasUsers ? [`item?: ${name.singular.pascal}`] : []),
  ];
  const signature = callCode(parameters, `${hasRelations ? "async " : ""}function fields`);
  const result = "components.FormFields<Input>";
  const options = model.fields.flatMap((field) => {
    const properties = optionsOf(field, model);
    return properties.length === 0 ? [] : printCode(objectCode(properties, `${field.name}: `), 4, ",");
  });
  return [
    "",
    "/** Returns the options of the form fields that the schema does not determine. */",
    printCode(signature, 0, hasRelations ? `: Promise<${result}> {` : `: ${result} {`),
    ...choiceLines(model, parentId),
    "  return {",
    ...options.map((option) => `    ${option}`),
    "  };",
    "}",
  ].join("\n");
}

/** Returns the statements that load the choices: the newest 1,000 entries of a model. */
function choiceLines(model: Model, parentId: string): readonly string[] {
  const { name, parent, siblings, needsContext, hasPublicUsers } = model;
  const scope = [
    ...(needsContext ? ["ctx: await userContext(request)"] : []),
    ...(model.hasSiblings ? [`params: { ${parent?.singular.camel}: ${parentId} }`] : []),
  ];
  const lists = referencedModels(model.fields).map((target) => {
    const hasScope = needsContext || siblings.some((sibling) => isSameModel(sibling, target));
    const search = isSameModel(target, name) ? "search" : `${target.singular.pascal}.search`;
    return `  const [${target.plural.camel}] = await ${search}({ limit: 1000 }${hasScope ? ", scope" : ""});`;
  });
  const users = `  const users = await offeredUsers(${model.isInTeam ? `${parentId}, ` : ""}scope, item);`;
  return [
    ...(scope.length === 0 ? [] : [`  const scope = { ${scope.join(", ")} };`]),
    ...lists,
    ...(hasPublicUsers ? ["  const viewer = await User.Web.userOrThrow(request);"] : []),
    ...(model.hasUsers ? [users] : []),
  ];
}
