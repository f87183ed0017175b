import { readFile, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, resolve, sep } from "node:path";
import { mediaType } from "../../../media-type/index.ts";
import type { AttachmentFile, EmailAttachment, MailAttachment } from "../contract.ts";
import { errors } from "../errors.ts";
import { findHeaderProblem, hasControlCharacter } from "./headers.ts";

// A queued mail is one SQL value, almost twice as long because of its encoding. MariaDB accepts 16 MiB by default.
const maxTotalBytes = 6 * 1024 * 1024;
const maxAttachments = 50;

/** Validates the attachments of a message and reads those on disk. @throws E_EMAIL_ATTACHMENT */
export async function readAttachments(attachments: readonly EmailAttachment[]): Promise<readonly MailAttachment[]> {
  if (attachments.length > maxAttachments) {
    throw errors.E_EMAIL_ATTACHMENT("list", `has more than ${maxAttachments} files`);
  }
  const mailAttachments: MailAttachment[] = [];
  let remainingBytes = maxTotalBytes;
  for (const attachment of attachments) {
    const name = checkName(attachment);
    const content =
      "path" in attachment ? await readFileWithinRoot(attachment, remainingBytes) : toBytes(attachment.content);
    remainingBytes -= content.length;
    if (remainingBytes < 0) throw errors.E_EMAIL_ATTACHMENT(name, "exceeds the total limit of 6 MiB");
    mailAttachments.push({
      name,
      type: checkMediaType(name, attachment.type),
      content,
      cid: checkContentId(name, attachment.cid),
    });
  }
  return mailAttachments;
}

const toBytes = (content: Uint8Array | string): Uint8Array =>
  typeof content === "string" ? Buffer.from(content.toWellFormed(), "utf8") : content;

function checkName(attachment: EmailAttachment): string {
  const name = "path" in attachment ? (attachment.name ?? basename(attachment.path)) : attachment.name;
  const problem = findHeaderProblem(name, 200);
  if (problem !== undefined) throw errors.E_EMAIL_ATTACHMENT(name, problem);
  if (name === "" || /[/\\]/.test(name)) throw errors.E_EMAIL_ATTACHMENT(name, "needs a name without folders");
  return name;
}

function checkMediaType(name: string, type: string | undefined): string {
  if (type === undefined) return mediaType(name);
  if (/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/.test(type) && type.length <= 200) return type;
  throw errors.E_EMAIL_ATTACHMENT(name, "has an invalid media type");
}

function checkContentId(name: string, cid: string | undefined): string | undefined {
  if (cid === undefined || /^[\w.-]+(?:@[\w.-]+)?$/.test(cid)) return cid;
  throw errors.E_EMAIL_ATTACHMENT(name, "has a cid with characters other than letters, digits, dots and hyphens");
}

/** Reads a file below its root. The check follows symbolic links first. */
async function readFileWithinRoot({ path, root }: AttachmentFile, maxBytes: number): Promise<Uint8Array> {
  if (!isAbsolute(root)) throw errors.E_EMAIL_ATTACHMENT(path, "has a root that is not an absolute path");
  if (hasControlCharacter(path)) throw errors.E_EMAIL_ATTACHMENT(path, "is not a valid path");
  try {
    const folder = await realpath(root);
    const file = await realpath(resolve(folder, path));
    const stats = await stat(file);
    if (!file.startsWith(folder.endsWith(sep) ? folder : folder + sep) || !stats.isFile()) {
      throw errors.E_EMAIL_ATTACHMENT(path, "is not a file below its root");
    }
    if (stats.size > maxBytes) throw errors.E_EMAIL_ATTACHMENT(path, "is too large");
    return await readFile(file);
  } catch (cause) {
    if (cause instanceof Error && "syscall" in cause) {
      throw errors.E_EMAIL_ATTACHMENT(path, "is not a readable file").causedBy(cause);
    }
    throw cause;
  }
}
