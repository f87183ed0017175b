import { addressKey } from "../../email-address/index.ts";
import { Time } from "../../time/index.ts";
import type { Inbox, KeptMail, Mail } from "./contract.ts";

/** An inbox, and the way into it. */
export interface OpenInbox extends Inbox {
  keep(mail: Mail): KeptMail;
}

const mostMails = 500;

/** Makes an inbox in the memory of this process. */
export function makeInbox(): OpenInbox {
  let mails: readonly KeptMail[] = [];
  return {
    keep: (mail) => {
      const kept = { ...mail, kept_at: Time.now() };
      mails = [kept, ...mails].slice(0, mostMails);
      return kept;
    },
    all: () => mails,
    to: (address) => {
      const wanted = addressKey(address);
      return mails.filter(({ recipients, cc, bcc }) =>
        [...recipients, ...cc, ...bcc].some((mailbox) => addressKey(mailbox.address) === wanted),
      );
    },
    find: (id) => mails.find((mail) => mail.id === id),
    clear: () => {
      mails = [];
    },
  };
}
