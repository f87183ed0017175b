import { linkMessage } from "../../mail-layout/index.ts";
import type { AccountMails, AccountMessages } from "./contract.ts";

/** Default messages, in English. */
export const englishMessages: AccountMessages = Object.freeze<AccountMessages>({
  linkInvalid: "This link is invalid or expired. Please request a new one.",
  accountInUse: "Your account cannot be deleted while other data depends on it.",
});

/** Default mails, in English. */
export const englishMails: AccountMails = Object.freeze<AccountMails>({
  confirm: ({ url, expiresInHours }) =>
    linkMessage({
      subject: "Confirm your e-mail address",
      before: [`Please confirm that this is your address. Log in on this page within ${expiresInHours} hours:`],
      link: { label: "Confirm the address", url },
      after: ["If you have not registered, do nothing: somebody may have mistyped an address."],
    }),
  change: ({ url, expiresInHours }) =>
    linkMessage({
      subject: "Confirm your new e-mail address",
      before: [
        `Somebody asked to make this the address of an account. If it was you, log in as before on this page within ${expiresInHours} hours:`,
      ],
      link: { label: "Confirm the address", url },
      after: ["If it was not you, do nothing: somebody may have mistyped an address."],
    }),
  changeRequested: () =>
    linkMessage({
      subject: "Your e-mail address is about to change",
      before: [
        "Somebody who knows your password asked for another e-mail address for your account. It changes when the link in a mail to that address is followed.",
        "If it was you, you need not do anything. If it was not you, set a new password at once: that makes the link invalid and logs out all devices.",
      ],
    }),
  changed: () =>
    linkMessage({
      subject: "Your e-mail address has changed",
      before: [
        "Your account has another e-mail address now, which receives its mails. You can no longer log in with this one.",
        "If it was not you, contact the operators of the site at once.",
      ],
    }),
  passwordChanged: () =>
    linkMessage({
      subject: "Your password has changed",
      before: [
        "The password of your account was changed, and all devices were logged out.",
        "If it was not you, set a new password at once, by the link for forgotten passwords on the login page, and contact the operators of the site.",
      ],
    }),
});
