import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { CapturedMail } from "../contract.ts";
import { type MailStore, maxMails } from "./inbox.ts";
import { type MailJson, mailFromJson, mailToJson } from "./sealed-mail.ts";

const maxFileBytes = 32 * 1024 * 1024;

/**
 * Returns mails in a file, which outlive the process and are shared by processes: one in JSON on each line, the newest last.
 */
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

type CapturedMailJson = MailJson & { readonly captured_at: string };

const toLine = (mail: CapturedMail): string => `${JSON.stringify(mailToJson(mail))}\n`;

function readMails(file: string): readonly CapturedMail[] {
  const lines = readLines(file).toReversed().slice(0, maxMails);
  return lines.flatMap((line) => {
    try {
      const json = JSON.parse(line) as CapturedMailJson;
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
