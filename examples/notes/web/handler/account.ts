import { Form, Time, User, Web } from "limmat";
import { account, database, email, token, user } from "../../service/service.ts";
import * as AccountView from "../view/account.ts";

export const newAccount = (request: Web.Request): Web.Response =>
  Web.Response.html(AccountView.create(request, AccountView.registration.fill()));

export async function create(request: Web.Request): Promise<Web.Response> {
  const { form, value } = AccountView.registration.decode(await request.form());
  if (value === undefined) return Web.Response.html(AccountView.create(request, form), { status: 422 });
  const result = await user.registerUser(value);
  if (!result.ok) {
    return Web.Response.html(AccountView.create(request, Form.withErrors(form, result.error)), { status: 422 });
  }
  await email.send({
    recipient: result.value.email,
    subject: "Welcome to Notes",
    text: "Your notes are yours alone. Have fun!",
  });
  return User.Web.login(result.value, request, Web.Flash.setNotice("Welcome!", Web.Response.redirect("/notes")));
}

/** Options of the account page. */
interface AccountPageOptions {
  readonly form?: Form;
  readonly newToken?: string;
  readonly status?: number;
}

async function accountPage(request: Web.Request, options: AccountPageOptions = {}): Promise<Web.Response> {
  const { form = AccountView.passwordChange.fill(), newToken, status = 200 } = options;
  const current = await User.Web.userOrThrow(request);
  const tokens = await token.list({ owner: current.id, purpose: "api" });
  const content = {
    user: current,
    sessions: await User.Web.sessions(request),
    tokens: tokens.filter((apiToken) => apiToken.status === "active"),
    password: form,
  };
  return Web.Response.html(AccountView.show(request, newToken === undefined ? content : { ...content, newToken }), {
    status,
  });
}

export const show = (request: Web.Request): Promise<Web.Response> => accountPage(request);

export async function updatePassword(request: Web.Request): Promise<Web.Response> {
  const { form, value } = AccountView.passwordChange.decode(await request.form());
  if (value === undefined) return accountPage(request, { form, status: 422 });
  const result = await account.changePassword(await User.Web.userOrThrow(request), value);
  if (!result.ok) return accountPage(request, { form: Form.withErrors(form, result.error), status: 422 });
  const response = Web.Flash.setNotice("Your password is changed", Web.Response.redirect("/account"));
  return User.Web.login(result.value, request, response);
}

export async function endSession(request: Web.Request<{ readonly id: string }>): Promise<Web.Response> {
  await user.endSessionById(await User.Web.userOrThrow(request), request.params.id);
  return Web.Flash.setNotice("The device is logged out", Web.Response.redirect("/account"));
}

export async function endOtherSessions(request: Web.Request): Promise<Web.Response> {
  await User.Web.logoutElsewhere(request);
  return Web.Flash.setNotice("All other devices are logged out", Web.Response.redirect("/account"));
}

export async function createToken(request: Web.Request): Promise<Web.Response> {
  const current = await User.Web.userOrThrow(request);
  const newToken = await database.transaction(async () => {
    // A token that is created while the password changes must not outlive the change.
    await user.requireUnchanged(current);
    return token.create({}, { purpose: "api", owner: current.id, expiresInMs: Time.days(90) });
  });
  return (await accountPage(request, { newToken })).withHeader("cache-control", "no-store");
}

export async function revokeToken(request: Web.Request<{ readonly id: string }>): Promise<Web.Response> {
  const { id } = await User.Web.userOrThrow(request);
  await token.deactivateById(request.params.id, { owner: id });
  return Web.Flash.setNotice("The token is revoked", Web.Response.redirect("/account"));
}
