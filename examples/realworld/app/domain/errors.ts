import { LimmatError } from "limmat";

/** What is wrong with what somebody sent, by field. */
export type Problems = Readonly<Record<string, string>>;

/** There is no such thing (404). */
export const notFound = (what: string): LimmatError =>
  new LimmatError("E_CONDUIT_NOT_FOUND", `There is no such ${what}`, { status: 404 });

/** It is somebody else's (403). */
export const notYours = (what: string): LimmatError =>
  new LimmatError("E_CONDUIT_NOT_YOURS", `This ${what} is somebody else's`, { status: 403 });
