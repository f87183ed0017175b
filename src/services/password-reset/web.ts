import type { Html } from "../../html/index.ts";
import { Time } from "../../time/index.ts";
import * as Web from "../../web/index.ts";
import { get, post } from "../../web/index.ts";
import type { PasswordResetService } from "./contract.ts";
import { errors } from "./errors.ts";
import type { Views } from "./pages/views.ts";
import type { Pages } from "./pages/web.ts";

/** What the pages are made with. */
export interface RouterOptions {
  readonly passwordReset: PasswordResetService;
  /** Where the pages are. Default `/password-reset`; the page that mails lead to is `new` below it. */
  readonly scope?: string;
  /** Where the last page leads to log in. Default: nowhere. */
  readonly loginPath?: string;
  /** The frame of the pages. Default: one that needs no other file. */
  readonly layout?: (request: Web.Request, title: string, content: Html) => Html;
  /** Pages in place of the standard ones. */
  readonly views?: Partial<Views>;
  /** Default `Web.Middleware.site()`. Forms need session and CSRF. */
  readonly middlewares?: readonly Web.Middleware[];
  /** Where requests are counted. Several processes share one; default: a memory store of its own. */
  readonly store?: Web.RequestLimitStore;
}

/** Forms that one client may send. */
const perClient = { limit: 20, period: Time.minutes(10) };

/**
 * The pages on which people who forgot their password set a new one: the form for the address, the one for the password
 * that the mail leads to, and what comes after them.
 *
 * Answers tell nobody who has an account, neither by what they say nor by how long they take. The token stands in one
 * address only, that of the link: it goes to no other page (`Referrer-Policy`), cache or log. A client may send 20 forms
 * in ten minutes, an address gets three mails an hour.
 *
 * @throws E_PASSWORD_RESET_EMAIL when the service cannot send mails.
 *
 * @example
 * export const router = Web.choose([site, PasswordReset.Web.router({ passwordReset, layout, loginPath: "/login" })]);
 */
export function router(options: RouterOptions): Web.Router {
  const { passwordReset, scope = "/password-reset", store = Web.memoryStore() } = options;
  const { middlewares = Web.Middleware.site() } = options;
  if (!passwordReset.sendsMail) throw errors.E_PASSWORD_RESET_EMAIL();

  // Loaded when the first of them is asked for: most starts never need them (docs/decisions/008).
  let made: Pages | undefined;
  const pages = async (): Promise<Pages> => {
    const { pagesWith } = await import("./pages/web.ts");
    return (made ??= pagesWith({ ...options, store, link: (request, page) => Web.link(request, names[page]) }));
  };

  const shown = [
    get("/", async (request) => (await pages()).ask(request), { name: names.ask }),
    get("/sent", async (request) => (await pages()).sent(request), { name: names.sent }),
    get("/new", async (request) => (await pages()).set(request), { name: names.set }),
    get("/done", async (request) => (await pages()).done(request), { name: names.done }),
  ];
  const limit = Web.Middleware.requestLimit({ ...perClient, name: "password-reset", store });
  const forms = Web.choose(
    [
      post("/", async (request) => (await pages()).send(request)),
      post("/new", async (request) => (await pages()).setPassword(request)),
    ],
    { middlewares: [limit] },
  );
  return Web.choose([...shown, forms], { scope, middlewares: [discreet, ...middlewares] });
}

/** How `Web.link` and the command `routes` call the pages. */
const names = {
  ask: "passwordReset",
  sent: "passwordReset.sent",
  set: "passwordReset.new",
  done: "passwordReset.done",
} as const;

/** Keeps addresses and contents of the pages from other sites and caches, those of errors as well. */
const discreet: Web.Middleware = function discreet(handler) {
  return (request) => {
    Web.addErrorHeaders(request, ["referrer-policy", "no-referrer"]);
    return Web.mapResponse(handler(request), (response) =>
      response.withHeader("referrer-policy", "no-referrer").withHeader("cache-control", "no-store"),
    );
  };
};
