import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errors } from "../project/index.ts";
import { type Field, type FieldType, isUser, type ModelNames, parseFields, userModel } from "./field.ts";
import { choicesConstant } from "./field-code.ts";
import { type ModelName, nameProblem, parseModelName, toName } from "./name.ts";

/** A validated description of a model. */
export interface Model {
  readonly name: ModelName;
  readonly fields: readonly Field[];
  /** Model below which the resource is nested, with `--in`. */
  readonly parent: ModelName | undefined;
  /** True if an entry belongs to the user who created it, with `--owner`. */
  readonly hasOwner: boolean;
  /** True if members see the entries: those of the parent, or of each entry, with `--members`. */
  readonly hasMembers: boolean;
  /** True if the parent, or a parent of it, has members who can join. */
  readonly canJoin: boolean;
  /** Models that the fields refer to and whose entries have the same parent, such as labels of the project of an issue. */
  readonly siblings: readonly ModelName[];
  /** True if the parent has pages, which the pages of the model link to. */
  readonly hasParentPages: boolean;
}

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
 * @throws E_GENERATE_NAME, E_GENERATE_FIELD, E_GENERATE_MISSING
 */
export function parseModel(
  root: string,
  name: string,
  specifications: readonly string[],
  options: ModelOptions,
): Model {
  const modelName = parseModelName(name, options.plural);
  if (modelName.singular.snake === modelName.plural.snake) {
    throw errors.E_GENERATE_NAME(
      "the name of a model",
      name,
      "its plural is the same word. Set another plural with --plural=<name>.",
    );
  }
  const models = projectModels(root);
  const parent = options.in === undefined ? undefined : parseParent(options.in, modelName, models);
  if (parent !== undefined && modelName.plural.snake === "members" && hasMembersPage(root, parent)) {
    throw errors.E_GENERATE_NAME("the name of a model", name, `a ${parent.singular.words} has members already.`);
  }
  const fields = parseFields(specifications, modelName, models);
  if (fields.every(({ type }) => type === "manyToMany")) {
    throw errors.E_GENERATE_FIELD(specifications[0] ?? "", "a model needs a field of its own beside its relations.");
  }
  const { hasOwner, hasMembers } = options;
  const tables = [modelName, ...referencedModels(fields), ...(parent === undefined ? [] : [parent])];
  const isTable = (value: string): boolean => tables.some(({ plural }) => plural.camel === value);
  if (hasMembers && (isTable("roles") || modelName.singular.snake === "role")) {
    throw errors.E_GENERATE_NAME("the name of a model", name, 'members have "roles" already. Leave out --members.');
  }
  const hidden = fields.find((field) => field.type === "oneOf" && isTable(choicesConstant(field)));
  if (hidden !== undefined) {
    throw errors.E_GENERATE_FIELD(hidden.name, "its choices would have the name of a table. Choose another name.");
  }
  const parentNames = parent === undefined ? [] : [parent.singular.snake, `${parent.singular.snake}_id`];
  const ownerNames = options.hasOwner ? ["owner", "owner_id"] : [];
  const conflict = fields.find(({ name: field, relation = "" }) =>
    [...parentNames, ...ownerNames].some((text) => text === field || text === relation),
  );
  if (conflict !== undefined) {
    throw errors.E_GENERATE_FIELD(
      conflict.relation ?? conflict.name,
      "--in or --owner adds a field of this name already.",
    );
  }
  const canJoin = parent !== undefined && hasMembers && listsUsers(root, parent);
  const siblings = referencedModels(fields).filter((target) =>
    isSameModel(target, modelName)
      ? parent !== undefined && (hasMembers || !hasOwner)
      : parent !== undefined && isSibling(root, target, parent),
  );
  const isOpen = parent === undefined && !hasOwner && !hasMembers;
  for (const { relation, target, isUnique } of fields) {
    if (relation === undefined || target === undefined) continue;
    if (isUser(target)) {
      requireChoosableUsers(relation, isUnique, { parent, hasMembers, canJoin });
      continue;
    }
    const isSelf = isSameModel(target, modelName);
    const isOffered =
      siblings.some((sibling) => isSameModel(sibling, target)) || (isSelf ? isOpen : isOpenToAll(root, target));
    if (isOffered) continue;
    throw errors.E_GENERATE_FIELD(
      relation,
      `a form offers entries that have neither a parent nor a policy, or that have the same parent (--in). Those of "${target.singular.snake}" have another one. Write this relation by hand.`,
    );
  }
  if (hasOwner || hasMembers) requireUsers(models);
  requireParentPolicy(root, { name: modelName, parent, hasMembers });
  const hasParentPages = parent !== undefined && existsSync(join(root, viewPath(parent)));
  return { name: modelName, fields, parent, hasOwner, hasMembers, canJoin, siblings, hasParentPages };
}

