import { addressKey } from "../../../email-address/index.ts";
import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";
import type { CapturedMail, Inbox, Mail } from "../contract.ts";

/** An inbox to which mails can be added. */
export interface WritableInbox extends Inbox {
  add(mail: Mail): void;
  /** Keeps the mails in a store from now on, unless it has the same file as the current one. Default: in memory. */
  storeIn(store?: MailStore): void;
}

/** Mails of an inbox, newest first. */
export interface MailStore {
  /** File of the mails, unless they are in memory. */
  readonly file: string | undefined;
  readonly read: () => readonly CapturedMail[];
  readonly add: (mail: CapturedMail) => void;
  readonly clear: () => void;
}

/** Maximum number of mails that an inbox keeps. */
export const maxMails = 500;

const log = Log.source("limmat.email");

/** Makes an inbox in the memory of this process. */
export function makeInbox(): WritableInbox {
  let store = mailsInMemory();
  return {
    add: (mail) => {
      const capturedMail = { ...mail, captured_at: Time.now() };
      try {
        store.add(capturedMail);
      } catch (error) {
        log.warning(`Captured mails are kept in memory, because "${store.file}" cannot be written`, { error });
        store = mailsInMemory();
        store.add(capturedMail);
      }
    },
    all: () => store.read(),
    to: (address) => {
      const key = addressKey(address);
      return store
        .read()
        .filter(({ recipients, cc, bcc }) =>
          [...recipients, ...cc, ...bcc].some((mailbox) => addressKey(mailbox.address) === key),
        );
    },
    findOpt: (id) => store.read().find((mail) => mail.id === id),
    clear: () => store.clear(),
    storeIn: (newStore = mailsInMemory()) => {
      if (newStore.file !== store.file) store = newStore;
    },
  };
}

function mailsInMemory(): MailStore {
  let mails: readonly CapturedMail[] = [];
  return {
    file: undefined,
    read: () => mails,
    add: (mail) => {
      mails = [mail, ...mails].slice(0, maxMails);
    },
    clear: () => {
      mails = [];
    },
  };
}
