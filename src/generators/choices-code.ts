import { isSameModel, type Model, siblingFields, userFields } from "./describe-model.ts";
import type { Field } from "./field.ts";
import { type ModelName, toName } from "./name.ts";
import { arrayCode, callCode, printCode, printInStub, printWidth, withArticle } from "./print.ts";
import { renderStub } from "../project/index.ts";

/** Returns the statements that check the choices of an input. `stored` names the variable of the stored row. */
export function checkChoices(model: Model, stored?: string): string {
  if (!model.hasLimitedChoices) return "";
  const parentId =
    stored === undefined ? `options.params.${model.values["parent"]}` : `${stored}.${model.values["parentColumn"]}`;
  const scope = model.dependsOnParent ? [parentId, "options"] : ["options"];
  const args = ["input", ...scope, ...(stored !== undefined && model.hasUsers ? [stored] : [])];
  return `const errors = await choiceErrors(${args.join(", ")});\nif (errors !== undefined) return error(errors);`;
}

/** True if entries can be written without an acting user: all relations to users are optional. */
export const canLackUser = ({ hasPublicUsers, hasOwner, fields }: Model): boolean =>
  hasPublicUsers && !hasOwner && userFields(fields).every(({ isOptional }) => isOptional);

/** Returns the functions that limit the choices of a form: `offeredUsers` and `choiceErrors`. */
export function choicesCode(model: Model): string {
  const { name, fields, isInTeam, isTeam, hasUsers, hasMany, dependsOnParent, values } = model;
  if (!model.hasLimitedChoices) return "";
  const scope = (hasParent: boolean): readonly string[] => [
    ...(hasParent ? [`${values["parentColumn"]}: string`] : []),
    "options: Options | undefined",
  ];
  const item = `item?: ${hasMany ? "StoredRow" : name.singular.pascal}`;
  const errorParameters = ["input: Input", ...scope(dependsOnParent), ...(hasUsers ? [item] : [])];
  const chosen = userFields(fields).map(({ relation, type }) =>
    type === "manyToMany" ? `...(item?.${relation} ?? [])` : `item?.${relation}`,
  );
  const isActorOptional = canLackUser(model);
  return renderStub(
    "model/choices.ts",
    {
      acting: isActorOptional
        ? 'const userId = Context.get(options?.ctx, "user_id");\nconst acting = userId === undefined ? undefined : await user.find(userId, options);'
        : "const acting = await user.find(actingUser(options).id, options);",
      isAdmin: isActorOptional ? "acting?.admin === true" : "acting.admin",
      offered: isInTeam
        ? `those who see the ${values["parentWords"]}`
        : isTeam
          ? `those who see the ${name.singular.words}; for a new one, its creator`
          : `the user who acts${isActorOptional ? ", if any" : ""}, and to an administrator the newest 1,000`,
      offeredSignature: printCode(
        callCode([...scope(isInTeam), item], "export async function offeredUsers"),
        0,
        ": Promise<readonly User.User[]> {",
      ),
      chosen: printInStub(arrayCode(chosen, "const chosen = "), 2, ";"),
      errorSignature: printCode(
        callCode(errorParameters, "async function choiceErrors"),
        0,
        ": Promise<Readonly<Record<string, string>> | undefined> {",
      ),
      offeredArguments: isInTeam ? `${values["parentColumn"]}, options` : "options",
      checks: [
        ...userFields(fields).map((field) => userCheck(field, model)),
        ...siblingFields(model).map((field) => siblingCheck(field, model)),
      ].join("\n"),
    },
    values,
  );
}

/** Returns the key of the error of a user that the form does not offer. */
const userKey = ({ type }: Field, { hasMembers }: Model): string =>
  hasMembers ? (type === "manyToMany" ? "chooseMembers" : "chooseMember") : "choose";

/** Returns the expression of the error of an entry of another parent. */
const siblingCode = ({ name, target, type }: Field, { texts }: Model): string => {
  const words = type === "manyToMany" ? target?.plural.words : withArticle(target?.singular.words ?? "");
  return texts.code("foreign", { target: words ?? "" }, name);
};

/** Returns the English error of a user that the form does not offer. */
export const userError = (field: Field, model: Model): string =>
  model.texts.entries.get(userKey(field, model))?.[0] ?? "";

/** Returns the English error of an entry of another parent. */
export function siblingError(field: Field, model: Model): string {
  siblingCode(field, model);
  return model.texts.entries.get(`foreign.${field.name}`)?.[0] ?? "";
}

/** Returns the expression that counts entries of a sibling, in a service. */
export const countName = (target: ModelName, { name }: Model): string =>
  isSameModel(target, name) ? `${name.plural.camel}.count` : `count${target.plural.pascal}`;

function userCheck(field: Field, model: Model): string {
  const input = `input.${field.name}`;
  const isMissing =
    field.type === "manyToMany"
      ? `!${input}.every((id) => userIds.has(id))`
      : `${field.isOptional ? `${input} !== undefined && ` : ""}!userIds.has(${input})`;
  return refuse(isMissing, field.name, model.texts.code(userKey(field, model)));
}

function siblingCheck(field: Field, model: Model): string {
  const { name, relation, target, type, isOptional } = field;
  const input = `input.${name}`;
  const count = `${toName(relation ?? name).camel}Count`;
  const [id, isMissing] =
    type === "manyToMany"
      ? [`[...${input}]`, `${count} < new Set(${input}).size`]
      : isOptional
        ? [`${input} ?? []`, `${input} !== undefined && ${count} === 0`]
        : [input, `${count} === 0`];
  const args = ["database", `{ id: ${id}, ${model.values["parentColumn"]} }`, "options"];
  const call = callCode(args, `const ${count} = await ${target && countName(target, model)}`);
  return `${printInStub(call, 2, ";")}\n${refuse(isMissing, name, siblingCode(field, model))}`;
}

/** Prints a statement that adds an error, within a function. */
function refuse(condition: string, field: string, message: string): string {
  const line = `if (${condition}) errors.push(["${field}", ${message}]);`;
  return line.length + 2 <= printWidth ? line : line.replace(" errors.push(", "\n  errors.push(");
}
