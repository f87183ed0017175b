import type { Field } from "./field.ts";
import {
  hasLimitedChoices,
  isSameModel,
  manyFields,
  type Model,
  refersToUsers,
  siblingFields,
  userFields,
} from "./parse-model.ts";
import { type ModelName, toName } from "./name.ts";
import { printList, printWidth, withArticle } from "./print.ts";

/** True if users are offered by the parent, and not by the user who acts. */
export const offersByParent = ({ hasMembers, parent }: Model): boolean => hasMembers && parent !== undefined;

/** Returns the type of an entry with its relations. */
const rowType = ({ name, fields }: Model): string =>
  manyFields(fields).length > 0 ? "StoredRow" : name.singular.pascal;

/** Parameters of `offeredUsers` and `choiceErrors`, as TypeScript. */
interface Parameter {
  readonly name: string;
  readonly type: string;
}

/** Returns the parameters that the choices depend on: the parent's id if `hasParent` is true, and the options. */
const scopeParameters = ({ parent }: Model, hasParent: boolean): readonly Parameter[] => [
  ...(parent !== undefined && hasParent ? [{ name: `${parent.singular.snake}_id`, type: "string" }] : []),
  { name: "options", type: "Options | undefined" },
];

/** Returns the parameters of `offeredUsers` before the item. */
const userParameters = (model: Model): readonly Parameter[] => scopeParameters(model, offersByParent(model));

/** Returns the parameters of `choiceErrors` between the input and the item. */
const errorParameters = (model: Model): readonly Parameter[] =>
  scopeParameters(model, offersByParent(model) || siblingFields(model).length > 0);

const printParameter = ({ name, type }: Parameter): string => `${name}: ${type}`;

/** Returns the call that checks the choices of an input. `stored` names the variable of the stored row. */
export function checkChoices(model: Model, stored?: string): readonly string[] {
  if (!hasLimitedChoices(model)) return [];
  const parentId = stored === undefined ? `options.params.${model.parent?.singular.camel}` : undefined;
  const values = errorParameters(model).map(({ name }) =>
    name === "options" ? name : (parentId ?? `${stored}.${name}`),
  );
  const args = ["input", ...values, ...(stored !== undefined && refersToUsers(model.fields) ? [stored] : [])];
  return [`const errors = await choiceErrors(${args.join(", ")});`, "if (errors !== undefined) return error(errors);"];
}

/** Returns the functions that limit the choices of a form: `offeredUsers` and `choiceErrors`. */
export function choicesCode(model: Model): string {
  if (!hasLimitedChoices(model)) return "";
  const users = refersToUsers(model.fields) ? [...offeredUsers(model), ""] : [];
  return [...users, ...choiceErrors(model)].join("\n");
}

function offeredUsers(model: Model): readonly string[] {
  const { name, fields, parent, hasMembers } = model;
  const { singular } = name;
  const signature = printList([...userParameters(model).map(printParameter), `item?: ${rowType(model)}`], {
    open: "(",
    close: ")",
    before: "export async function offeredUsers",
    after: ": Promise<readonly User.User[]> {",
  });
  const chosen = userFields(fields).map(({ relation, type }) =>
    type === "manyToMany" ? `...(item?.${relation} ?? [])` : `item?.${relation}`,
  );
  const [comment, ...lines] =
    parent !== undefined && hasMembers
      ? [
          `those who see the ${parent.singular.words}`,
          `  const offered = await ${parent.singular.pascal}.usersOf(${parent.singular.snake}_id, options);`,
        ]
      : hasMembers
        ? [
            `those who see the ${singular.words}; for a new one, its creator`,
            "  const acting = await user.find(actingUser(options), options);",
            "  const offered = item === undefined ? [acting] : await usersOf(item.id, options);",
          ]
        : [
            "the user who acts, and to an administrator of the application the newest 1,000",
            "  const acting = await user.find(actingUser(options), options);",
            "  const others = acting.admin ? (await user.search({ limit: 1000 }, options))[0] : [];",
            "  const offered = [acting, ...others];",
          ];
  return [
    "/**",
    ` * Returns the users that a form offers: ${comment}.`,
    " * Users who are chosen stay choices.",
    " */",
    signature,
    ...lines,
    `  ${printList(chosen, { open: "[", close: "]", indent: 2, before: "const chosen = ", after: ";" })}`,
    "  const users = [...offered, ...chosen].filter((person) => person !== undefined);",
    "  return [...new Map(users.map((person) => [person.id, person])).values()];",
    "}",
  ];
}

