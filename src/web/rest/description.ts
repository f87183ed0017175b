import { Schema } from "../../schema/index.ts";
import type { DescribedSchema, Method, ResponseDescriptions, RouteDescription } from "../../http/router/index.ts";
import { problem } from "../openapi/problem.ts";
import { withDefaults } from "./query.ts";
import { defaultMaxLimit, longestCursor, longestFilter } from "./query-limits.ts";
import type { Action, Identified } from "./contract.ts";
import type { JsonOptions } from "./json-controller.ts";
import { messagesOf } from "./messages.ts";

/** What `jsonOfService` answers to an action and a method, for OpenAPI documents. */
export type Describe = (action: Action, method: Method) => RouteDescription | undefined;

/** What is described: a resource, and how it is shown. */
export interface Described<T, Input> extends JsonOptions<T> {
  readonly name: string;
  readonly schema: Schema.RecordSchema<Input>;
  readonly jsonSchema?: DescribedSchema;
}

/** The descriptions of a resource for programs. They say what `jsonControllerOfService` does. */
export function describeJson<T extends Identified, Input>(options: Described<T, Input>): Describe {
  const { name, schema, isId, maxLimit = defaultMaxLimit } = options;
  const { label } = messagesOf(name, options.messages);
  const item = options.jsonSchema ?? (options.json === undefined ? itemOf(label, schema, isId === undefined) : {});
  const input = { ...schema.jsonSchema.input.schema, title: `${label} input` };
  const { $schema: _, ...part } = Schema.partial(schema)["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  const changes = { ...part, title: `${label} changes` };
  const params = { properties: { id: idOf(isId === undefined) } };

  const unread = {
    400: problem("The body is not valid JSON"),
    413: problem("The body is too large"),
    415: problem("The body is no JSON"),
  };
  const refused = { 422: problem("A field is not valid, or the service refused: `errors` has messages by field") };
  const missing = { 404: problem("There is no such item") };
  const list = name.split("/").at(-1)?.replaceAll(/[-_.]/g, " ");
  const about = (summary: string, id: string, answers: ResponseDescriptions): RouteDescription => ({
    id: `${name.replaceAll("/", ".")}.${id}`,
    summary,
    tags: [name],
    responses: answers,
  });

  return (action, method) => {
    switch (action) {
      case "index":
        return {
          ...about(`List ${list}`, "index", { 200: pageOf(item), 400: problem("The query is not right") }),
          query: queryOf(maxLimit),
        };
      case "create": {
        const created = { body: item, headers: { location: "The address of the item" } };
        return { ...about(`Create ${label}`, "create", { 201: created, ...unread, ...refused }), body: input };
      }
      case "show":
        return { ...about(`Show ${label}`, "show", { 200: item, ...missing }), params };
      case "update": {
        const answers = { 200: item, ...unread, ...missing, ...refused };
        return method === "PATCH"
          ? { ...about(`Change ${label}`, "change", answers), params, body: changes }
          : { ...about(`Replace ${label}`, "update", answers), params, body: input };
      }
      case "destroy":
        return {
          ...about(`Delete ${label}`, "destroy", {
            204: "It is deleted",
            ...missing,
            409: problem("The service refused"),
          }),
          params,
        };
      default:
        return undefined;
    }
  };
}

const idOf = (isUuid: boolean): Schema.JsonSchema => ({ type: "string", ...(isUuid ? { format: "uuid" } : {}) });

/** What is sent of an item, unless the resource says something else. */
function itemOf<Input>(label: string, schema: Schema.RecordSchema<Input>, isUuid: boolean): Schema.JsonSchema {
  const open = schema.fields.flatMap((name) => {
    const field = schema.field(name);
    return field === undefined || field.isSensitive ? [] : [[name, field.jsonSchema.output] as const];
  });
  const moment = { type: "string", format: "date-time" };
  return {
    title: label,
    type: "object",
    properties: {
      id: idOf(isUuid),
      ...Object.fromEntries(open.map(([name, part]) => [name, part.schema])),
      created_at: moment,
      updated_at: moment,
    },
    required: ["id", ...open.filter(([, { isRequired }]) => isRequired).map(([name]) => name)],
  };
}

const count = { type: "integer", minimum: 0 };
const cursor = { type: ["string", "null"] };

const pageOf = (item: unknown): Schema.JsonSchema => ({
  type: "object",
  properties: {
    data: { type: "array", items: item },
    total: { ...count, description: "How many items there are on all pages" },
    limit: { ...count, description: "How many items a page holds" },
    offset: { ...count, description: "How many items come before the page" },
    next: {
      ...cursor,
      description: "For `after`: the page behind. `null` on the last one, absent in a list without cursors",
    },
    previous: { ...cursor, description: "For `before`: the page before. `null` on the first one" },
  },
  required: ["data", "total", "limit", "offset"],
});

const { limit, offset, sort } = withDefaults({});
const queryOf = (maxLimit: number): Schema.JsonSchema => ({
  type: "object",
  properties: {
    filter: { type: "string", maxLength: longestFilter, description: "What the items must contain" },
    limit: {
      type: "integer",
      minimum: 1,
      default: Math.min(limit, maxLimit),
      description: `How many items a page holds: ${maxLimit}, if more are asked for`,
    },
    offset: { ...count, default: offset, description: "How many items come before the page" },
    sort: { type: "string", enum: ["asc", "desc"], default: sort },
    after: { type: "string", maxLength: longestCursor, description: "`next` of the page before, instead of `offset`" },
    before: {
      type: "string",
      maxLength: longestCursor,
      description: "`previous` of the page behind, instead of `offset`",
    },
  },
});
