import type { StubValues } from "../project/index.ts";
import { type Field, type FieldType, isUser } from "./field.ts";
import { type ModelName, toName } from "./name.ts";
import { withArticle } from "./print.ts";
import { type TextGroup, textGroup } from "./texts.ts";

/** A validated model, as the user describes it. */
export interface ModelDescription {
  readonly name: ModelName;
  readonly fields: readonly Field[];
  /** Model below which the resource is nested, with `--in`. */
  readonly parent?: ModelName | undefined;
  /** True if an entry belongs to the user who created it, with `--owner`. */
  readonly hasOwner?: boolean;
  /** True if members see the entries: those of the parent, or of each entry, with `--members`. */
  readonly hasMembers?: boolean;
  /** Model whose members see the entries of the parent: the parent, or a parent of it. */
  readonly parentTeam?: ModelName | undefined;
  /** Models that the fields refer to and whose entries have the same parent, such as labels of the project of an issue. */
  readonly siblings?: readonly ModelName[];
  /** True if the parent has pages, which the pages of the model link to. */
  readonly hasParentPages?: boolean;
  /** True if the project has a catalogue of texts. */
  readonly isTranslated?: boolean;
}

/** Facts about a model. They are conditions of stubs. */
export interface ModelFacts {
  readonly hasOwner: boolean;
  readonly hasMembers: boolean;
  readonly hasParentPages: boolean;
  readonly isNested: boolean;
  /** True if only some users see the entries. */
  readonly isGuarded: boolean;
  /** True if each entry has members of its own. */
  readonly isTeam: boolean;
  /** True if the members of the parent see the entries. */
  readonly isInTeam: boolean;
  /** True if users join the members who see an entry. */
  readonly canJoin: boolean;
  /** True if some users see an entry and may not change it. */
  readonly hasReaders: boolean;
  readonly hasUsers: boolean;
  /** True if fields refer to entries with the same parent. */
  readonly hasSiblings: boolean;
  /** True if fields refer to other entries or to users. */
  readonly hasRelations: boolean;
  /** True if fields refer to several entries. */
  readonly hasMany: boolean;
  /** True if pages are for users who are logged in: they show users, or only some users see them. */
  readonly requiresLogin: boolean;
  /** True if some choices of a form are refused: users, and entries of another parent. */
  readonly hasLimitedChoices: boolean;
  /** True if calls of a list or of an insertion need options: the parent, or the user who acts. */
  readonly hasContext: boolean;
  /** True if calls with an entry need such options. */
  readonly hasItemContext: boolean;
  /** True if the valid choices of a form depend on the options: on the parent, or on the user who acts. */
  readonly needsInputOptions: boolean;
  /** True if forms offer all users to administrators of the application. Labels of users hide their addresses from others. */
  readonly hasPublicUsers: boolean;
  /** True if the choices of a form depend on the parent. */
  readonly dependsOnParent: boolean;
  /** True if the view passes the context of the request to services for choices. */
  readonly needsContext: boolean;
}

/** A model with all that its files depend on. */
export interface Model extends ModelFacts {
  readonly name: ModelName;
  readonly fields: readonly Field[];
  readonly parent: ModelName | undefined;
  readonly siblings: readonly ModelName[];
  readonly texts: TextGroup;
  /** Texts of the pages of members. */
  readonly memberTexts: TextGroup;
  /** Values of stubs: the names of the model and of its parent, and the facts. */
  readonly values: StubValues;
}

/** Completes the description of a model. */
export function describeModel(description: ModelDescription): Model {
  const { name, fields, parent, hasOwner = false, hasMembers = false, parentTeam } = description;
  const { siblings = [], hasParentPages = false, isTranslated = false } = description;
  const isNested = parent !== undefined;
  const isGuarded = hasOwner || hasMembers;
  const hasUsers = userFields(fields).length > 0;
  const hasSiblings = siblingFields({ fields, siblings }).length > 0;
  const hasRelations = fields.some(({ target }) => target !== undefined);
  const requiresLogin = hasUsers || isGuarded;
  const facts: ModelFacts = {
    hasOwner,
    hasMembers,
    hasParentPages,
    isNested,
    isGuarded,
    isTeam: hasMembers && !isNested,
    isInTeam: hasMembers && isNested,
    canJoin: hasMembers && (parentTeam !== undefined || !isNested),
    hasReaders: hasMembers && (hasOwner || !isNested),
    hasUsers,
    hasSiblings,
    hasRelations,
    hasMany: manyFields(fields).length > 0,
    requiresLogin,
    hasLimitedChoices: hasUsers || hasSiblings,
    hasContext: isNested || requiresLogin,
    hasItemContext: requiresLogin || hasSiblings,
    needsInputOptions: hasSiblings || (hasMembers && hasUsers),
    hasPublicUsers: hasUsers && !hasMembers,
    dependsOnParent: hasSiblings || (hasMembers && isNested && hasUsers),
    needsContext: requiresLogin && hasRelations,
  };
  const { camel, words } = name.singular;
  const AWords = withArticle(words).replace(/^a/, "A");
  const ownWords = { words, AWords, many: name.plural.words, parent: parent?.singular.words ?? "" };
  const texts = textGroup("resource", camel, isTranslated, ownWords);
  const memberTexts = textGroup("member", `${camel}Member`, isTranslated, ownWords);
  addResourceTexts(texts, { name, fields, isTeam: facts.isTeam });
  return {
    ...facts,
    name,
    fields,
    parent,
    siblings,
    texts,
    memberTexts,
    values: { ...facts, ...texts.values, ...nameValues(name, parent, parentTeam), ...testValues(facts, name, parent) },
  };
}