function choiceErrors(model: Model): readonly string[] {
  const { fields } = model;
  const hasUsers = refersToUsers(fields);
  const parameters = [
    "input: Input",
    ...errorParameters(model).map(printParameter),
    ...(hasUsers ? [`item?: ${rowType(model)}`] : []),
  ];
  const signature = printList(parameters, {
    open: "(",
    close: ")",
    before: "async function choiceErrors",
    after: ": Promise<Readonly<Record<string, string>> | undefined> {",
  });
  const offeredIds = hasUsers
    ? [
        `  const offered = await offeredUsers(${userParameters(model)
          .map(({ name }) => name)
          .join(", ")}, item);`,
        "  const userIds = new Set(offered.map(({ id }) => id));",
      ]
    : [];
  const users = userFields(fields).map((field) => {
    const isMissing =
      field.type === "manyToMany"
        ? `!input.${field.name}.every((id) => userIds.has(id))`
        : `${field.isOptional ? `input.${field.name} !== undefined && ` : ""}!userIds.has(input.${field.name})`;
    return refuse(isMissing, field.name, userError(field, model));
  });
  const siblings = siblingFields(model).flatMap((field) => siblingCheck(field, model));
  return [
    "/** Returns an error for each field with a choice that the form does not offer. */",
    signature,
    ...offeredIds,
    "  const errors: (readonly [field: string, message: string])[] = [];",
    ...users,
    ...siblings,
    "  return errors.length === 0 ? undefined : Object.fromEntries(errors);",
    "}",
    "",
  ];
}

/** True if the valid choices of a form depend on the options: on the parent, or on the user who acts. */
export const needsInputOptions = (model: Model): boolean =>
  siblingFields(model).length > 0 || (model.hasMembers && refersToUsers(model.fields));

/** Returns the error of a user that the form does not offer. */
export const userError = ({ type }: Field, { hasMembers }: Model): string =>
  hasMembers
    ? type === "manyToMany"
      ? "Please choose members"
      : "Please choose a member"
    : "Please choose from the list";

/** Returns the error of an entry of another parent. */
export const siblingError = ({ target, type }: Field, parentWords: string): string =>
  `Please choose ${type === "manyToMany" ? (target?.plural.words ?? "") : withArticle(target?.singular.words ?? "")} of this ${parentWords}`;

/** Returns the expression that counts entries of a sibling, in a service. */
export const countName = (target: ModelName, { name }: Model): string =>
  isSameModel(target, name) ? `${name.plural.camel}.count` : `count${target.plural.pascal}`;

function siblingCheck(field: Field, model: Model): readonly string[] {
  const { name, target, type, isOptional } = field;
  const { snake, words } = model.parent?.singular ?? { snake: "", words: "" };
  const input = `input.${name}`;
  const count = `${toName(name.replace(/_ids?$/, "")).camel}Count`;
  const [id, isMissing] =
    type === "manyToMany"
      ? [`[...${input}]`, `${count} < new Set(${input}).size`]
      : isOptional
        ? [`${input} ?? []`, `${input} !== undefined && ${count} === 0`]
        : [input, `${count} === 0`];
  const call = printList(["database", `{ id: ${id}, ${snake}_id }`, "options"], {
    open: "(",
    close: ")",
    indent: 2,
    before: `const ${count} = await ${target && countName(target, model)}`,
    after: ";",
  });
  return [`  ${call}`, refuse(isMissing, name, siblingError(field, words))];
}

/** Prints a statement that adds an error. */
function refuse(condition: string, field: string, message: string): string {
  const line = `  if (${condition}) errors.push(["${field}", "${message}"]);`;
  return line.length <= printWidth ? line : line.replace(" errors.push(", "\n    errors.push(");
}
