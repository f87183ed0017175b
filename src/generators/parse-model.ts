import { existsSync } from "node:fs";
import { join } from "node:path";
import { errors, readProjectFile } from "../project/index.ts";
import { describeModel, isSameModel, type Model, referencedModels } from "./describe-model.ts";
import { type Field, isUser, type ModelNames, parseFields, userModel } from "./field.ts";
import { choicesConstant } from "./field-code.ts";
import { languagesOf } from "./texts.ts";
import { type ModelName, nameProblem, parseModelName, toName } from "./name.ts";

/** Options of `parseModel`, from flags. */
export interface ModelOptions {
  readonly plural: string | undefined;
  /** Name of the parent. */
  readonly in: string | undefined;
  readonly hasOwner: boolean;
  readonly hasMembers: boolean;
}

/**
 * Parses a model from the arguments of a command.
 *
 * @throws E_GENERATE_NAME, E_GENERATE_FIELD, E_GENERATE_MISSING, E_GENERATE_POLICY
 */
export function parseModel(
  root: string,
  name: string,
  specifications: readonly string[],
  options: ModelOptions,
): Model {
  const { hasOwner, hasMembers } = options;
  const models = projectModels(root);
  const modelName = parseModelName(name, options.plural);
  const failName = (problem: string): never => {
    throw errors.E_GENERATE_NAME("the name of a model", name, problem);
  };
  if (modelName.singular.snake === modelName.plural.snake)
    failName("its plural is the same word. Set another plural with --plural=<name>.");
  const parent = options.in === undefined ? undefined : parseParent(options.in, modelName, models);
  if (parent !== undefined && modelName.plural.snake === "members" && readModelFile(root, parent, "members.ts") !== "")
    failName(`a ${parent.singular.words} has members already.`);
  const fields = parseFields(specifications, modelName, models);
  if (fields.every(({ type }) => type === "manyToMany"))
    throw errors.E_GENERATE_FIELD(specifications[0] ?? "", "a model needs a field of its own beside its relations.");
  const ambiguous = fields.find(({ type, relation }) => type === "manyToMany" && relation === modelName.plural.snake);
  if (ambiguous !== undefined) {
    throw errors.E_GENERATE_FIELD(ambiguous.name, "its links would have two columns of one name. Choose another name.");
  }
  const tables = [modelName, ...referencedModels(fields), ...(parent === undefined ? [] : [parent])];
  const isTable = (value: string): boolean => tables.some(({ plural }) => plural.camel === value);
  if (hasMembers && (isTable("roles") || modelName.singular.snake === "role"))
    failName('members have "roles" already. Leave out --members.');
  requireFieldNames(fields, isTable, [
    ...(parent === undefined ? [] : [parent.singular.snake, `${parent.singular.snake}_id`]),
    ...(hasOwner ? ["owner", "owner_id"] : []),
    ...(hasMembers && parent === undefined ? ["members"] : []),
  ]);
  const siblings = referencedModels(fields).filter((target) => {
    if (parent === undefined) return false;
    return isSameModel(target, modelName) ? hasMembers || !hasOwner : isSibling(root, target, parent);
  });
  const model = describeModel({
    name: modelName,
    fields,
    parent,
    hasOwner,
    hasMembers,
    parentTeam: parent && findTeam(root, parent),
    siblings,
    hasParentPages: parent !== undefined && existsSync(join(root, viewPath(parent))),
    isTranslated: languagesOf(root).length > 0,
  });
  requireChoices(root, model);
  if (model.isGuarded) requireUsers(models);
  requireParentPolicy(root, model);
  if (model.requiresLogin) requirePolicies(root, ...(parent === undefined ? [] : [parent]));
  return model;
}

/** Checks that no field has a name of other columns and relations, or choices with the name of a table. */
function requireFieldNames(
  fields: readonly Field[],
  isTable: (value: string) => boolean,
  otherNames: readonly string[],
): void {
  const hidden = fields.find((field) => field.type === "oneOf" && isTable(choicesConstant(field)));
  if (hidden !== undefined) {
    throw errors.E_GENERATE_FIELD(hidden.name, "its choices would have the name of a table. Choose another name.");
  }
  const conflict = fields.find(({ name, relation = "" }) => otherNames.includes(name) || otherNames.includes(relation));
  if (conflict === undefined) return;
  throw errors.E_GENERATE_FIELD(
    conflict.relation ?? conflict.name,
    "--in, --owner or --members adds a field or relation of this name already.",
  );
}

/** Checks that a form can offer the entries that fields refer to. */
function requireChoices(root: string, model: Model): void {
  const { name, fields, siblings, isNested, isGuarded } = model;
  for (const { relation, target, isUnique } of fields) {
    if (relation === undefined || target === undefined) continue;
    if (isUser(target)) {
      requireChoosableUsers(relation, isUnique, model);
      continue;
    }
    const isOpen = isSameModel(target, name) ? !isNested && !isGuarded : isOpenToAll(root, target);
    if (isOpen || siblings.some((sibling) => isSameModel(sibling, target))) continue;
    throw errors.E_GENERATE_FIELD(
      relation,
      `a form offers entries that have neither a parent nor a policy, or that have the same parent (--in). Those of "${target.singular.snake}" have another one. Write this relation by hand.`,
    );
  }
}

/** Returns true if everybody sees all entries of a model: it has neither a parent nor a policy. */
const isOpenToAll = (root: string, model: ModelName): boolean =>
  !readModelFile(root, model).includes("interface ListOptions") && readModelFile(root, model, "policy.ts") === "";

