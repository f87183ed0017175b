import { Email, PasswordReset, User, Web } from "limmat";
import { account as accountService, email, passwordReset, user } from "../service/service.ts";
import * as components from "../web/view/components.ts";
import { layout } from "../web/view/layout.ts";
import { previews } from "../app/mail/mail.ts";

const pages = User.Web.accountRouter({ account: accountService, user, layout, components, keep: ["cart"] });

// The layout shows the user.
const middlewares = [...Web.Middleware.site(), User.Web.middleware(user, { preload: true })];
const passwordResetPages = PasswordReset.Web.router({ passwordReset, layout, middlewares, loginPath: "/login" });

// Shows the e-mails of the application. Only available in development and test (FRAMEWORK_ENV).
const inbox = Web.choose([Email.Web.inbox({ email, previews })], { scope: "/mails" });

/** Routes of registration, login, account and password reset. */
export const account = Web.choose([pages, passwordResetPages, inbox]);
