import { addressKey } from "../../../email-address/index.ts";
import { Time } from "../../../time/index.ts";
import type { CapturedMail, Inbox, Mail } from "../contract.ts";

/** An inbox to which mails can be added. */
export interface WritableInbox extends Inbox {
  add(mail: Mail): CapturedMail;
}

const maxMails = 500;

/** Makes an inbox in the memory of this process. */
export function makeInbox(): WritableInbox {
  let mails: readonly CapturedMail[] = [];
  return {
    add: (mail) => {
      const capturedMail = { ...mail, captured_at: Time.now() };
      mails = [capturedMail, ...mails].slice(0, maxMails);
      return capturedMail;
    },
    all: () => mails,
    to: (address) => {
      const key = addressKey(address);
      return mails.filter(({ recipients, cc, bcc }) =>
        [...recipients, ...cc, ...bcc].some((mailbox) => addressKey(mailbox.address) === key),
      );
    },
    findOpt: (id) => mails.find((mail) => mail.id === id),
    clear: () => {
      mails = [];
    },
  };
}
