import { Schema } from "../../schema/index.ts";
import {
  type DescribedSchema,
  type Method,
  parametersOf,
  type ResponseDescriptions,
  type RouteDescription,
} from "../../http/router/index.ts";
import { problem } from "../openapi/description.ts";
import { LanguageInternals } from "../../language/index.ts";
import type { Action, Identified } from "./contract.ts";
import type { JsonOptions } from "./json-controller.ts";
import { acceptsNull, unionOf } from "./json-schema.ts";
import { sentence } from "./messages.ts";
import type { OperationsDefinition } from "./operations.ts";
import { selectableFields } from "./presenter.ts";
import { countSchema, namesSchema, querySchema } from "../query/query-description.ts";

/** Returns the OpenAPI description of an action and method of `jsonOfService`. */
export type DescribeAction = (action: Action, method: Method) => RouteDescription | undefined;

/** Options of `describeJson`. */
export interface JsonDescriptionOptions<T, Input>
  extends JsonOptions<T>, Pick<OperationsDefinition<T>, "parent" | "isSingular"> {
  readonly name: string;
  readonly schema: Schema.RecordSchema<Input>;
  readonly jsonSchema?: DescribedSchema;
}

const bodyProblems = {
  400: problem("The body is not valid JSON, the query is not valid, or `If-Match` is malformed"),
  413: problem("The body is too large"),
  415: problem("The body is not JSON"),
};
// `If-Match` without versions cannot be met, so that it is never ignored (RFC 9110 §13.1.1).
const conditionProblem = { 412: problem("`If-Match` or `If-None-Match` is not met") };
const invalidProblem = { 422: problem("A field is not valid, or the service refused: `errors` has messages by field") };
const refusedProblem = { 403: problem("The policy does not allow it to the user") };
const notFoundProblem = { 404: problem("There is no such item") };
const listProblem = { 404: problem("There is no such parent, or nobody who could own items") };
const contentLocation = { "content-location": "The URL path of the item, with the selected `fields`" };

/** Describes the routes of a JSON resource, as `jsonControllerOfService` answers them. */
export function describeJson<T extends Identified, Input>(options: JsonDescriptionOptions<T, Input>): DescribeAction {
  const actions = describeActions(options);
  return (action, method) => actions[action]?.(method);
}

