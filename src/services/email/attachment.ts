import { readFile, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, resolve, sep } from "node:path";
import type { AttachmentFile, EmailAttachment, MailAttachment } from "./contract.ts";
import { hasControl, headerProblem } from "./control.ts";
import { errors } from "./errors.ts";
import { mediaType } from "./media-type.ts";

// Sealed in a queue a mail is one value of a statement, almost twice as long, of which MariaDB takes 16 MiB unless told otherwise.
const mostBytes = 6 * 1024 * 1024;
const mostFiles = 50;

/**
 * Reads what comes with a mail, files from the disk included.
 *
 * @throws E_EMAIL_ATTACHMENT
 */
export async function readAttachments(given: readonly EmailAttachment[]): Promise<readonly MailAttachment[]> {
  if (given.length > mostFiles) throw errors.E_EMAIL_ATTACHMENT("list", `has more than ${mostFiles} files`);
  const attachments: MailAttachment[] = [];
  let left = mostBytes;
  for (const attachment of given) {
    const name = nameOf(attachment);
    const content = "path" in attachment ? await readWithin(attachment, left) : bytesOf(attachment.content);
    left -= content.length;
    if (left < 0) throw errors.E_EMAIL_ATTACHMENT(name, "is too much: all of them may have 6 MiB together");
    attachments.push({ name, type: typeOf(name, attachment.type), content, cid: cidOf(name, attachment.cid) });
  }
  return attachments;
}

const bytesOf = (content: Uint8Array | string): Uint8Array =>
  typeof content === "string" ? Buffer.from(content.toWellFormed(), "utf8") : content;

function nameOf(attachment: EmailAttachment): string {
  const name = "path" in attachment ? (attachment.name ?? basename(attachment.path)) : attachment.name;
  const problem = headerProblem(name, 200);
  if (problem !== undefined) throw errors.E_EMAIL_ATTACHMENT(name, problem);
  if (name === "" || /[/\\]/.test(name)) throw errors.E_EMAIL_ATTACHMENT(name, "needs a name without folders");
  return name;
}

function typeOf(name: string, type: string | undefined): string {
  if (type === undefined) return mediaType(name);
  if (/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/.test(type) && type.length <= 200) return type;
  throw errors.E_EMAIL_ATTACHMENT(name, "has a type that is no media type");
}

function cidOf(name: string, cid: string | undefined): string | undefined {
  if (cid === undefined || /^[\w.-]+(?:@[\w.-]+)?$/.test(cid)) return cid;
  throw errors.E_EMAIL_ATTACHMENT(name, "has a cid with other signs than letters, digits, dots and hyphens");
}

/** Reads a file that really lies below its root: looked at after all symbolic links are followed. */
async function readWithin({ path, root }: AttachmentFile, left: number): Promise<Uint8Array> {
  if (!isAbsolute(root)) throw errors.E_EMAIL_ATTACHMENT(path, "has a root that is no absolute path");
  if (hasControl(path)) throw errors.E_EMAIL_ATTACHMENT(path, "is no path");
  try {
    const folder = await realpath(root);
    const file = await realpath(resolve(folder, path));
    const found = await stat(file);
    if (!file.startsWith(folder.endsWith(sep) ? folder : folder + sep) || !found.isFile()) {
      throw errors.E_EMAIL_ATTACHMENT(path, "is no file below its root");
    }
    if (found.size > left) throw errors.E_EMAIL_ATTACHMENT(path, "is too large");
    return await readFile(file);
  } catch (cause) {
    if (cause instanceof Error && "syscall" in cause) {
      throw errors.E_EMAIL_ATTACHMENT(path, "is no file that can be read").causedBy(cause);
    }
    throw cause;
  }
}
