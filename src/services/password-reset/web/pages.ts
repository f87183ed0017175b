import { createHash } from "node:crypto";
import { addressKey, parseAddress } from "../../../email-address/index.ts";
import type { Html } from "../../../html/index.ts";
import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";
import * as Web from "../../../web/index.ts";
import type { UserErrors } from "../../user/contract.ts";
import type { PasswordResetService } from "../contract.ts";
import { defaultLayout, defaultViews, type View, type Views } from "./views.ts";

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

/** Handlers of the routes. */
export interface ResetPages {
  readonly showRequestForm: (request: Web.Request) => Web.Response;
  readonly sendLink: (request: Web.Request) => Promise<Web.Response>;
  readonly showLinkSent: (request: Web.Request) => Web.Response;
  readonly showPasswordForm: (request: Web.Request) => Promise<Web.Response>;
  readonly setPassword: (request: Web.Request) => Promise<Web.Response>;
  readonly showPasswordSet: (request: Web.Request) => Web.Response;
}

/** Name of a page that other pages link to. */
export type PageName = "requestForm" | "linkSent" | "passwordForm" | "passwordSet";

/** Options of `makePages`. */
export interface PagesOptions extends RouterOptions {
  readonly store: Web.RequestLimit.Store;
  /** Returns the URL of a page. */
  readonly link: (request: Web.Request, page: PageName) => string;
}

const log = Log.source("limmat.password-reset");

/** Limit of mails to one address. */
const addressLimit = { limit: 3, periodMs: Time.hours(1) };

/** Creates the handlers of the routes. */
export function makePages(options: PagesOptions): ResetPages {
  const { passwordReset, loginPath, layout = pageLayout, store, link } = options;
  const views: Views = { ...defaultViews, ...options.views };
  const consumeMail = makeMailLimit(store);

  const page = (request: Web.Request, { title, content }: View, status = 200): Web.Response =>
    Web.Response.html(layout(request, title, content), { status });
  const formModel = (request: Web.Request, target: "requestForm" | "passwordForm") => ({
    action: link(request, target),
    csrf: Web.Csrf.find(request),
  });
  const linkInvalid = (request: Web.Request): Web.Response =>
    page(request, views.linkInvalid({ requestUrl: link(request, "requestForm") }), 410);

  const passwordForm = async (request: Web.Request, token: string, errors: UserErrors): Promise<Web.Response> => {
    const user = await passwordReset.findUserOpt(token);
    if (user === undefined) return linkInvalid(request);
    const model = { ...formModel(request, "passwordForm"), token, email: user.email, errors };
    return page(request, views.passwordForm(model), Object.keys(errors).length > 0 ? 422 : 200);
  };

  const sendLink = async (request: Web.Request): Promise<Web.Response> => {
    const text = await formField(request, "email");
    const email = parseAddress(text);
    if (email === undefined) {
      const errors = { email: "Please enter an e-mail address, such as ada@example.com" };
      const model = { ...formModel(request, "requestForm"), email: text.trim(), errors };
      return page(request, views.requestForm(model), 422);
    }
    if (await consumeMail(email)) {
      // Not awaited, because the response time would reveal whether the address has an account.
      passwordReset.sendResetLink(email).catch((error: unknown) => {
        log.error("A link to set a new password could not be sent", { error });
      });
    }
    return Web.Response.redirect(link(request, "linkSent"));
  };

  const setPassword = async (request: Web.Request): Promise<Web.Response> => {
    const [token, password] = [await formField(request, "token"), await formField(request, "password")];
    const result = await passwordReset.resetPassword(token, password, await formField(request, "confirmation"));
    if (result.ok) return Web.Response.redirect(link(request, "passwordSet"));
    return passwordForm(request, token, result.error);
  };

  return {
    showRequestForm: (request) =>
      page(request, views.requestForm({ ...formModel(request, "requestForm"), email: "", errors: {} })),
    sendLink,
    showLinkSent: (request) => page(request, views.linkSent({ requestUrl: link(request, "requestForm") })),
    showPasswordForm: async (request) => passwordForm(request, request.query.get("token") ?? "", {}),
    setPassword,
    showPasswordSet: (request) => page(request, views.passwordSet({ loginUrl: loginUrl(request, loginPath) })),
  };
}

const pageLayout = (request: Web.Request, title: string, content: Html): Html =>
  defaultLayout({ title, content }, Web.nonce(request));

const loginUrl = ({ prefix }: Web.Request, path: string | undefined): string | undefined =>
  path === undefined ? undefined : prefix + path;

/** Returns the value of a form field. It is empty if the field is missing or repeated. */
async function formField(request: Web.Request, name: string): Promise<string> {
  const values = (await request.form()).filter(([field]) => field === name);
  return values.length === 1 ? (values[0]?.[1] ?? "") : "";
}

/**
 * Returns a function that counts a mail to an address and returns true if it may be sent. If the store fails, it counts
 * in the memory of this process.
 */
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