function describeActions<T extends Identified, Input>(
  options: JsonDescriptionOptions<T, Input>,
): Readonly<Partial<Record<Action, (method: Method) => RouteDescription>>> {
  const { name, schema, isId } = options;
  // The document is made once, for all visitors: in the base language.
  const label = LanguageInternals.runInLocale(undefined, () => sentence((one) => one, name, options.texts));
  const selection = selectionSchemas(options);
  const item = options.jsonSchema ?? (options.json === undefined ? itemSchema(label, options, selection) : {});
  const { readable = {}, writable = {} } = options.policy ?? {};
  const changeProblems = options.policy === undefined ? notFoundProblem : { ...refusedProblem, ...notFoundProblem };
  const inputSchema = schema.jsonSchema.input.schema;
  const isSent = (field: unknown): boolean =>
    ![readable, writable].some((rules) => Object.hasOwn(rules, String(field)));
  const { required } = inputSchema;
  const needed = Array.isArray(required) ? { required: required.filter(isSent) } : {};
  const creation = { ...inputSchema, ...needed, title: `${label} input` };
  const hasVersions = options.versions === true || options.versions === "optional";
  const etag = hasVersions ? { etag: "The version of the item, a hyphen and a hash" } : {};
  const listProblems = options.parent !== undefined ? listProblem : {};
  const itemParams = { params: { properties: { ...parentSchemas(options), id: idSchema(isId === undefined) } } };
  const listParams = options.parent === undefined && options.isSingular !== true ? {} : itemParams;
  // The response to a change has no relations.
  const changeQuery = queryOf("fields" in selection ? { fields: selection["fields"] } : {});
  const describeOperation = (summary: string, id: string, responses: ResponseDescriptions): RouteDescription => ({
    id: `${name.replaceAll("/", ".")}.${id}`,
    summary,
    tags: [name],
    responses,
    ...listParams,
  });

  return {
    index: () => {
      const listLabel = name.split("/").at(-1)?.replaceAll(/[-_.]/g, " ");
      const query = querySchema(options);
      return {
        ...describeOperation(`List ${listLabel}`, "index", {
          200: pageSchema(item),
          400: problem("The query is not valid"),
          ...listProblems,
        }),
        query: { ...query, properties: { ...(query["properties"] as object), ...selection } },
      };
    },
    create: () => {
      const created = { body: item, headers: { location: "The URL path of the item", ...contentLocation, ...etag } };
      return {
        ...describeOperation(`Create ${label}`, "create", {
          201: created,
          ...bodyProblems,
          ...listProblems,
          ...conditionProblem,
          ...invalidProblem,
        }),
        ...changeQuery,
        body: creation,
      };
    },
    show: () => ({
      ...describeOperation(`Show ${label}`, "show", {
        200: hasVersions ? { body: item, headers: etag } : item,
        ...(hasVersions ? { 304: "The client has this version" } : {}),
        400: problem("The query is not valid, or `If-Match` is malformed"),
        ...notFoundProblem,
        ...conditionProblem,
      }),
      ...queryOf(selection),
      ...itemParams,
      ...(hasVersions ? { headers: { "if-none-match": "Entity tags of the versions that the client has" } } : {}),
    }),
    update: (method) => {
      const responses = {
        200: { body: item, headers: { ...contentLocation, ...etag } },
        ...bodyProblems,
        ...changeProblems,
        ...invalidProblem,
        ...conditionProblem,
        ...versionProblems(options),
      };
      const changes = { ...withVersion(partialSchema(schema), options), title: `${label} changes` };
      const operation =
        method === "PATCH"
          ? { ...describeOperation(`Change ${label}`, "change", responses), body: changes }
          : { ...describeOperation(`Replace ${label}`, "update", responses), body: withVersion(creation, options) };
      return { ...operation, ...versionHeaders(options), ...changeQuery, ...itemParams };
    },
    destroy: () => ({
      ...describeOperation(`Delete ${label}`, "destroy", {
        204: "The item is deleted",
        400: problem(`${hasVersions ? "The body is not valid JSON, or " : ""}\`If-Match\` is malformed`),
        ...changeProblems,
        ...conditionProblem,
        ...(hasVersions ? { 413: bodyProblems[413] } : {}),
        415: bodyProblems[415],
        ...versionProblems(options),
        409: problem(hasVersions ? "The service refused, or `version` is another one" : "The service refused"),
      }),
      ...versionHeaders(options),
      ...itemParams,
    }),
  };
}

type DescribedVersions = Pick<JsonDescriptionOptions<never, never>, "versions">;

function versionProblems({ versions }: DescribedVersions): ResponseDescriptions {
  if (versions === undefined || versions === false) return {};
  return {
    409: problem("`version` in the body is not that of the item"),
    412: problem("`If-Match` lists no tag of the item's version"),
    ...(versions === true ? { 428: problem("The request has neither `If-Match` nor `version` in the body") } : {}),
  };
}

function versionHeaders({ versions }: DescribedVersions): Pick<RouteDescription, "headers"> {
  if (versions === undefined || versions === false) return {};
  return {
    headers: {
      "if-match": "Entity tag of the item, or its version in quotes. The alternative is `version` in the body",
    },
  };
}

const queryOf = (properties: Schema.JsonSchema): Pick<RouteDescription, "query"> =>
  Object.keys(properties).length === 0 ? {} : { query: { type: "object", properties } };

function selectionSchemas<T, Input>(options: JsonDescriptionOptions<T, Input>): Schema.JsonSchema {
  const include = Object.keys(options.include ?? {});
  const fields =
    options.fields === undefined && include.length === 0 ? [] : (selectableFields(options.schema, options) ?? []);
  return {
    ...(fields.length === 0 ? {} : { fields: namesSchema("Properties of an item", fields) }),
    ...(include.length === 0 ? {} : { include: namesSchema("Relations of an item", include) }),
  };
}

