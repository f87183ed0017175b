import { offersByParent } from "./choices-code.ts";
import { type Field, isUser } from "./field.ts";
import { isSameModel, type Model, referencedModels, refersToUsers, siblingFields } from "./parse-model.ts";
import { requiresLogin } from "./policy-file.ts";
import { printList, stringLiteral } from "./print.ts";

/** True if labels of users hide addresses: who sees an entry is no member of it. */
export const showsUsersPublicly = ({ fields, hasMembers }: Model): boolean => refersToUsers(fields) && !hasMembers;

/** True if the choices depend on the parent's id. */
export const dependsOnParent = (model: Model): boolean =>
  siblingFields(model).length > 0 || (offersByParent(model) && refersToUsers(model.fields));

/** True if some fields offer entries of other models. */
export const hasChoices = ({ fields }: Model): boolean => fields.some(({ target }) => target !== undefined);

/** True if the view passes the context of the request to services for choices. */
export const needsContext = (model: Model): boolean => requiresLogin(model) && hasChoices(model);

/** Returns the options of a form field that its schema does not determine; none if there are none. */
function optionsOf({ name, label, type, target }: Field, choices: string | undefined): readonly string[] {
  const isSpecial = target !== undefined || /_ids?$/.test(name);
  const shownLabel = type === "datetime" ? `${label} (UTC)` : isSpecial ? label : undefined;
  return [
    ...(shownLabel === undefined ? [] : [`label: ${stringLiteral(shownLabel)}`]),
    ...(choices === undefined ? [] : [`choices: ${choices}`]),
  ];
}

/** True if the form needs options of its fields. */
export const hasFieldOptions = ({ fields }: Model): boolean =>
  fields.some((field) => optionsOf(field, undefined).length > 0);

/**
 * Returns the call of `fields`, for a new entry or for the edited one: the parent is that of the request, or of `item`.
 */
export function fieldsCall(model: Model, item?: "item"): string {
  const { parent } = model;
  const parentId =
    item === undefined ? `request.params.${parent?.singular.camel}` : `item.${parent?.singular.snake}_id`;
  const args = [
    ...(needsContext(model) ? ["request"] : []),
    ...(dependsOnParent(model) ? [parentId] : []),
    ...(item !== undefined && refersToUsers(model.fields) ? [item] : []),
  ];
  return `fields(${args.join(", ")})`;
}

/** Returns the function `fields`: the options of the form fields, with the choices of relations. */
export function fieldsFunction(model: Model): string {
  const { name, parent } = model;
  const parentId = `${parent?.singular.snake}_id`;
  const parameters = [
    ...(needsContext(model) ? ["request: Request"] : []),
    ...(dependsOnParent(model) ? [`${parentId}: string`] : []),
    ...(refersToUsers(model.fields) ? [`item?: ${name.singular.pascal}`] : []),
  ];
  const options = model.fields.flatMap((field) => {
    const properties = optionsOf(field, choicesExpression(field, model));
    if (properties.length === 0) return [];
    return [
      printList(properties, { open: "{", close: "}", padding: " ", indent: 4, before: `${field.name}: `, after: "," }),
    ];
  });
  return [
    "",
    "/** Returns the options of the form fields that the schema does not determine. */",
    printList(parameters, {
      open: "(",
      close: ")",
      before: `${hasChoices(model) ? "async " : ""}function fields`,
      after: hasChoices(model) ? ": Promise<components.FormFields<Input>> {" : ": components.FormFields<Input> {",
    }),
    ...choiceLines(model, parentId),
    "  return {",
    ...options.map((option) => `    ${option}`),
    "  };",
    "}",
  ].join("\n");
}

/** Returns the expression of the choices of a field. */
function choicesExpression({ target }: Field, model: Model): string | undefined {
  if (target === undefined) return undefined;
  if (isUser(target)) {
    return `components.choicesOf(users, ${showsUsersPublicly(model) ? "(person) => labelFor(viewer, person)" : "memberLabel"})`;
  }
  const isOwn = isSameModel(target, model.name);
  return `components.choicesOf(${target.plural.camel}, ${isOwn ? "labelOf" : `${target.singular.pascal}.labelOf`})`;
}

/** Returns the statements that load the choices: the newest 1,000 entries of a model. */
function choiceLines(model: Model, parentId: string): readonly string[] {
  const { name, parent, fields, siblings } = model;
  const scope = [
    ...(needsContext(model) ? ["ctx: await userContext(request)"] : []),
    ...(siblingFields(model).length > 0 ? [`params: { ${parent?.singular.camel}: ${parentId} }`] : []),
  ];
  const lists = referencedModels(fields).map((target) => {
    const isOwn = isSameModel(target, name);
    const hasScope = needsContext(model) || siblings.some((sibling) => isSameModel(sibling, target));
    const search = isOwn ? "search" : `${target.singular.pascal}.search`;
    return `  const [${target.plural.camel}] = await ${search}({ limit: 1000 }${hasScope ? ", scope" : ""});`;
  });
  const users = refersToUsers(fields)
    ? [
        ...(showsUsersPublicly(model) ? ["  const viewer = await User.Web.userOrThrow(request);"] : []),
        `  const users = await offeredUsers(${offersByParent(model) ? `${parentId}, ` : ""}scope, item);`,
      ]
    : [];
  return [...(scope.length === 0 ? [] : [`  const scope = { ${scope.join(", ")} };`]), ...lists, ...users];
}
