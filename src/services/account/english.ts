import type { AccountMails, AccountMessages } from "./contract.ts";

/** The messages when an application gives none. */
export const englishMessages: AccountMessages = Object.freeze({
  linkRefused: "This link is not valid, or no longer. Please ask for a new one.",
  stillNeeded: "Your account cannot be deleted while other data depends on it.",
});

/** The mails when an application writes none. */
export const englishMails: AccountMails = Object.freeze<AccountMails>({
  confirm: ({ url, hours }) => ({
    subject: "Confirm your e-mail address",
    text: `Please confirm that this is your address. Log in on this page within ${hours} hours:

${url}

If you have not registered, do nothing: somebody may have mistyped an address.
`,
  }),
  change: ({ url, hours }) => ({
    subject: "Confirm your new e-mail address",
    text: `Somebody asked to make this the address of an account. If it was you, log in as before on this page within ${hours} hours:

${url}

If it was not you, do nothing: somebody may have mistyped an address.
`,
  }),
  changeAsked: () => ({
    subject: "Your e-mail address is about to change",
    text: `Somebody who knows your password asked for another e-mail address for your account. It changes when the link in a mail to
that address is followed.

If it was you, there is nothing to do here. If it was not you, set a new password at once: that makes the link worthless,
and logs out everybody.
`,
  }),
  changed: () => ({
    subject: "Your e-mail address has changed",
    text: `Your account has another e-mail address now, and mails go there. This one no longer opens it.

If it was not you, tell those who run the site at once.
`,
  }),
});
