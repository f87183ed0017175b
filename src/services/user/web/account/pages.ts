import type { Result } from "../../../../core/index.ts";
import type { Html } from "../../../../html/index.ts";
import { LanguageInternals } from "../../../../language/index.ts";
import { Form, type Schema } from "../../../../schema/index.ts";
import type { FormFields } from "../../../../web/components/index.ts";
import * as Web from "../../../../web/index.ts";
import type { Registration, User, UserErrors, UserService } from "../../contract.ts";
import * as UserWeb from "../current-user.ts";
import { returnPath } from "../guards.ts";
import type { AccountService } from "../../../account/contract.ts";
import { type AccountComponents, makeViews, schemas, type AccountView, type AccountViews } from "./views.ts";

/** Form of the registration. */
export interface RegistrationForm<Input extends Registration> {
  /** Schema of the form. It contains `registrationFields`. */
  readonly schema: Schema.RecordSchema<Input>;
  /** Options of the fields that the form adds to address and password. */
  readonly fields?: FormFields<Input>;
  /** Stores the user. Default: `registerUser` of the user service. */
  readonly register?: (input: Input) => Promise<Result<User, UserErrors>>;
}

/** Options of `User.Web.accountRouter`. */
export interface AccountRouterOptions<Input extends Registration = Registration> {
  readonly account: AccountService;
  readonly user: UserService;
  /** Layout of the pages. */
  readonly layout: (request: Web.Request, title: string, content: Html) => Html | Promise<Html>;
  /** Components that replace those of `limmat/components`: the module `web/view/components.ts` of a project. */
  readonly components?: Partial<AccountComponents>;
  /** Form of the registration. Default: address and password. */
  readonly registration?: RegistrationForm<Input>;
  /** Texts of further links on the account page, by their path: `{ "/account/profile": "Edit your profile" }`. */
  readonly links?: Readonly<Record<string, string>>;
  /** Keys of `Web.Session` whose values stay when a user logs in or registers: `["cart"]`. Default: none. */
  readonly keep?: readonly string[];
  /** Pages that replace the default ones. */
  readonly views?: Partial<AccountViews>;
  /**
   * Middlewares of the routes. Default `[...Web.Middleware.site(), User.Web.middleware(user, { preload: true })]`. The forms need
   * session and CSRF.
   */
  readonly middlewares?: readonly Web.Middleware[];
}

/** Handlers of the routes, by name. */
export type AccountPages = Readonly<
  Record<
    | "showLogin"
    | "logIn"
    | "logOut"
    | "showRegistration"
    | "register"
    | "showAccount"
    | "changePassword"
    | "endSession"
    | "endOtherSessions"
    | "showEmailChange"
    | "changeEmail"
    | "sendLink"
    | "showConfirmation"
    | "confirm"
    | "showDeletion"
    | "deleteAccount",
    (request: Web.Request) => Web.Response | Promise<Web.Response>
  >
>;

/** Page with a form: renders it for a form, with errors if it was refused. */
type FormPage = (request: Web.Request, form: Form, message?: string) => AccountView | Promise<AccountView>;

