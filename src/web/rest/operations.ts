import { isError, type Result } from "../../core/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { Form, Schema } from "../../schema/index.ts";
import { errors } from "../errors.ts";
import { parsePageQuery, parseQuery } from "../query/parse-query.ts";
import * as Query from "../query/query.ts";
import { parameterCheck } from "../query/query-filters.ts";
import { httpErrors, isForm, type Request } from "../../http/message/index.ts";
import { type AccessDefinition, type AccessOptions, resourceAccess } from "./access.ts";
import type {
  Identified,
  ItemRequest,
  MaybePromise,
  OptionArguments,
  Refusal,
  ResourceService,
  ServiceOptions,
  Stale,
} from "./contract.ts";
import {
  type Input,
  type InputSchema,
  readInput,
  receiveBody,
  readPartialInput,
  readReplacement,
  readVersion,
} from "./input.ts";
import { readRestrictedInput } from "./restricted-input.ts";
import { checkPreconditions, isSafe, itemVersions, type Versions } from "./version.ts";

/** Options for reading requests of a resource, for JSON and pages alike. */
export interface RequestOptions<T> extends AccessOptions<T>, Query.QueryRules {
  /** Returns true for a valid identifier; others get 404 without a call of the service. Default: a UUID, converted to lower case. */
  readonly isId?: (id: string) => boolean;
  /** Use of the `version` of items. Default: items whose `version` is a number have versions. */
  readonly versions?: Versions;
}

/** Definition of the operations of a resource. */
export interface OperationsDefinition<T> extends RequestOptions<T>, AccessDefinition<T> {
  /** True for a resource with one item, whose requests have no identifier. Default false. */
  readonly isSingular?: boolean;
}

/** Rejected input: the form with errors, and an optional message. */
export interface Rejection {
  readonly ok: false;
  readonly isStale: false;
  readonly form: Form;
  readonly message: string | undefined;
}

/** Change of an item that has another version by now. The form holds the sent input, and `value` is set if it is valid. */
export interface StaleInput<Value> {
  readonly ok: false;
  readonly isStale: true;
  readonly form: Form;
  readonly value: Value | undefined;
}

/** Outcome of a creation. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | Rejection;

/** Outcome of a change. */
export type ChangeOutcome<T, Value> = Outcome<T> | StaleInput<Value>;

/** Outcome of a deletion. */
export type DeletionOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly isStale: true }
  | { readonly ok: false; readonly isStale: false; readonly refusal: Refusal };

/** Page of a list, with its query. */
export interface ItemPage<T, Total = number | undefined> {
  readonly query: Query.Query;
  readonly items: readonly T[];
  /** Number of items on all pages; `undefined` if the service does not count them. */
  readonly total: Total;
  readonly cursors: Query.Cursors | undefined;
}

/** Item with the options for further calls of the service. */
export interface FoundItem<T> {
  readonly item: T;
  readonly options: ServiceOptions;
  /** Version of the item, `undefined` if its items have none. */
  readonly version: number | undefined;
}

/** Operations on the items of a service, as requests call for them. */
export interface ResourceOperations<T, Value, Total = number | undefined> {
  /** @throws E_QUERY_INVALID */
  readonly query: (request: Request) => Query.Query;
  /** Refuses unknown parameters of a list with filters. @throws E_QUERY_INVALID */
  readonly checkParameters: (request: Request) => void;
  /** @throws E_QUERY_INVALID, also for a cursor if the service does not support cursors; E_NOT_FOUND */
  readonly list: (request: Request, include?: readonly string[]) => Promise<ItemPage<T, Total>>;
  /** Lists for a page: no items if a filter is invalid. @throws as `list`, for other parameters than filters */
  readonly page: (request: Request) => Promise<ItemPage<T, Total>>;
  /** Prepares the form of a new item. @throws E_NOT_FOUND if its parent is missing */
  readonly checkNew: (request: Request) => Promise<void>;
  /** @throws E_NOT_FOUND */
  readonly item: (request: ItemRequest, include?: readonly string[]) => Promise<FoundItem<T>>;
  /** Prepares the form of an item. @throws errors with the status 403 and 404 if the policy does not allow it */
  readonly checkEdit: (request: Request, item: T) => Promise<void>;
  /** Returns an item without the fields that the user may not read. */
  readonly redact: (request: Request, item: T) => Promise<T>;
  /** @throws E_NOT_FOUND, E_PRECONDITION_FAILED */
  readonly create: (request: Request, schema: InputSchema<Value>) => Promise<Outcome<T>>;
  /**
   * Replaces the fields of an item; with PATCH only the sent ones. Without a sent one, the item keeps its version.
   *
   * @throws E_PRECONDITION_FAILED, E_PRECONDITION_REQUIRED
   */
  readonly update: (
    request: Request,
    schema: InputSchema<Value>,
    found: FoundItem<T>,
  ) => Promise<ChangeOutcome<T, Value>>;
  /** Deletes an item. @throws E_PRECONDITION_FAILED, E_PRECONDITION_REQUIRED */
  readonly destroy: (request: Request, found: FoundItem<T>) => Promise<DeletionOutcome>;
  /** Returns the version of an item, `undefined` if its items have none. @throws E_VERSION_INVALID */
  readonly versionOf: (item: T) => number | undefined;
}

