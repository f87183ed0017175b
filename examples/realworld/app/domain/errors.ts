import { LimmatError } from "limmat";

/** Error messages by field. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Returns the error for a missing entry (404). */
export const notFound = (entry: string): LimmatError =>
  new LimmatError("E_CONDUIT_NOT_FOUND", `There is no such ${entry}`, { status: 404 });

/** Returns the error for an entry of another user (403). */
export const notOwner = (entry: string): LimmatError =>
  new LimmatError("E_CONDUIT_NOT_OWNER", `This ${entry} belongs to another user`, { status: 403 });