/** Adds the words for entries, and the labels of fields, choices and links. */
function addResourceTexts(
  texts: TextGroup,
  { name: { singular, plural }, fields, isTeam }: Pick<Model, "name" | "fields" | "isTeam">,
): void {
  texts.add("one", singular.words);
  texts.add("many", plural.words);
  texts.add("title", plural.title);
  if (labelField(fields) === "id") texts.add("fields.id", singular.title);
  for (const field of fields)
    for (const key of [field.name, filterName(field)]) texts.add(`fields.${key}`, shownLabel(field));
  for (const { name, choices } of fields)
    for (const choice of choices) texts.add(`choices.${name}.${choice}`, toName(choice.replaceAll("-", "_")).title);
  texts.add("links.", "");
  if (isTeam) texts.add("links.members", "Members", "Mitglieder", "Membres");
}

/** Returns the label of a field on pages. Forms have times in UTC. */
const shownLabel = ({ label, type }: Field): string => (type === "datetime" ? `${label} (UTC)` : label);

/** Returns the labels that the names of fields do not say. */
export const specialLabels = ({ name, fields }: Model): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...(labelField(fields) === "id" ? [["id", name.singular.title]] : []),
    ...fields
      .filter(({ name: field, type, target }) => type === "datetime" || target !== undefined || /_ids?$/.test(field))
      .map((field) => [field.name, shownLabel(field)]),
  ]);

/** Returns the statements and the arguments of tests. */
function testValues(facts: ModelFacts, { singular, plural }: ModelName, parent: ModelName | undefined): StubValues {
  const { hasContext, hasItemContext, isNested, needsInputOptions, requiresLogin } = facts;
  const context = `const context = await ${singular.pascal}Factory.context();`;
  const listContext = (prefix: string): string => {
    const path = `${prefix}/${parent?.plural.kebab}/\${context.params.${parent?.singular.camel}}/${plural.kebab}`;
    return [...(hasContext ? [context] : []), ...(isNested ? [`const path = \`${path}\`;`] : [])].join("\n");
  };
  return {
    context: hasContext ? context : "",
    itemContext: hasItemContext ? context : "",
    listContext: listContext(""),
    apiListContext: listContext("/api"),
    inputContext: needsInputOptions ? "context" : "",
    make: hasContext ? "{}, context" : "",
    options: hasContext ? ", context" : "",
    itemMake: hasItemContext ? "{}, context" : "",
    itemOptions: hasItemContext ? ", context" : "",
    itemPath: isNested ? "itemPath" : "path",
    newVisitor: requiresLogin ? "await loggedIn(context)" : "visitor(app)",
  };
}

function nameValues({ singular, plural }: ModelName, parent?: ModelName, parentTeam?: ModelName): StubValues {
  return {
    Model: singular.pascal,
    model: singular.camel,
    models: plural.camel,
    file: singular.kebab,
    path: plural.kebab,
    table: plural.snake,
    snake: singular.snake,
    column: `${singular.snake}_id`,
    words: singular.words,
    aWords: withArticle(singular.words),
    manyWords: plural.words,
    Parent: parent?.singular.pascal ?? "",
    parent: parent?.singular.camel ?? "",
    team: (parentTeam?.singular ?? singular).camel,
    teamFile: (parentTeam?.singular ?? singular).kebab,
    parentSnake: parent?.singular.snake ?? "",
    parentFile: parent?.singular.kebab ?? "",
    parentPath: parent?.plural.kebab ?? "",
    parentColumn: `${parent?.singular.snake}_id`,
    parentWords: parent?.singular.words ?? "",
    aParentWords: withArticle(parent?.singular.words ?? ""),
  };
}

/** True if both names belong to the same model. */
export const isSameModel = (first: ModelName, second: ModelName): boolean =>
  first.singular.snake === second.singular.snake;

/** Returns models without duplicates, in the order of their files. */
export const sortModels = (models: readonly ModelName[]): readonly ModelName[] =>
  uniqueModels(models).toSorted((a, b) => (a.singular.kebab < b.singular.kebab ? -1 : 1));

const uniqueModels = (models: readonly ModelName[]): readonly ModelName[] => [
  ...new Map(models.map((model) => [model.singular.snake, model])).values(),
];

/** Returns the models that fields refer to, without duplicates and without the users of the framework. */
export const referencedModels = (fields: readonly Field[]): readonly ModelName[] =>
  uniqueModels(fields.flatMap(({ target }) => (target === undefined || isUser(target) ? [] : target)));

/** Returns the models whose code the code of a model imports: those that it refers to, and its parent. */
export const relatedModels = ({
  name,
  fields,
  parent,
}: Pick<Model, "name" | "fields" | "parent">): readonly ModelName[] =>
  sortModels([...(parent === undefined ? [] : [parent]), ...referencedModels(fields)]).filter(
    (model) => !isSameModel(model, name),
  );

/** Returns the fields whose choices are users. */
export const userFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ target }) => target !== undefined && isUser(target));

/** Returns the fields whose choices have the same parent as the model. */
export const siblingFields = ({ fields, siblings }: Pick<Model, "fields" | "siblings">): readonly Field[] =>
  fields.filter(({ target }) => target !== undefined && siblings.some((sibling) => isSameModel(sibling, target)));

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

const sortableTypes: ReadonlySet<FieldType> = new Set(["string", "int", "float", "decimal", "date", "datetime"]);

/** Returns the names of the columns that a list can be sorted by; the first is the default. */
export function sortNames(fields: readonly Field[]): readonly string[] {
  const label = fields.filter(({ name, type }) => name === labelField(fields) && type === "string");
  const shown = listFields(fields).filter(({ type }) => sortableTypes.has(type));
  const names = [...label, ...shown].map(({ name }) => name);
  return ["created_at", ...names.filter((name) => name !== "asc" && name !== "desc")];
}