/** Creates the operations of a service. */
export function resourceOperations<T extends Identified, Value, Total extends number | undefined>(
  service: ResourceService<T, Value, OptionArguments, OptionArguments, Total>,
  definition: OperationsDefinition<T>,
  recordSchema: Pick<Schema.RecordSchema<Value>, "fields" | "fill">,
): ResourceOperations<T, Value, Total> {
  const { name = "", isId, isSingular = false } = definition;
  const access = resourceAccess(definition);
  const versions = itemVersions(name, recordSchema.fields, definition.versions);

  /** Compares the version that a change names, in `If-Match` or in the body, with that of the item. */
  const compareVersion = async (
    request: Request,
    { item, version }: FoundItem<T>,
    isRequired: boolean,
  ): Promise<"current" | "stale" | "invalid"> => {
    const hasIfMatch = checkPreconditions(request, version, item);
    if (version === undefined) return "current";
    const sentVersion = await readVersion(request);
    if (sentVersion === undefined && !hasIfMatch && isRequired && versions.areRequired) {
      throw errors.E_PRECONDITION_REQUIRED();
    }
    if (sentVersion === "invalid") return isForm(request.header("content-type")) ? "stale" : "invalid";
    return sentVersion === undefined || sentVersion === version ? "current" : "stale";
  };

  const findItem = async (request: Request, options: ServiceOptions): Promise<T | undefined> => {
    const { id = "" } = request.params;
    const itemId = isSingular || isId !== undefined ? id : id.toLowerCase();
    const isFindable = isSingular || (isId ?? Schema.isUuid)(itemId);
    if (!isFindable) return undefined;
    return (await access.find(request, () => service.find(itemId, ...argumentsOf(options)))) ?? undefined;
  };

  /** Calls the service with the expected version. A stale item is 412 if the version was named in `If-Match`. */
  const change = async <R>(
    request: Request,
    { options, version }: FoundItem<T>,
    call: (...options: readonly [ServiceOptions?]) => MaybePromise<Result<R, Refusal | Stale>>,
  ): Promise<Result<R, Refusal | Stale>> => {
    const callService = async (): Promise<Result<R, Refusal | Stale>> =>
      call(...argumentsOf(version === undefined ? options : { ...options, version }));
    const result = await callService().catch(async (error: unknown) => {
      if (isError(error, "E_STALE")) return { ok: false, error: { stale: true } } as const;
      // `Table` reports a row that was deleted since it was found.
      const isGone = isError(error, "E_DATABASE_NO_ROW") && (await findItem(request, options)) === undefined;
      throw isGone ? httpErrors.E_NOT_FOUND() : error;
    });
    if (!result.ok && isStale(result.error) && request.header("if-match") !== undefined) {
      throw errors.E_PRECONDITION_FAILED();
    }
    return result;
  };

  const list = async (
    request: Request,
    query: Query.Query,
    include?: readonly string[],
  ): Promise<ItemPage<T, Total>> => {
    const options = withInclude(await access.ofList(request), include);
    const [items, total, cursors] = await access.list(request, options, () =>
      service.search(Query.withDefaults(query), ...argumentsOf(options)),
    );
    if (cursors === undefined) refuseCursors(query);
    return { query, items: await access.redact(request, items), total, cursors };
  };

  /** Reads the input of a new item, or of one that is changed. */
  const readFields = async (request: Request, schema: InputSchema<Value>, item?: T): Promise<Input<Value>> => {
    const kept = await access.keptFields(request, item);
    if (kept.names.length > 0) return readRestrictedInput(request, schema as Schema.RecordSchema<Value>, kept, item);
    if (item === undefined) return readInput(request, schema);
    return request.method === "PATCH" ? readPartialInput(request, schema, item) : readReplacement(request, schema);
  };

  return {
    query: (request) => parseQuery(request, definition),
    checkParameters: parameterCheck(definition),
    list: async (request, include) => list(request, parseQuery(request, definition), include),
    page: async (request) => {
      const query = parsePageQuery(request, definition);
      if (query.invalid === undefined) return list(request, query);
      await access.ofList(request);
      // The number is also correct in a list that counts no items.
      return { query, items: [], total: 0 as Total, cursors: undefined };
    },
    item: async (request, include) => {
      // The policy decides about the item as it is when the body has arrived, which may take a while.
      if (definition.policy !== undefined && !isSafe(request)) await receiveBody(request);
      const options = withInclude(await access.ofItem(request), include);
      const item = await findItem(request, options);
      if (item === undefined) throw httpErrors.E_NOT_FOUND();
      return { item, options: await access.checkItem(request, item, options), version: versions.of(item) };
    },
    redact: async (request, item) => (await access.redact(request, [item]))[0] ?? item,
    checkNew: async (request) => {
      await access.ofNew(request);
      await access.keptFields(request, undefined);
    },
    checkEdit: async (request, item) => {
      await access.change(request, "edit", item, () => access.keptFields(request, item));
    },
    create: async (request, schema) => {
      const options = await access.ofNew(request);
      checkPreconditions(request);
      const input = await readFields(request, schema);
      if (input.value === undefined) return reject(input, {});
      const result = await service.insert(input.value, ...argumentsOf(options));
      if (!result.ok) return reject(input, result.error);
      access.checkResult("insert", [result.value], options);
      return result;
    },
    update: async (request, schema, found) => {
      const { item } = found;
      const comparison = await compareVersion(request, found, true);
      return access.change(request, "update", item, async () => {
        const input = await readFields(request, schema, item);
        const staleInput = { ok: false, isStale: true, ...input } as const;
        if (comparison === "stale") return staleInput;
        if (comparison === "invalid") {
          return reject(input, { version: LanguageInternals.frameworkTexts().components.version });
        }
        if (input.value === undefined) return reject(input, {});
        if (input.isEmpty === true) return { ok: true, value: item };
        const { value } = input;
        const result = await change(request, found, (...options) => service.update(item.id, value, ...options));
        if (result.ok) return result;
        return isStale(result.error) ? staleInput : reject(input, result.error);
      });
    },
    destroy: async (request, found) => {
      const isFromForm = isForm(request.header("content-type"));
      const comparison = await compareVersion(request, found, !isFromForm);
      return access.change(request, "destroy", found.item, async () => {
        if (comparison !== "current") return { ok: false, isStale: true };
        const result = await change(request, found, (...options) => service.delete(found.item, ...options));
        if (result.ok) return { ok: true };
        if (isStale(result.error)) return { ok: false, isStale: true };
        return { ok: false, isStale: false, refusal: result.error };
      });
    },
    versionOf: versions.of,
  };
}