/** Returns true if everybody sees all entries of a model: it has neither a parent nor a policy. */
function isOpenToAll(root: string, { singular: { kebab } }: ModelName): boolean {
  const isNested = readProjectFile(root, `app/domain/${kebab}/${kebab}.ts`).includes("interface ListOptions");
  return !isNested && !hasPolicy(root, kebab);
}

/** Returns true if the entries of a model have this parent, and everybody who sees the parent sees them. */
function isSibling(root: string, { singular: { kebab } }: ModelName, parent: ModelName): boolean {
  const params = `readonly params: { readonly ${parent.singular.camel}: string };`;
  const policy = readProjectFile(root, `app/domain/${kebab}/policy.ts`);
  const isVisible = policy === "" || policy.includes("function maySeeList(");
  return isVisible && readProjectFile(root, `app/domain/${kebab}/${kebab}.ts`).includes(params);
}

/** Returns true if the policy of a model lists the users who see an entry: the model, or a parent of it, has members. */
const listsUsers = (root: string, { singular: { kebab } }: ModelName): boolean =>
  readProjectFile(root, `app/domain/${kebab}/policy.ts`).includes("function usersOf(");

/** Returns true if the members of a model have pages. */
const hasMembersPage = (root: string, { singular: { kebab } }: ModelName): boolean =>
  existsSync(join(root, `app/domain/${kebab}/members.ts`));

/** Checks that a form has users to offer. */
function requireChoosableUsers(
  relation: string,
  isUnique: boolean,
  { parent, hasMembers, canJoin }: Pick<Model, "parent" | "hasMembers" | "canJoin">,
): void {
  if (!hasMembers) return;
  if (parent !== undefined && !canJoin) {
    throw errors.E_GENERATE_FIELD(
      relation,
      `only the owner sees the ${parent.singular.words}, so there is nobody to choose.`,
    );
  }
  if (parent === undefined && isUnique) {
    throw errors.E_GENERATE_FIELD(
      relation,
      "a new entry offers only its creator, so a second one could not be added. Remove :unique.",
    );
  }
}

/** Path of the view of a model. */
export const viewPath = ({ singular }: ModelName): string => `web/view/${singular.kebab}.ts`;

const hasPolicy = (root: string, kebab: string): boolean => existsSync(join(root, `app/domain/${kebab}/policy.ts`));

/** Checks that the project has users. */
function requireUsers(models: ModelNames): void {
  if (models.find(userModel.singular.snake) !== undefined) return;
  throw errors.E_GENERATE_MISSING("export const user", "Owners and members are users: run gen.auth first.");
}

/** Checks that a model has members exactly if its parent has a policy, so that nobody sees the entries of a hidden parent. */
function requireParentPolicy(
  root: string,
  { name, parent, hasMembers }: Pick<Model, "name" | "parent" | "hasMembers">,
): void {
  if (parent === undefined || hasPolicy(root, parent.singular.kebab) === hasMembers) return;
  const problem = hasMembers
    ? "everybody sees its entries. Generate it with --members or --owner, or leave out --members here."
    : `only some users see its entries. Add --members, so that the same users see its ${name.plural.words}.`;
  throw errors.E_GENERATE_NAME("the parent", parent.singular.snake, problem);
}

const readProjectFile = (root: string, path: string): string =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";

function parseParent(name: string, model: ModelName, models: ModelNames): ModelName {
  const parent = nameProblem(name) === undefined && name !== "user" ? models.find(name) : undefined;
  if (parent !== undefined && name !== model.singular.snake) return parent;
  throw errors.E_GENERATE_NAME("a parent", name, "the project has no such model. Generate it first.");
}