/** Returns true if the entries of a model have this parent, and everybody who sees the parent sees them. */
function isSibling(root: string, model: ModelName, parent: ModelName): boolean {
  const { snake, pascal, camel } = parent.singular;
  const policy = readModelFile(root, model, "policy.ts");
  const seeParent = `is.related.${snake}(${pascal}.policy.rules.see)`;
  const isVisible = policy === "" || policy.includes(`see: ${seeParent}`) || policy.includes(`see = ${seeParent}`);
  return isVisible && readModelFile(root, model).includes(`readonly params: { readonly ${camel}: string };`);
}

/** Returns the model whose members see the entries of a model: the model, or a parent of it. */
function findTeam(root: string, model: ModelName): ModelName | undefined {
  if (readModelFile(root, model, "members.ts") !== "") return model;
  const policy = readModelFile(root, model, "policy.ts");
  const [, parent] = /^import \* as \w+ from "\.\.\/([\w-]+)\/policy\.ts";$/m.exec(policy) ?? [];
  const name = parent === undefined ? undefined : projectModels(root).find(parent.replaceAll("-", "_"));
  return name && findTeam(root, name);
}

/** Checks that a form has users to offer. */
function requireChoosableUsers(
  relation: string,
  isUnique: boolean,
  { parent, isInTeam, isTeam, canJoin }: Model,
): void {
  if (isInTeam && !canJoin) {
    throw errors.E_GENERATE_FIELD(
      relation,
      `only the owner sees the ${parent?.singular.words}, so there is nobody to choose.`,
    );
  }
  if (isTeam && isUnique) {
    throw errors.E_GENERATE_FIELD(
      relation,
      "a new entry offers only its creator, so a second one could not be added. Remove :unique.",
    );
  }
}

/** Path of the view of a model. */
export const viewPath = ({ singular }: ModelName): string => `web/view/${singular.kebab}.ts`;

/** Checks that the project has users. */
function requireUsers(models: ModelNames): void {
  if (models.find(userModel.singular.snake) !== undefined) return;
  throw errors.E_GENERATE_MISSING("export const user", "Owners and members are users: run gen.auth first.");
}

/** Checks that a model has members exactly if its parent has a policy, so that nobody sees the entries of a hidden parent. */
function requireParentPolicy(root: string, { name, parent, hasMembers }: Model): void {
  if (parent === undefined || (readModelFile(root, parent, "policy.ts") !== "") === hasMembers) return;
  const problem = hasMembers
    ? "everybody sees its entries. Generate it with --members or --owner, or leave out --members here."
    : `only some users see its entries. Add --members, so that the same users see its ${name.plural.words}.`;
  throw errors.E_GENERATE_NAME("the parent", parent.singular.snake, problem);
}

/** Checks that `actingUser` and the policies of models are values of `limmat/policy`. An earlier version generated functions. */
export function requirePolicies(root: string, ...models: readonly ModelName[]): void {
  const path = "app/domain/acting-user.ts";
  const isId = /\bfunction actingUser\([^)]*\): string\b/.test(readProjectFile(root, path) ?? "");
  if (isId) throw errors.E_GENERATE_POLICY(path);
  const isEarlier = (policy: string): boolean => policy !== "" && !/^export const policy\b/m.test(policy);
  const earlier = models.find((model) => isEarlier(readModelFile(root, model, "policy.ts")));
  if (earlier !== undefined) throw errors.E_GENERATE_POLICY(`app/domain/${earlier.singular.kebab}/policy.ts`);
}

/** Returns the text of a file in the folder of a model, by default of its service; empty if it is missing. */
const readModelFile = (root: string, { singular: { kebab } }: ModelName, file = `${kebab}.ts`): string =>
  readProjectFile(root, `app/domain/${kebab}/${file}`) ?? "";

/** Returns true if a model exists whose service needs the user who acts. */
export const needsUser = (root: string, model: ModelName): boolean =>
  readModelFile(root, model).includes("actingUser(");

function parseParent(name: string, model: ModelName, models: ModelNames): ModelName {
  const parent = nameProblem(name) === undefined && name !== "user" ? models.find(name) : undefined;
  if (parent !== undefined && name !== model.singular.snake) return parent;
  throw errors.E_GENERATE_NAME("a parent", name, "the project has no such model. Generate it first.");
}

/** Returns the models of a project. */
export const projectModels = (root: string): ModelNames => ({
  find: (name) => {
    if (nameProblem(name) !== undefined) return undefined;
    if (name === userModel.singular.snake)
      return /^export const user\b/m.test(readProjectFile(root, "service/service.ts") ?? "") ? userModel : undefined;
    const singular = toName(name);
    const repository = readModelFile(root, { singular, plural: singular }, "repository.ts");
    const [, table] = /= Table\.make\(\s*"(\w+)"/.exec(repository) ?? [];
    return table === undefined ? undefined : { singular, plural: toName(table) };
  },
});

/**
 * Checks that a model and its test factory exist.
 *
 * @throws E_GENERATE_MISSING
 */
export function requireModel({ singular }: ModelName, root: string): void {
  const files = [`app/domain/${singular.kebab}/${singular.kebab}.ts`, `test/factory/${singular.kebab}.ts`];
  const missing = files.find((path) => !existsSync(join(root, path)));
  if (missing !== undefined) throw errors.E_GENERATE_MISSING(missing, `Generate the model "${singular.snake}" first.`);
}