export function makePages<Input extends Registration>(options: AccountRouterOptions<Input>): AccountPages {
  const { account, user, layout, keep } = options;
  // Without a schema of its own, the input of the registration has the fields of the default one.
  const registration = (options.registration ?? { schema: schemas.registration }) as RegistrationForm<Input>;
  const { schema: registrationSchema, register = (input) => user.registerUser(input) } = registration;
  const views = { ...makeViews(options, registration), ...options.views };
  const respond = async (request: Web.Request, { title, content }: AccountView, status = 200): Promise<Web.Response> =>
    Web.Response.html(await layout(request, title, content), { status });
  /** Decodes a form and acts on it. Invalid input, and input that `act` refuses, is shown again. */
  const submit =
    <T>(
      schema: Schema.RecordSchema<T>,
      page: FormPage,
      act: (request: Web.Request, value: T) => Promise<Result<Web.Response, string | UserErrors>>,
    ) =>
    async (request: Web.Request): Promise<Web.Response> => {
      const { form, value } = schema.decode(await request.form());
      const refuse = async (refused: Form, message?: string): Promise<Web.Response> =>
        respond(request, await page(request, refused, message), 422);
      if (value === undefined) return refuse(form);
      const result = await act(request, value);
      if (result.ok) return result.value;
      return typeof result.error === "string"
        ? refuse(form, result.error)
        : refuse(Form.withErrors(form, result.error));
    };
  /** Shows a form, with the address in the query parameter `email`. */
  const show =
    (schema: { readonly fill: () => Form }, page: FormPage) =>
    async (request: Web.Request): Promise<Web.Response> => {
      const email = request.query.get("email") ?? undefined;
      const form = schema.fill().map(([name, input]) => [name, name === "email" ? email : input, undefined] as const);
      return respond(request, await page(request, form));
    };
  const logIn = (loggedIn: User, request: Web.Request, response: Web.Response): Promise<Web.Response> =>
    UserWeb.login(loggedIn, request, response, { keep });
  const accountPage: FormPage = async (request, form) =>
    views.account(request, {
      user: await UserWeb.userOrThrow(request),
      sessions: await UserWeb.sessions(request),
      form,
    });

  return {
    showLogin: show(schemas.login, views.login),
    logIn: submit(schemas.login, views.login, async (request, { email, password }) => {
      const result = await user.login(email, password, { client: UserWeb.client(request) });
      if (!result.ok) return result;
      return ok(logIn(result.value, request, Web.Response.redirect(returnPath(request, "/account"))));
    }),
    logOut: async (request) => UserWeb.logout(request, redirect(request, "/login", accountTexts().loggedOut)),
    showRegistration: show(registrationSchema, views.registration),
    register: submit(registrationSchema, views.registration, async (request, input) => {
      const result = await register(input);
      if (!result.ok) return result;
      await account.sendConfirmationLink(result.value);
      const response = Web.Response.redirect(returnPath(request, "/account"));
      return ok(logIn(result.value, request, Web.Flash.setNotice(accountTexts().welcome, response)));
    }),
    showAccount: show(schemas.passwordChange, accountPage),
    // Ends all sessions and tokens, and starts a new session for this browser.
    changePassword: submit(schemas.passwordChange, accountPage, async (request, change) => {
      const result = await account.changePassword(await UserWeb.userOrThrow(request), change);
      if (!result.ok) return result;
      return ok(logIn(result.value, request, redirect(request, "/account", accountTexts().passwordChanged)));
    }),
    endSession: async (request) => {
      await user.endSessionById(await UserWeb.userOrThrow(request), request.params["id"] ?? "");
      return redirect(request, "/account", accountTexts().deviceLoggedOut);
    },
    endOtherSessions: async (request) => {
      await UserWeb.logoutElsewhere(request);
      return redirect(request, "/account", accountTexts().othersLoggedOut);
    },
    showEmailChange: show(schemas.emailChange, views.emailChange),
    changeEmail: submit(schemas.emailChange, views.emailChange, async (request, change) => {
      const result = await account.sendEmailChangeLink(await UserWeb.userOrThrow(request), change);
      return result.ok ? ok(redirect(request, "/account", accountTexts().linkSentTo(result.value))) : result;
    }),
    sendLink: async (request) => {
      await account.sendConfirmationLink(await UserWeb.userOrThrow(request));
      return redirect(request, "/account", accountTexts().linkSent);
    },
    // Changes nothing, because e-mail scanners open links, too.
    showConfirmation: async (request) => {
      const token = request.query.get("token") ?? "";
      const address = await account.findEmailOpt(await UserWeb.userOrThrow(request), token);
      const page =
        address === undefined
          ? await respond(request, views.linkInvalid(request), 410)
          : await respond(request, views.confirmation(request, address, token));
      // The URL contains the token: keep it out of the Referer header and of caches.
      return page.withHeader("referrer-policy", "no-referrer").withHeader("cache-control", "no-store");
    },
    // A new address ends all sessions and starts a new one for this browser.
    confirm: async (request) => {
      const { value } = schemas.confirmation.decode(await request.form());
      const result = await account.confirmEmail(await UserWeb.userOrThrow(request), value?.token ?? "");
      if (!result.ok) return respond(request, views.linkInvalid(request, Object.values(result.error)[0]), 410);
      return logIn(
        result.value,
        request,
        redirect(request, "/account", accountTexts().emailConfirmed(result.value.email)),
      );
    },
    showDeletion: show(schemas.deletion, views.deletion),
    deleteAccount: submit(schemas.deletion, views.deletion, async (request, { password }) => {
      const current = await UserWeb.userOrThrow(request);
      const result = await account.deleteAccount(current, password);
      if (!result.ok) return result;
      return ok(UserWeb.logout(request, redirect(request, "/", accountTexts().accountDeleted)));
    }),
  };
}

const ok = async (response: Web.Response | Promise<Web.Response>): Promise<Result<Web.Response, never>> => ({
  ok: true,
  value: await response,
});

const accountTexts = (): LanguageInternals.ServiceTexts["account"] =>
  LanguageInternals.frameworkTexts().services.account;

/** Redirects to a page, which shows the notice. */
const redirect = (request: Web.Request, path: string, notice: string): Web.Response =>
  Web.Flash.setNotice(notice, Web.Response.redirect(request.prefix + path));