/** Memoizes what a controller derives from its resource, which it learns with the first request. */
export function byResource<R extends object, Parts>(derive: (resource: R) => Parts): (resource: R) => Parts {
  const partsByResource = new WeakMap<R, Parts>();
  return (resource) => {
    const parts = partsByResource.get(resource) ?? derive(resource);
    partsByResource.set(resource, parts);
    return parts;
  };
}

/** Returns the last argument of a service function: none if there are no options. */
function argumentsOf(options: ServiceOptions): readonly [ServiceOptions?] {
  return Object.keys(options).length === 0 ? [] : [options];
}

function withInclude(options: ServiceOptions, include: readonly string[] = []): ServiceOptions {
  return include.length === 0 ? options : { ...options, include };
}

const isStale = (refusal: Refusal | Stale): refusal is Stale =>
  typeof refusal === "object" && (refusal as Partial<Stale>).stale === true;

/** Refuses cursors in a list without cursor support, which would return its first page every time. */
function refuseCursors(query: Query.Query): void {
  for (const key of ["after", "before"] as const) {
    if (query[key] !== undefined) throw errors.E_QUERY_INVALID(key, ({ schema }) => schema.query.unsupportedByList);
  }
}

function reject({ form }: Input<unknown>, refusal: Refusal): Rejection {
  if (typeof refusal === "string") return { ok: false, isStale: false, form, message: refusal };
  return { ok: false, isStale: false, form: Form.withErrors(form, refusal), message: undefined };
}

/** Joins the messages of a refusal into one text. */
export function refusalText(refusal: Refusal): string {
  return typeof refusal === "string" ? refusal : Object.values(refusal).join(". ");
}
