import { join } from "node:path";

/** Where the parts of a file are. Made of an id and of nothing else that comes from outside. */
export interface Place {
  /** The folder of both. Files are spread over 65,536, because no file system likes millions in one. */
  readonly folder: string;
  readonly content: string;
  /** What is known of it, as JSON. Empty as long as the content is being written. */
  readonly facts: string;
}

/** The folder of what is being written, on the same file system as where it is moved to. */
export const incoming = "incoming";

/** Which entries of the directory are a storage's own. */
export const shard: RegExp = /^[0-9a-f]{2}$/;

/** The place of a file whose id is a UUID in lower case. */
export function placeOf(directory: string, id: string): Place {
  const folder = join(directory, id.slice(0, 2), id.slice(2, 4));
  return { folder, content: join(folder, id), facts: join(folder, `${id}.json`) };
}
