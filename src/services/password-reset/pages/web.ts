import { createHash } from "node:crypto";
import { addressKey, parseAddress } from "../../../email-address/index.ts";
import type { Html } from "../../../html/index.ts";
import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";
import * as Web from "../../../web/index.ts";
import type { UserErrors } from "../../user/contract.ts";
import type { RouterOptions } from "../web.ts";
import { frame } from "./frame.ts";
import { type View, type Views, views as standardViews } from "./views.ts";

/** What answers the requests of the routes. */
export interface Pages {
  readonly ask: (request: Web.Request) => Web.Response;
  readonly send: (request: Web.Request) => Promise<Web.Response>;
  readonly sent: (request: Web.Request) => Web.Response;
  readonly set: (request: Web.Request) => Promise<Web.Response>;
  readonly setPassword: (request: Web.Request) => Promise<Web.Response>;
  readonly done: (request: Web.Request) => Web.Response;
}

/** What the pages know of their routes. */
export interface PagesOptions extends RouterOptions {
  readonly store: Web.RequestLimitStore;
  /** Where another page is. */
  readonly link: (request: Web.Request, page: "ask" | "sent" | "set" | "done") => string;
}

const log = Log.source("limmat.password-reset");

/** Mails that one address may get. */
const perAddress = { limit: 3, period: Time.hours(1) };

/** Makes the pages. */
export function pagesWith(options: PagesOptions): Pages {
  const { passwordReset, loginPath, layout = standardLayout, store, link } = options;
  const views: Views = { ...standardViews, ...options.views };
  const mayMail = mailLimit(store);

  const page = (request: Web.Request, { title, content }: View, status = 200): Web.Response =>
    Web.Response.html(layout(request, title, content), { status });
  const form = (request: Web.Request, to: "ask" | "set") => ({
    action: link(request, to),
    csrf: Web.Csrf.find(request),
  });
  const refused = (request: Web.Request): Web.Response =>
    page(request, views.refused({ ask: link(request, "ask") }), 410);

  const setPage = async (request: Web.Request, token: string, problems: UserErrors): Promise<Web.Response> => {
    const user = await passwordReset.findUser(token);
    if (user === undefined) return refused(request);
    const model = { ...form(request, "set"), token, email: user.email, errors: problems };
    return page(request, views.set(model), Object.keys(problems).length > 0 ? 422 : 200);
  };

  const send = async (request: Web.Request): Promise<Web.Response> => {
    const typed = await fieldOf(request, "email");
    const email = parseAddress(typed);
    if (email === undefined) {
      const problem = { email: "Please enter an e-mail address, such as ada@example.com" };
      return page(request, views.ask({ ...form(request, "ask"), email: typed.trim(), errors: problem }), 422);
    }
    if (await mayMail(email)) {
      // Not waited for: how long it takes would tell whether there is an account.
      passwordReset.sendResetLink(email).catch((error: unknown) => {
        log.error("A link to set a new password could not be sent", { error });
      });
    }
    return Web.Response.redirect(link(request, "sent"));
  };

  const setPassword = async (request: Web.Request): Promise<Web.Response> => {
    const [token, password] = [await fieldOf(request, "token"), await fieldOf(request, "password")];
    const result = await passwordReset.resetPassword(token, password, await fieldOf(request, "confirmation"));
    if (result.ok) return Web.Response.redirect(link(request, "done"));
    return setPage(request, token, result.error);
  };

  return {
    ask: (request) => page(request, views.ask({ ...form(request, "ask"), email: "", errors: {} })),
    send,
    sent: (request) => page(request, views.sent({ ask: link(request, "ask") })),
    set: async (request) => setPage(request, request.query.get("token") ?? "", {}),
    setPassword,
    done: (request) => page(request, views.done({ login: loginOf(request, loginPath) })),
  };
}

const standardLayout = (request: Web.Request, title: string, content: Html): Html =>
  frame({ title, content }, Web.nonce(request));

const loginOf = ({ prefix }: Web.Request, path: string | undefined): string | undefined =>
  path === undefined ? undefined : prefix + path;

/** The value of a field; empty when it is missing or was sent several times. */
async function fieldOf(request: Web.Request, name: string): Promise<string> {
  const values = (await request.form()).filter(([field]) => field === name);
  return values.length === 1 ? (values[0]?.[1] ?? "") : "";
}

/** Tells whether an address may get another mail. While the store cannot, this process counts for itself. */
function mailLimit(store: Web.RequestLimitStore): (email: string) => Promise<boolean> {
  const spare = Web.memoryStore();
  return async (email) => {
    const key = `password-reset mail ${createHash("sha256").update(addressKey(email)).digest("base64url")}`;
    try {
      return (await store.take(key, perAddress)).isAllowed;
    } catch (error) {
      log.error("The store of the request limit failed, so each process counts mails for itself", { error });
      return (await spare.take(key, perAddress)).isAllowed;
    }
  };
}
