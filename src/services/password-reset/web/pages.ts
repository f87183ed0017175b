import { createHash } from "node:crypto";
import { addressKey, parseAddress } from "../../../email-address/index.ts";
import type { Html } from "../../../html/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";
import * as Web from "../../../web/index.ts";
import { renderPage } from "../../../web/page/index.ts";
import type { UserErrors } from "../../user/contract.ts";
import type { PasswordResetService } from "../contract.ts";
import { defaultViews, type View, type Views } from "./views.ts";

/** Options of `PasswordReset.Web.router`. */
export interface RouterOptions {
  readonly passwordReset: PasswordResetService;
  /** Path of the pages. Default `/password-reset`. Mails link to `new` below it. */
  readonly scope?: string;
  /** Path of the login page, which the last page links to. Default: no link. */
  readonly loginPath?: string;
  /** Layout of the pages. Default: a layout that needs no other file. */
  readonly layout?: (request: Web.Request, title: string, content: Html) => Html;
  /** Pages that replace the default ones. */
  readonly views?: Partial<Views>;
  /** Middlewares of the routes. Default `Web.Middleware.site()`. The forms need session and CSRF. */
  readonly middlewares?: readonly Web.Middleware[];
  /** Store of the request limits. Several processes must share one. Default: a memory store. */
  readonly store?: Web.RequestLimit.Store;
}

export type ResetPages = Readonly<
  Record<
    "showRequestForm" | "sendLink" | "showLinkSent" | "showPasswordForm" | "setPassword" | "showPasswordSet",
    Web.Handler
  >
>;

const log = Log.source("limmat.password-reset");

/** Limit of mails to one address. */
const addressLimit = { limit: 3, periodMs: Time.hours(1) };

export function makePages(options: RouterOptions & { readonly store: Web.RequestLimit.Store }): ResetPages {
  const { passwordReset, loginPath, layout = pageLayout, store } = options;
  const views: Views = { ...defaultViews, ...options.views };
  const consumeMail = makeMailLimit(store);

  const page = (request: Web.Request, { title, content }: View, status = 200): Web.Response =>
    Web.Response.html(layout(request, title, content), { status });
  const requestUrl = (request: Web.Request): string => Web.link(request, "passwordReset");

  const requestForm = (request: Web.Request, email: string, errors: UserErrors, status = 200): Web.Response => {
    const model = { action: requestUrl(request), csrf: Web.Csrf.find(request), email, errors };
    return page(request, views.requestForm(model), status);
  };

  const passwordForm = async (request: Web.Request, token: string, errors: UserErrors): Promise<Web.Response> => {
    const user = await passwordReset.findUserOpt(token);
    if (user === undefined) return page(request, views.linkInvalid({ requestUrl: requestUrl(request) }), 410);
    const action = Web.link(request, "passwordReset.new");
    const model = { action, csrf: Web.Csrf.find(request), token, email: user.email, errors };
    return page(request, views.passwordForm(model), Object.keys(errors).length > 0 ? 422 : 200);
  };

  return {
    showRequestForm: (request) => requestForm(request, "", {}),
    sendLink: async (request) => {
      const text = await formField(request, "email");
      const email = parseAddress(text);
      if (email === undefined) {
        const errors = { email: LanguageInternals.frameworkTexts().services.account.resetEmailInvalid };
        return requestForm(request, text.trim(), errors, 422);
      }
      if (await consumeMail(email)) {
        // Not awaited, because the response time would reveal whether the address has an account.
        passwordReset.sendResetLink(email).catch((error: unknown) => {
          log.error("A link to set a new password could not be sent", { error });
        });
      }
      return Web.Response.redirect(Web.link(request, "passwordReset.sent"));
    },
    showLinkSent: (request) => page(request, views.linkSent({ requestUrl: requestUrl(request) })),
    showPasswordForm: (request) => passwordForm(request, request.query.get("token") ?? "", {}),
    setPassword: async (request) => {
      const [token, password] = [await formField(request, "token"), await formField(request, "password")];
      const result = await passwordReset.resetPassword(token, password, await formField(request, "confirmation"));
      if (result.ok) return Web.Response.redirect(Web.link(request, "passwordReset.done"));
      return passwordForm(request, token, result.error);
    },
    showPasswordSet: (request) => {
      const loginUrl = loginPath === undefined ? undefined : request.prefix + loginPath;
      return page(request, views.passwordSet({ loginUrl }));
    },
  };
}

const pageLayout = (request: Web.Request, title: string, content: Html): Html =>
  renderPage({ title, content, nonce: Web.nonce(request), isCentered: true });

/** Returns the value of a form field. It is empty if the field is missing or repeated. */
async function formField(request: Web.Request, name: string): Promise<string> {
  const values = (await request.form()).filter(([field]) => field === name);
  return values.length === 1 ? (values[0]?.[1] ?? "") : "";
}

/** Returns a function that counts a mail to an address, in memory if the store fails. True if it may be sent. */
function makeMailLimit(store: Web.RequestLimit.Store): (email: string) => Promise<boolean> {
  const fallbackStore = Web.RequestLimit.memoryStore();
  return async (email) => {
    const key = `password-reset mail ${createHash("sha256").update(addressKey(email)).digest("base64url")}`;
    try {
      return (await store.consume(key, addressLimit)).isAllowed;
    } catch (error) {
      log.error("The store of the request limit failed, so each process counts mails for itself", { error });
      return (await fallbackStore.consume(key, addressLimit)).isAllowed;
    }
  };
}
