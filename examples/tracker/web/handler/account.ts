import { type Account, Form, User } from "limmat";
import { Flash, type Request, Response } from "limmat/web";
import { account, user } from "../../service/service.ts";
import * as AccountView from "../view/account.ts";
import * as TeamMembers from "../../app/domain/team/members.ts";

/** Shows the registration page. */
export const newAccount = (request: Request): Response =>
  Response.html(AccountView.create(request, AccountView.registration.fill()));

/** Creates an account, sends a confirmation link, and logs in. */
export async function create(request: Request): Promise<Response> {
  const { form, value } = AccountView.registration.decode(await request.form());
  if (value === undefined) return Response.html(AccountView.create(request, form), { status: 422 });
  const result = await user.registerUser(value);
  if (!result.ok) {
    return Response.html(AccountView.create(request, Form.withErrors(form, result.error)), { status: 422 });
  }
  await account.sendConfirmationLink(result.value);
  return User.Web.login(result.value, request, redirectToAccount(request, "Welcome!"));
}

/** Shows the account page. */
export const show = (request: Request): Promise<Response> => accountPage(request, AccountView.passwordChange.fill());

/** Changes the password, ends all sessions and tokens, and starts a new session for this browser. */
export async function updatePassword(request: Request): Promise<Response> {
  const { form, value } = AccountView.passwordChange.decode(await request.form());
  if (value === undefined) return accountPage(request, form, 422);
  const result = await account.changePassword(await User.Web.userOrThrow(request), value);
  if (!result.ok) return accountPage(request, Form.withErrors(form, result.error), 422);
  return User.Web.login(result.value, request, redirectToAccount(request, "Your password is changed"));
}

/** Logs out one device. */
export async function endSession(request: Request<{ readonly id: string }>): Promise<Response> {
  await user.endSessionById(await User.Web.userOrThrow(request), request.params.id);
  return redirectToAccount(request, "The device is logged out");
}

/** Logs out all other devices. */
export async function endOtherSessions(request: Request): Promise<Response> {
  await User.Web.logoutElsewhere(request);
  return redirectToAccount(request, "All other devices are logged out");
}

/** Shows the page that deletes the account. */
export const remove = (request: Request): Response =>
  Response.html(AccountView.remove(request, AccountView.deletion.fill()));

/** Rules that can refuse the deletion of an account. */
const deletionChecks: readonly Account.DeletionCheck[] = [TeamMembers.checkDeletion];

/** Deletes the account and logs out all devices. */
export async function destroy(request: Request): Promise<Response> {
  const { form, value } = AccountView.deletion.decode(await request.form());
  if (value === undefined) return Response.html(AccountView.remove(request, form), { status: 422 });
  const current = await User.Web.userOrThrow(request);
  const result = await account.deleteAccount(current, value.password, { checks: deletionChecks });
  if (!result.ok) {
    return Response.html(AccountView.remove(request, Form.withErrors(form, result.error)), { status: 422 });
  }
  const home = Response.redirect(`${request.prefix}/`);
  return User.Web.logout(request, Flash.setNotice("Your account is deleted", home));
}

async function accountPage(request: Request, password: Form, status = 200): Promise<Response> {
  const [member, sessions] = [await User.Web.userOrThrow(request), await User.Web.sessions(request)];
  return Response.html(AccountView.show(request, { member, sessions, password }), { status });
}

/** Redirects to the account page, which shows the notice. */
export const redirectToAccount = (request: Request, notice: string): Response =>
  Flash.setNotice(notice, Response.redirect(`${request.prefix}/account`));
