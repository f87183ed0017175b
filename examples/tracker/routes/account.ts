import { Email, PasswordReset, Time, User, Web } from "limmat";
import { email, passwordReset, user } from "../service/service.ts";
import * as Account from "../web/handler/account.ts";
import * as Address from "../web/handler/email.ts";
import * as Session from "../web/handler/session.ts";
import { layout } from "../web/view/layout.ts";

const loginPath = "/login";

// Limits login attempts per client address. The user service limits them per account and address.
const credentialRoutes = Web.choose([Web.post("/register", Account.create), Web.post("/login", Session.create)], {
  middlewares: [Web.Middleware.requestLimit({ name: "login", limit: 30, periodMs: Time.minutes(1) })],
});

// Limits how many e-mails a user can request.
const emailRoutes = Web.choose(
  [Web.post("/account/email", Address.update), Web.post("/account/email/link", Address.sendLink)],
  {
    middlewares: [
      Web.Middleware.requestLimit({ name: "links", limit: 10, periodMs: Time.hours(1), key: User.Web.byUser }),
    ],
  },
);

const memberRoutes = Web.choose(
  [
    Web.get("/account", Account.show),
    Web.post("/account/password", Account.updatePassword),
    Web.post("/account/sessions/end", Account.endOtherSessions),
    Web.post("/account/sessions/:id/end", Account.endSession),
    Web.get("/account/email", Address.edit),
    Web.get("/account/email/confirm", Address.show),
    Web.post("/account/email/confirm", Address.confirm),
    emailRoutes,
    Web.get("/account/delete", Account.remove),
    Web.post("/account/delete", Account.destroy),
  ],
  { middlewares: [User.Web.requireUser({ loginPath })] },
);

const pages = Web.choose(
  [
    Web.get("/register", Account.newAccount),
    Web.get("/login", Session.newSession),
    Web.post("/logout", Session.destroy),
    credentialRoutes,
    memberRoutes,
  ],
  { middlewares: [...Web.Middleware.site(), User.Web.middleware(user)] },
);

const passwordResetPages = PasswordReset.Web.router({ passwordReset, layout, loginPath });

// Shows the e-mails of the application. Only available in development and test (FRAMEWORK_ENV).
const inbox = Web.choose([Email.Web.inbox({ email })], { scope: "/mails" });

/** Routes of registration, login, account and password reset. */
export const account = Web.choose([pages, passwordResetPages, inbox]);