/** Returns the schemas of the parameters of the parents. One with a type is described by the router. */
function parentSchemas<T, Input>({ parent }: JsonDescriptionOptions<T, Input>): Schema.JsonSchema {
  const untyped = parametersOf(parent?.path ?? "").filter(({ type }) => type === undefined);
  return Object.fromEntries(untyped.map(({ name }) => [name, idSchema(parent?.isId === undefined)]));
}

function withVersion(schema: Schema.JsonSchema, { versions }: DescribedVersions): Schema.JsonSchema {
  if (versions === undefined || versions === false) return schema;
  const description = "Version of the item that is changed, instead of `If-Match`";
  return { ...schema, properties: { ...(schema["properties"] as object), version: { ...versionSchema, description } } };
}

const versionSchema = { type: "integer", minimum: 0 };

const idSchema = (isUuid: boolean): Schema.JsonSchema => ({ type: "string", ...(isUuid ? { format: "uuid" } : {}) });

/**
 * Returns the schema of a PATCH body. A schema without properties of its own, such as a union, is described as any object.
 * Null removes an optional property of another library's schema.
 */
function partialSchema<Input>(schema: Schema.RecordSchema<Input>): Schema.JsonSchema {
  const root = schema.jsonSchema.input.schema;
  if (root["properties"] === undefined) return { type: "object" };
  const { $schema: _, ...partial } = Schema.partial(schema)["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  if (!("isAdapted" in schema)) return partial;
  const isFixed = (name: string, property: unknown): boolean =>
    (Array.isArray(root["required"]) && root["required"].includes(name)) || acceptsNull(property, root);
  const properties = Object.entries(partial["properties"] as Readonly<Record<string, Schema.JsonSchema>>).map(
    ([name, property]) => [name, isFixed(name, property) ? property : unionOf([property, { type: "null" }])],
  );
  return { ...partial, properties: Object.fromEntries(properties) };
}

function itemSchema<T, Input>(
  label: string,
  options: JsonDescriptionOptions<T, Input>,
  selection: Schema.JsonSchema,
): Schema.JsonSchema {
  const { schema, isId, versions = false } = options;
  const publicFields = schema.fields.flatMap((name) => {
    const field = schema.field(name);
    return field === undefined || field.isSensitive ? [] : [[name, field.jsonSchema.output] as const];
  });
  const dateTime = { type: "string", format: "date-time" };
  return {
    title: label,
    type: "object",
    properties: {
      id: idSchema(isId === undefined),
      ...Object.fromEntries(publicFields.map(([name, part]) => [name, part.schema])),
      ...(versions === false ? {} : { version: versionSchema }),
      created_at: dateTime,
      updated_at: dateTime,
    },
    // Definitions that the properties of another library's schema refer to.
    $defs: schema.jsonSchema.output.schema["$defs"],
    // A request selects properties with `fields`.
    required: [
      "id",
      ...("fields" in selection
        ? []
        : publicFields.filter(([, { isRequired }]) => isRequired).map(([name]) => name)
      ).filter((name) => !Object.hasOwn(options.policy?.readable ?? {}, name)),
    ],
  };
}

const cursorSchema = { type: ["string", "null"] };

const pageSchema = (item: unknown): Schema.JsonSchema => ({
  type: "object",
  properties: {
    data: { type: "array", items: item },
    total: { ...countSchema, description: "Number of items on all pages; absent in a list that does not count them" },
    limit: { ...countSchema, description: "Number of items on a page" },
    offset: {
      ...countSchema,
      description: "Number of items before the page; absent on a page at a cursor in a list without a total",
    },
    next: {
      ...cursorSchema,
      description: "Cursor of the next page, for `after`. `null` on the last page, absent in a list without cursors",
    },
    previous: { ...cursorSchema, description: "Cursor of the previous page, for `before`. `null` on the first page" },
  },
  required: ["data", "limit"],
});
