import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { addressKey } from "../../../email-address/index.ts";
import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";
import type { CapturedMail, Inbox, Mail } from "../contract.ts";
import { type MailJson, mailFromJson, mailToJson } from "./sealed-mail.ts";

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

const maxMails = 500;
const maxFileBytes = 32 * 1024 * 1024;

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
      const isTo = ({ recipients, cc, bcc }: Mail): boolean =>
        [...recipients, ...cc, ...bcc].some((mailbox) => addressKey(mailbox.address) === key);
      return store.read().filter(isTo);
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

/** Returns mails in a file that processes share: one in JSON on each line, the newest last. */
export function mailsInFile(file: string): MailStore {
  let parsed: { readonly version: string; readonly mails: readonly CapturedMail[] } | undefined;

  const read = (): readonly CapturedMail[] => {
    const { version } = stateOf(file);
    if (parsed?.version !== version) parsed = { version, mails: readMails(file) };
    return parsed.mails;
  };

  /** Removes the oldest mails, so that the file has at most half of its maximum size. */
  const shrink = (): void => {
    const lines: string[] = [];
    let sizeBytes = 0;
    for (const line of read().map(toLine)) {
      sizeBytes += Buffer.byteLength(line);
      if (sizeBytes > maxFileBytes / 2) break;
      lines.unshift(line);
    }
    const temporaryFile = `${file}.${process.pid}`;
    writeFileSync(temporaryFile, lines.join(""), { mode: 0o600 });
    renameSync(temporaryFile, file);
  };

  return {
    file,
    read,
    add: (mail) => {
      const line = toLine(mail);
      mkdirSync(dirname(file), { recursive: true });
      if (stateOf(file).sizeBytes + Buffer.byteLength(line) > maxFileBytes) shrink();
      // Mails contain links that give access to accounts.
      appendFileSync(file, line, { mode: 0o600 });
    },
    clear: () => rmSync(file, { force: true }),
  };
}

function stateOf(file: string): { readonly version: string; readonly sizeBytes: number } {
  const stats = statSync(file, { throwIfNoEntry: false });
  return { version: `${stats?.ino} ${stats?.size} ${stats?.mtimeMs}`, sizeBytes: stats?.size ?? 0 };
}

const toLine = (mail: CapturedMail): string => `${JSON.stringify(mailToJson(mail))}\n`;

function readMails(file: string): readonly CapturedMail[] {
  const lines = readLines(file).toReversed().slice(0, maxMails);
  return lines.flatMap((line) => {
    try {
      const json = JSON.parse(line) as MailJson & { readonly captured_at: string };
      return [{ ...mailFromJson(json), captured_at: new Date(json.captured_at) }];
    } catch {
      // Of another version, or cut off when the process was killed.
      return [];
    }
  });
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n");
  } catch {
    return [];
  }
}
