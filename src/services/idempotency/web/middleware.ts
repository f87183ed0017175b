import { hash } from "node:crypto";
import type { Context } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";
import {
  addErrorHeaders,
  type Handler,
  type Middleware,
  OpenApi,
  type RateLimitDecision,
  type Request,
  RequestLimit,
  Response,
} from "../../../web/index.ts";
import type { Idempotency, StoredResponse, WorkOutcome } from "../contract.ts";
import { checkCount, errors } from "../errors.ts";
import { parseKey } from "./key.ts";
import { captureResponse, repeatHeaders } from "./stored-response.ts";

/** Options of `middleware`. */
export interface IdempotencyMiddlewareOptions {
  /**
   * Returns the user that a request acts for. A key belongs to its user and route: nobody gets the response of another
   * user. `undefined`, for nobody, is 401. Return the address, or a constant, for routes without users.
   */
  readonly user: (request: Request) => string | undefined | Promise<string | undefined>;
  /** True if a request without a key is 400. Default false: it is processed as usual. */
  readonly required?: boolean;
  /** Maximum size of a response to store, in bytes. Default 262,144. */
  readonly maxResponseBytes?: number;
  /** Maximum number of new keys of a user in a day: a burst that is refilled evenly; more is 429. Default 10,000. */
  readonly maxKeysPerDay?: number;
  /**
   * Store of the counts of `maxKeysPerDay`, such as a cache that all processes share. Default: each process counts in its
   * memory, as it does while the store fails, so that `n` processes let `n` times as many keys through.
   */
  readonly store?: RequestLimit.Store;
  /** Returns the context of a request, such as the `pool` of a tenant. Default: none. */
  readonly ctx?: (request: Request) => Context | Promise<Context>;
}

/**
 * Processes a request with the header `Idempotency-Key` once, and answers repetitions with the stored response
 * (draft-ietf-httpapi-idempotency-key-header-07). For routes with POST, PUT, PATCH and DELETE; others are not affected.
 *
 * List it after the middlewares that authenticate, and before those that open a transaction. The response is stored in
 * the transaction of the changes. A handler that throws, or answers with 500 or above, has its changes undone, and a
 * repetition runs it again. So does one that answers 408, 409, 412, 425, 428 or 429, which ask for another attempt.
 *
 * Throws E_IDEMPOTENCY_KEY and E_IDEMPOTENCY_KEY_MISSING (400), E_IDEMPOTENCY_USER (401), E_IDEMPOTENCY_RUNNING and
 * E_IDEMPOTENCY_RESPONSE_LOST (409), E_IDEMPOTENCY_REUSED (422), E_IDEMPOTENCY_LIMIT (429), E_IDEMPOTENCY_LEASE_LOST (503), and
 * the errors of reading a body. The factory throws E_IDEMPOTENCY_OPTION.
 *
 * @example
 * const once = Idempotency.Web.middleware(idempotency, { user: async (request) => (await User.Web.user(request))?.id });
 */
export function middleware(service: Idempotency, options: IdempotencyMiddlewareOptions): Middleware {
  const { user, required = false, maxResponseBytes = 262_144, maxKeysPerDay = 10_000, store, ctx } = options;
  checkCount("maxKeysPerDay", maxKeysPerDay);
  const localStore = RequestLimit.memoryStore();
  const keyLimit = { limit: maxKeysPerDay, periodMs: Time.days(1) };

  /** Counts a new key of a user. */
  const countKey = async (request: Request, userId: string): Promise<void> => {
    const countedKey = `idempotency ${userId}`;
    let decision: RateLimitDecision | undefined;
    try {
      decision = await store?.consume(countedKey, keyLimit);
    } catch (error) {
      log.error("The store of maxKeysPerDay failed, so each process counts keys for itself", { error });
    }
    decision ??= await localStore.consume(countedKey, keyLimit);
    if (decision.isAllowed) return;
    addErrorHeaders(request, { "retry-after": String(Math.max(1, Math.ceil(decision.retryAfterMs / 1000))) });
    throw errors.E_IDEMPOTENCY_LIMIT(maxKeysPerDay);
  };

  const runOnce = async (handler: Handler, request: Request, header: string): Promise<Response> => {
    const key = parseKey(header);
    if (key === undefined) throw errors.E_IDEMPOTENCY_KEY();
    const userId = await user(request);
    if (userId === undefined || userId === null || userId === "") throw errors.E_IDEMPOTENCY_USER();
    const { method, target, route = request.path } = request;
    const bodyHash = hash("sha256", await request.bytes(), "base64url");
    const content = JSON.stringify([target, request.header("content-type") ?? "", bodyHash]);
    const result = await service.run(
      { key, scope: [userId, method, route], content },
      async (): Promise<WorkOutcome<Response>> => {
        const { response, stored } = await captureResponse(await handler(request), maxResponseBytes);
        if (response.status >= 500) return { value: response, stored: undefined, isFailed: true };
        return { value: response, stored: repeatableStatuses.has(response.status) ? undefined : stored };
      },
      // Repetitions are not counted. The error frees the key.
      { beforeWork: () => countKey(request, userId), ...(ctx === undefined ? {} : { ctx: await ctx(request) }) },
    );
    if (result.kind === "completed") return result.value;
    if (result.kind === "repeated") return replay(result.response);
    if (result.kind === "reused") throw errors.E_IDEMPOTENCY_REUSED();
    addErrorHeaders(request, { "retry-after": "1" });
    throw errors.E_IDEMPOTENCY_RUNNING();
  };

  const idempotency: Middleware = (handler) => (request) => {
    if (!unsafeMethods.has(request.method)) return handler(request);
    const header = request.header("idempotency-key");
    if (header !== undefined) return runOnce(handler, request, header);
    if (required) throw errors.E_IDEMPOTENCY_KEY_MISSING();
    return handler(request);
  };
  return OpenApi.describe(Object.defineProperty(idempotency, "name", { value: "idempotency" }), {
    methods: [...unsafeMethods],
    headers: {
      "idempotency-key": {
        description:
          "Key of the request, such as a UUID in quotes. A repetition with the same key gets the same response",
        isRequired: required,
      },
    },
    responses: {
      400: OpenApi.failure("The header `Idempotency-Key` is malformed, or missing where it is required"),
      401: OpenApi.failure("The request has no user"),
      409: OpenApi.failure("A request with the same `Idempotency-Key` is being processed"),
      422: OpenApi.failure("The `Idempotency-Key` was sent with another request"),
      429: OpenApi.failure("The user has sent too many new keys: wait for `Retry-After`"),
    },
  });
}

const log = Log.source("limmat.idempotency");

/** Methods of requests that change something. */
export const unsafeMethods: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** Statuses after which the same request is sent again later, or with another condition. */
const repeatableStatuses: ReadonlySet<number> = new Set([408, 409, 412, 425, 428, 429]);

function replay({ status, headers, body }: StoredResponse): Response {
  if (headers === undefined) throw errors.E_IDEMPOTENCY_RESPONSE_LOST(status);
  const init = { status, headers: repeatHeaders(headers) };
  return body === undefined ? Response.empty(status, init) : Response.bytes(body, init);
}
