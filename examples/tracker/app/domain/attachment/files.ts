import { Queue, Schema } from "limmat";
import type { OperationOptions } from "limmat/database";
import { Policy } from "limmat/policy";
import { database, queue, storage } from "../../../service/service.ts";
import { attachments, attachmentsOf } from "./repository.ts";

/** The job `attachment.delete_files`. */
export const deleteFiles = Queue.job({
  name: "attachment.delete_files",
  input: Schema.record({ files: Schema.list(Schema.uuid()) }),
  handle: async ({ files }) => {
    for (const file of files) await storage.delete(file);
  },
});

/**
 * Deletes the files of something that the same transaction deletes. A job does it after the commit, and again if it fails,
 * so that no row refers to a missing file and no file is forgotten.
 */
export async function deleteFilesOf(
  subject: keyof typeof attachmentsOf,
  id: string,
  options?: OperationOptions,
): Promise<void> {
  const read = { ...options, where: attachmentsOf[subject](id) };
  const rows = await Policy.unchecked(`files of a deleted ${subject}`, () => attachments.collect(database, read));
  if (rows.length > 0) await queue.dispatch(deleteFiles, { files: rows.map(({ file }) => file) }, options);
}
