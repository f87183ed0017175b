import { toResponse } from "../../../http/message/index.ts";
import { Time } from "../../../time/index.ts";
import { type Handler, type Middleware, type Request, RequestLimit, Response } from "../../../web/index.ts";
import { identifyForm, restoreChanges, storeChanges } from "../../../web/repeated-form/index.ts";
import type { Idempotency, StoredResponse, WorkOutcome } from "../contract.ts";
import { checkCount } from "../errors.ts";
import { unsafeMethods } from "./middleware.ts";
import { repeatHeaders, storeHeaders } from "./stored-response.ts";

/** Options of `forms`. */
export interface FormsOptions {
  /**
   * Maximum number of stored redirects of a network in a day, in each process: nobody fills the store. Default 10,000. Further
   * forms are processed as often as they are sent.
   */
  readonly maxKeysPerDay?: number;
}

/**
 * Processes each form of a page once: if it is sent twice, by a double click, a reload or the back button, the second request
 * gets the redirect of the first, with its flash messages and, if the browser lacks them, its changes of the session. It
 * waits if the first is still processed. For routes with the session and CSRF middlewares, which it follows.
 *
 * The key of a form is its CSRF token: it belongs to one session, and each form that a page renders has another one. A form with
 * other content or another target is another form. Only a redirect uses the key up. After any other response, such as 422
 * with messages, after an error, after a redirect with an alert, and after a login or logout, the form is processed again.
 *
 * The handler runs in no transaction of the service. If its process is killed, or works longer than `leaseMs` of the service,
 * a form that is sent again is processed again.
 *
 * @throws E_SESSION_MISSING. The factory throws E_IDEMPOTENCY_OPTION.
 * @example
 * const site = Web.choose(routes, { middlewares: [...Web.Middleware.site(), Idempotency.Web.forms(idempotency)] });
 */
export function forms(service: Idempotency, { maxKeysPerDay = 10_000 }: FormsOptions = {}): Middleware {
  checkCount("maxKeysPerDay", maxKeysPerDay);
  const store = RequestLimit.memoryStore();
  const keyLimit = { limit: maxKeysPerDay, periodMs: Time.days(1) };
  const mayStore = async (request: Request): Promise<boolean> =>
    (await store.consume(`forms ${RequestLimit.byAddress(request)}`, keyLimit)).isAllowed;

  /** Returns the response with its stored form, `undefined` if the form may be processed again. */
  const outcomeOf = async (request: Request, response: Response): Promise<WorkOutcome<Response>> => {
    const changes = storeChanges(request, response);
    if (changes === undefined || !(await mayStore(request))) return { value: response, stored: undefined };
    const body = new TextEncoder().encode(changes);
    return { value: response, stored: { status: response.status, headers: storeHeaders(response), body } };
  };

  const runOnce = async (handler: Handler, request: Request): Promise<Response> => {
    const form = await identifyForm(request);
    if (form === undefined) return toResponse(await handler(request));
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      const work = async (): Promise<WorkOutcome<Response>> => outcomeOf(request, toResponse(await handler(request)));
      const result = await service.run({ ...form, content: "" }, work, { hasTransaction: false });
      if (result.kind === "completed") return result.value;
      if (result.kind === "repeated") return repeat(request, result.response);
      await Time.sleep(delayMs, { signal: request.signal });
    }
  };
  const formsOnce: Middleware = (handler) => (request) =>
    unsafeMethods.has(request.method) ? runOnce(handler, request) : handler(request);
  return Object.defineProperty(formsOnce, "name", { value: "forms" });
}

// Most handlers answer within the first delays. A slow one is asked for once a second.
const firstDelayMs = 25;
const maxDelayMs = 1000;

function repeat(request: Request, { status, headers = [], body }: StoredResponse): Response {
  const response = Response.empty(status, { headers: repeatHeaders(headers) });
  return restoreChanges(new TextDecoder().decode(body), request, response);
}