/** Returns the models of a project. */
export function projectModels(root: string): ModelNames {
  const read = (path: string): string => readProjectFile(root, path);
  return {
    find: (name) => {
      if (nameProblem(name) !== undefined) return undefined;
      if (name === userModel.singular.snake)
        return /^export const user\b/m.test(read("service/service.ts")) ? userModel : undefined;
      const singular = toName(name);
      const [, table] = /= Table\.make\(\s*"(\w+)"/.exec(read(`app/domain/${singular.kebab}/repository.ts`)) ?? [];
      return table === undefined ? undefined : { singular, plural: toName(table) };
    },
  };
}

/** True if both names belong to the same model. */
export const isSameModel = (first: ModelName, second: ModelName): boolean =>
  first.singular.snake === second.singular.snake;

/** Returns the models that fields refer to, without duplicates and without the users of the framework. */
export function referencedModels(fields: readonly Field[]): readonly ModelName[] {
  const targets = fields.flatMap(({ target }) => (target === undefined || isUser(target) ? [] : target));
  return [...new Map(targets.map((target) => [target.singular.snake, target])).values()];
}

/** Returns the models whose code the code of a model imports: those that it refers to, and its parent. */
export function relatedModels({ name, fields, parent }: Model): readonly ModelName[] {
  const models = [...(parent === undefined ? [] : [parent]), ...referencedModels(fields)];
  return [...new Map(models.map((model) => [model.singular.snake, model])).values()]
    .filter((model) => !isSameModel(model, name))
    .toSorted((a, b) => (a.singular.kebab < b.singular.kebab ? -1 : 1));
}

/** True if a field refers to the users of the framework. */
export const refersToUsers = (fields: readonly Field[]): boolean => userFields(fields).length > 0;

/** Returns the fields whose choices are users. */
export const userFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ target }) => target !== undefined && isUser(target));

/** Returns the fields whose choices have the same parent as the model. */
export const siblingFields = ({ fields, siblings }: Pick<Model, "fields" | "siblings">): readonly Field[] =>
  fields.filter(({ target }) => target !== undefined && siblings.some((sibling) => isSameModel(sibling, target)));

/** True if some choices of a form are refused: users, and entries of another parent. */
export const hasLimitedChoices = (model: Model): boolean =>
  refersToUsers(model.fields) || siblingFields(model).length > 0;

/** Returns the fields that are columns of the table. */
export const columnFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ type }) => type !== "manyToMany");

/** Returns the relations to several rows. */
export const manyFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ type }) => type === "manyToMany");

/** Returns the fields that a search filters by: strings and texts. */
export const searchableFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ type }) => type === "string" || type === "text");

/** Returns the field that titles and links show: the first required string or text, else `id`. */
export function labelField(fields: readonly Field[]): string {
  const required = fields.filter(({ isOptional }) => !isOptional);
  const field = required.find(({ type }) => type === "string") ?? required.find(({ type }) => type === "text");
  return field?.name ?? "id";
}

/** Parameters of a list that filters cannot use. */
const listParameters = new Set("after asc before csrf desc fields filter include limit offset sort text".split(" "));

const filterTypes: ReadonlySet<FieldType> = new Set(["oneOf", "bool", "belongsTo", "manyToMany"]);

/** Returns the fields that a list filters by value, or by an entry of the relation. */
export const filterFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter((field) => filterTypes.has(field.type) && !listParameters.has(filterName(field)));

/** Returns the name of the filter by a field: the column, or the relation of a `many`. */
export const filterName = ({ name, relation, type }: Field): string =>
  type === "manyToMany" && relation !== undefined ? relation : name;

/** Maximum number of fields that a list shows. */
const maxColumns = 4;

/** Returns the fields that a list shows beside the label. */
export const listFields = (fields: readonly Field[]): readonly Field[] =>
  fields
    .filter(({ name, type }) => !["text", "json", "uuid"].includes(type) && name !== labelField(fields))
    .slice(0, maxColumns);

/** Returns the names of the columns that a list can be sorted by; the first is the default. */
export function sortNames(fields: readonly Field[]): readonly string[] {
  const label = fields.filter(({ name, type }) => name === labelField(fields) && type === "string");
  const shown = listFields(fields).filter(({ type }) => sortableTypes.has(type));
  return [
    "created_at",
    ...[...label, ...shown].map(({ name }) => name).filter((name) => name !== "asc" && name !== "desc"),
  ];
}

const sortableTypes: ReadonlySet<string> = new Set(["string", "int", "float", "decimal", "date", "datetime"]);

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
