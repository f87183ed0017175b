// Parts of the web module that a service needs to answer a repeated form as it answered the first.
import { hash } from "node:crypto";
import { findSecret, isTokenOf } from "../csrf/token.ts";
import { flashMessages } from "../flash/flash-state.ts";
import { isForm, isMultipart, type Request, type Response } from "../../http/message/index.ts";
import { wantsFragment } from "../htmx/htmx.ts";
import { sessionChange, SessionState } from "../session/session-state.ts";

/** Identity of a submitted form. Two requests with the same one are the same form, sent twice. */
export interface FormIdentity {
  /** CSRF token of the form: `Web.Csrf.find` returns a new one for each. */
  readonly key: string;
  /** Session, target and fields of the request. */
  readonly scope: readonly string[];
}

/**
 * Returns the identity of a form; `undefined` for other requests, without a CSRF token of the session, and for HTMX fragments,
 * whose form stays on the page. The files of a form are compared by its length alone, which browsers send.
 *
 * @throws E_SESSION_MISSING, and the errors of reading a form
 */
export async function identifyForm(request: Request): Promise<FormIdentity | undefined> {
  const type = request.header("content-type");
  const isUpload = isMultipart(type);
  const length = isUpload ? request.header("content-length") : "";
  if (!(isUpload || isForm(type)) || length === undefined || wantsFragment(request)) return undefined;
  const secret = findSecret(request);
  if (secret === undefined) return undefined;
  const fields = isUpload ? await request.fieldsBeforeFiles() : await request.form();
  const key = fields.find(([name]) => name === "csrf")?.[1];
  if (key === undefined || !isTokenOf(secret, key)) return undefined;
  return { key, scope: [secret, request.method, request.target, JSON.stringify(fields), length] };
}

/** Changes that the cookies of a response carry, in JSON. */
interface StoredChanges {
  /** Hash of the values of the session before the change: they may be larger than a cookie, or not for the database. */
  readonly before?: string;
  readonly kept?: readonly string[];
  readonly values?: readonly (readonly [key: string, value: string | null])[];
  readonly flash?: readonly (readonly [key: string, message: string])[];
}

/**
 * Returns the changes of session and flash messages by a redirect, as JSON; `undefined` for a response that a repetition of its
 * form must not get. Those are other statuses, a redirect with an alert, which says that nothing was done, and a new
 * session: its cookie is for the client that sent the password.
 */
export function storeChanges(request: Request, response: Response): string | undefined {
  const session = response.get(sessionChange);
  const flash = response.get(flashMessages);
  const isRedirect = response.status >= 300 && response.status < 400 && response.header("location") !== undefined;
  if (!isRedirect || session?.reserved !== undefined || flash?.has("alert") === true) return undefined;
  return JSON.stringify({
    before: session && hashSession(request),
    kept: session?.kept,
    values: session?.values && [...session.values],
    flash: flash && [...flash],
  });
}

const hashSession = (request: Request): string =>
  hash("sha256", JSON.stringify([...SessionState.of(request).content.values]), "base64url");

/**
 * Adds stored changes to a response. Those of the session apply if the browser has not received them, as after a double click.
 * Otherwise they would bring back values of then.
 */
export function restoreChanges(json: string, request: Request, response: Response): Response {
  const { before, kept, values, flash } = JSON.parse(json) as StoredChanges;
  const withFlash = flash === undefined ? response : response.withValue(flashMessages, new Map(flash));
  if (values === undefined || before !== hashSession(request)) return withFlash;
  const changes = new Map(values.map(([key, value]) => [key, value ?? undefined]));
  return withFlash.withValue(sessionChange, { ...(kept === undefined ? {} : { kept }), values: changes });
}
