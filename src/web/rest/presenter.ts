import type { Schema } from "../../schema/index.ts";
import { errors } from "../errors.ts";
import { isObject, ownValue } from "../names.ts";
import type { Request } from "../../http/message/index.ts";
import type { AdaptedSchema } from "./standard-schema.ts";
import { withoutRefusedNulls } from "./json-schema.ts";

/** Representation of a relation in JSON: a record schema, whose sensitive fields are left out, or a function. */
export type RelationPresenter<Related> = SchemaFields | ((related: Related) => unknown);

/** Fields of a schema. */
export type SchemaFields = Pick<Schema.RecordSchema<unknown>, "fields" | "field">;

/** One related item: that of a list, or the value itself. */
export type RelatedItem<Value> = NonNullable<Value> extends readonly (infer Item)[] ? Item : NonNullable<Value>;

/** Options of the JSON form of items. */
export interface PresenterOptions<T> {
  /**
   * Converts an item for the response. Default: `id`, the fields of the schema without the sensitive ones, `version`,
   * `created_at` and `updated_at`.
   */
  readonly json?: (item: T) => unknown;
  /**
   * Relations that clients may request with `include=labels,assignee`. The service receives the requested names in
   * `include` of its options and returns items with these properties. Default: none.
   */
  readonly include?: { readonly [Name in keyof T & string]?: RelationPresenter<RelatedItem<T[Name]>> };
  /**
   * Properties that clients may select with `fields=title,state`; `id` is always there. Default: those of the default
   * JSON form, and none with the option `json`.
   */
  readonly fields?: readonly string[];
}

/** Selection of a request: properties and relations. */
export interface Selection {
  /** Selected properties; `undefined` for all. */
  readonly fields: ReadonlySet<string> | undefined;
  readonly include: readonly string[];
}

/** Converts items for responses. */
export interface Presenter<T> {
  /** Parses `fields` and `include` of the query. @throws E_QUERY_INVALID (400) */
  readonly select: (request: Request) => Selection;
  /** Parses `fields` for a change, whose response has no relations. @throws E_QUERY_INVALID (400), also for `include` */
  readonly selectFields: (request: Request) => Selection;
  readonly present: (item: T, selection?: Selection) => unknown;
}

/** Properties that clients may select, `undefined` if they may select none. */
export function selectableFields<T>(
  schema: SchemaFields,
  { json, fields }: PresenterOptions<T>,
): readonly string[] | undefined {
  if (fields !== undefined) return fields.filter((name) => schema.field(name)?.isSensitive !== true);
  return json === undefined ? [...defaultNames(schema)] : undefined;
}

/** Creates the presenter of a resource. `hasVersion` returns true for an item whose `version` is shown. */
export function itemPresenter<T extends object>(
  schema: SchemaFields,
  options: PresenterOptions<T>,
  hasVersion: (item: T) => boolean,
): Presenter<T> {
  const relations = new Map(
    Object.entries<RelationPresenter<never> | undefined>(options.include ?? {}).map(
      ([name, relation]) => [name, relation && relationPresenter(relation)] as const,
    ),
  );
  const names = new Set([...defaultNames(schema)].filter((name) => name !== "version" || schema.fields.includes(name)));
  const allowedFields = selectableFields(schema, options);
  const { isAdapted, jsonSchema } = schema as Partial<AdaptedSchema<T>>;
  // The JSON form is as the schema of another library describes it.
  const outputSchema = isAdapted === true ? jsonSchema?.output.schema : undefined;

  const presentItem = (item: T): unknown => {
    if (options.json !== undefined) return options.json(item);
    const isShown = (name: string): boolean => names.has(name) || (name === "version" && hasVersion(item));
    const shown = Object.fromEntries(Object.entries(item).filter(([name]) => isShown(name)));
    return outputSchema === undefined ? shown : withoutRefusedNulls(shown, outputSchema);
  };

  const select = (request: Request, allowedRelations: readonly string[]): Selection => {
    const fields = listOf(request, "fields", allowedFields);
    return {
      fields: fields === undefined ? undefined : new Set(["id", ...fields]),
      include: listOf(request, "include", allowedRelations) ?? [],
    };
  };

  return {
    select: (request) => select(request, [...relations.keys()]),
    selectFields: (request) => select(request, []),
    present: (item, { fields, include } = everything) => {
      const presented = presentItem(item);
      if ((fields === undefined && include.length === 0) || !isObject(presented)) return presented;
      const selected = Object.entries(presented).filter(([name]) => fields?.has(name) ?? true);
      const values = item as Readonly<Record<string, unknown>>;
      const related = include.map((name) => [name, presentRelation(relations.get(name), ownValue(values, name))]);
      return Object.fromEntries([...selected, ...related]);
    },
  };
}

const everything: Selection = { fields: undefined, include: [] };

function defaultNames({ fields, field }: SchemaFields): ReadonlySet<string> {
  const publicFields = fields.filter((name) => field(name)?.isSensitive !== true);
  const standardFields = ["version", "created_at", "updated_at"].filter((name) => !fields.includes(name));
  return new Set(["id", ...publicFields, ...standardFields]);
}

/** Parses a list of names from the query. Returns `undefined` if the parameter is absent or empty. */
function listOf(request: Request, key: string, allowed: readonly string[] | undefined): readonly string[] | undefined {
  const [text, ...others] = request.query.getAll(key);
  if (others.length > 0) throw errors.E_QUERY_INVALID(key, ({ schema }) => schema.query.once[1]);
  if (text === undefined || text === "") return undefined;
  if (allowed === undefined || allowed.length === 0)
    throw errors.E_QUERY_INVALID(key, ({ schema }) => schema.query.unsupported);
  const requested = [...new Set(text.split(","))];
  if (!requested.every((name) => allowed.includes(name))) {
    throw errors.E_QUERY_INVALID(key, ({ schema }) => schema.query.names(allowed));
  }
  return requested;
}

type PresentRelated = (related: never) => unknown;

function relationPresenter(relation: RelationPresenter<never>): PresentRelated {
  return typeof relation === "function" ? relation : itemPresenter<object>(relation, {}, () => false).present;
}

function presentRelation(present: PresentRelated | undefined, value: unknown): unknown {
  if (value === undefined || value === null || present === undefined) return null;
  return Array.isArray(value) ? value.map((related) => present(related as never)) : present(value as never);
}
