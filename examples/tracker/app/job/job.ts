import { deleteFiles } from "../domain/attachment/files.ts";

/** Jobs of the application. */
export const jobs = [deleteFiles];
