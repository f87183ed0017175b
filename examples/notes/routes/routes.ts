import { Email, PasswordReset, Queue, Time, User, Web } from "limmat";
import { schema } from "../app/domain/note/entity.ts";
import * as Note from "../app/domain/note/note.ts";
import { email, passwordReset, queue, token, user } from "../service/service.ts";
import * as Account from "../web/handler/account.ts";
import * as Session from "../web/handler/session.ts";
import { layout } from "../web/view/layout.ts";
import * as NoteView from "../web/view/note.ts";

/** Returns the call context of a request: the owner of the notes. */
const ctx = async (request: Web.Request) => [["user_id", (await User.Web.user(request))?.id ?? ""]] as const;

const loginPath = "/login";

// Limits login attempts per client address. The user service limits them per account.
const credentialRoutes = Web.choose([Web.post("/register", Account.create), Web.post("/login", Session.create)], {
  middlewares: [Web.Middleware.requestLimit({ name: "login", limit: 30, periodMs: Time.minutes(1) })],
});

const guestRoutes = [Web.get("/login", Session.newSession), Web.get("/register", Account.newAccount), credentialRoutes];

const memberRoutes = Web.choose(
  [
    Web.get("/account", Account.show),
    Web.post("/account/password", Account.updatePassword),
    Web.post("/account/sessions/end", Account.endOtherSessions),
    Web.post("/account/sessions/:id/end", Account.endSession),
    Web.post("/account/tokens", Account.createToken),
    Web.post("/account/tokens/:id/revoke", Account.revokeToken),
    Web.post("/logout", Session.destroy),
    ...Web.Rest.resourceOfService({ name: "notes", schema, view: NoteView, service: Note, ctx }),
  ],
  { middlewares: [User.Web.requireUser({ loginPath })] },
);

const dashboard = Queue.Web.router({ queue, guards: [User.Web.requireAdmin({ loginPath })] });
const adminRoutes = Web.choose([dashboard], { scope: "/admin/queue" });

const site = Web.choose(
  [Web.get("/", () => Web.Response.redirect("/notes")), ...guestRoutes, memberRoutes, adminRoutes],
  {
    middlewares: [...Web.Middleware.site(), User.Web.middleware(user)],
  },
);

const readToken = async (text: string) => (await token.read(text, { purpose: "api" }))?.owner;

const api = Web.choose(Web.Rest.jsonOfService({ name: "notes", schema, service: Note, ctx }), {
  scope: "/api",
  middlewares: [
    ...Web.Middleware.api(),
    User.Web.userFromToken(user, readToken),
    Web.Middleware.requestLimit({ name: "api", limit: 100, periodMs: Time.minutes(1), key: Web.RequestLimit.byToken }),
  ],
});

const passwordResetPages = PasswordReset.Web.router({ passwordReset, layout, loginPath });

// Shows the e-mails of the application. Only available in development and test.
const inbox = Web.choose([Email.Web.inbox({ email })], { scope: "/mails" });

const apiDocument = Web.OpenApi.router({ title: "Notes", version: "1.0.0" });

export const router = Web.choose([site, api, passwordResetPages, inbox, apiDocument]);
