import type { AccountMails, AccountMessages } from "./contract.ts";

/** Default messages, in English. */
export const englishMessages: AccountMessages = Object.freeze<AccountMessages>({
  linkInvalid: "This link is invalid or expired. Please request a new one.",
  accountInUse: "Your account cannot be deleted while other data depends on it.",
});

/** Default mails, in English. */
export const englishMails: AccountMails = Object.freeze<AccountMails>({
  confirm: ({ url, expiresInHours }) => ({
    subject: "Confirm your e-mail address",
    text: `Please confirm that this is your address. Log in on this page within ${expiresInHours} hours:

${url}

If you have not registered, do nothing: somebody may have mistyped an address.
`,
  }),
  change: ({ url, expiresInHours }) => ({
    subject: "Confirm your new e-mail address",
    text: `Somebody asked to make this the address of an account. If it was you, log in as before on this page within ${expiresInHours} hours:

${url}

If it was not you, do nothing: somebody may have mistyped an address.
`,
  }),
  changeRequested: () => ({
    subject: "Your e-mail address is about to change",
    text: `Somebody who knows your password asked for another e-mail address for your account. It changes when the link in a mail to
that address is followed.

If it was you, you need not do anything. If it was not you, set a new password at once: that makes the link invalid and
logs out all devices.
`,
  }),
  changed: () => ({
    subject: "Your e-mail address has changed",
    text: `Your account has another e-mail address now, which receives its mails. You can no longer log in with this one.

If it was not you, contact the operators of the site at once.
`,
  }),
  passwordChanged: () => ({
    subject: "Your password has changed",
    text: `The password of your account was changed, and all devices were logged out.

If it was not you, set a new password at once, by the link for forgotten passwords on the login page, and contact the
operators of the site.
`,
  }),
});
