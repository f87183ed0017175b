import { Form, Schema, User } from "limmat";
import { type Request, Response } from "limmat/web";
import { account } from "../../service/service.ts";
import * as EmailView from "../view/email.ts";
import { redirectToAccount } from "./account.ts";

const confirmation = Schema.record({ token: Schema.string() });

/** Shows the page that changes the e-mail address. */
export const edit = (request: Request): Response =>
  Response.html(EmailView.edit(request, EmailView.addressChange.fill()));

/** Sends a link to the new address. Opening and confirming the link replaces the current address. */
export async function update(request: Request): Promise<Response> {
  const { form, value } = EmailView.addressChange.decode(await request.form());
  if (value === undefined) return Response.html(EmailView.edit(request, form), { status: 422 });
  const result = await account.sendEmailChangeLink(await User.Web.userOrThrow(request), value);
  if (!result.ok) {
    return Response.html(EmailView.edit(request, Form.withErrors(form, result.error)), { status: 422 });
  }
  return redirectToAccount(request, `We sent a link to ${result.value}`);
}

/** Sends the confirmation link to the current address again. */
export async function sendLink(request: Request): Promise<Response> {
  await account.sendConfirmationLink(await User.Web.userOrThrow(request));
  return redirectToAccount(request, "We sent you a link");
}

/** Shows the page behind a link. It changes nothing, because e-mail scanners open links, too. */
export async function show(request: Request): Promise<Response> {
  const token = request.query.get("token") ?? "";
  const address = await account.findEmailOpt(await User.Web.userOrThrow(request), token);
  const page =
    address === undefined
      ? Response.html(EmailView.refused(request), { status: 410 })
      : Response.html(EmailView.confirm(request, address, token));
  // The URL contains the token: keep it out of the Referer header and of caches.
  return page.withHeader("referrer-policy", "no-referrer").withHeader("cache-control", "no-store");
}

/** Confirms an address. A new address ends all sessions and starts a new one for this browser. */
export async function confirm(request: Request): Promise<Response> {
  const { value } = confirmation.decode(await request.form());
  const result = await account.confirmEmail(await User.Web.userOrThrow(request), value?.token ?? "");
  if (!result.ok) {
    const [problem] = Object.values(result.error);
    return Response.html(EmailView.refused(request, problem), { status: 410 });
  }
  return User.Web.login(result.value, request, redirectToAccount(request, `${result.value.email} is confirmed`));
}
