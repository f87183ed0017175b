import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_USER_NOT_FOUND: { status: 404, message: "There is no such user." },
  E_USER_CHANGED: {
    status: 409,
    message: "This account was deactivated or has changed in the meantime. Please log in again.",
  },
  E_USER_EMAIL_INVALID: {
    status: 422,
    message: "An e-mail address is a name, an @ and a domain, at most 254 characters, without blanks.",
  },
  E_USER_EMAIL_TAKEN: { status: 409, message: "There is a user with this e-mail address already." },
  E_USER_FIELD: {
    status: 422,
    message: (field: string, problem: string): string => `The field "${field}" of a user ${problem}.`,
  },
  E_USER_LOGIN_REQUIRED: { status: 401, message: "Please log in first." },
  E_USER_ADMIN_REQUIRED: { status: 403, message: "Only admins may do this." },
  E_USER_CONFIRMATION_REQUIRED: { status: 403, message: "Please confirm your e-mail address first." },
  E_USER_REMOVAL_REFUSED: { status: 409, message: (reason: string): string => reason },
  E_USER_TOKEN: { status: 401, message: "A valid token is required." },
  E_USER_IMPERSONATION: { status: 403, message: "An admin may act as another active user who is no admin." },
  E_USER_IMPERSONATION_REASON: { status: 422, message: "Please state a reason, in 1 to 500 characters." },
  E_USER_IMPERSONATION_SETUP: (problem: string): string => `Impersonation is not set up: ${problem}`,
  E_USER_MIDDLEWARE:
    "This route has no current user. Add User.Web.middleware(user), or User.Web.userFromToken(user, …), to its router.",
  E_USER_NOT_LOADED: (path: string): string =>
    `User.Web.current does not read the database, and the user of ${path} was not loaded before. Add ` +
    "User.Web.middleware(user, { preload: true }) to the router of the page, or await User.Web.user(request) in its handler.",
  E_USER_GUARD_PATH: (path: string): string =>
    `A guard cannot redirect to ${JSON.stringify(path)}. Use a path on this site that begins with one slash.`,
  E_USER_COMMAND: (problem: string): string => problem,
};

export const errors: Catalogue<typeof entries> = catalogue(entries);
