import { ConfigurationInternals } from "../../config/index.ts";
import { type Catalogue, catalogue, messageOf, type Service } from "../../core/index.ts";

const entries = {
  E_EMAIL_ADDRESS: {
    status: 422,
    message: (field: string, value: unknown, problem: string): string =>
      `The ${field} of a mail, ${JSON.stringify(String(value).slice(0, 80))}, ${problem}.`,
  },
  E_EMAIL_MESSAGE: (field: string, problem: string): string => `The mail cannot be sent: its ${field} ${problem}.`,
  E_EMAIL_ATTACHMENT: (name: string, problem: string): string =>
    `The mail cannot be sent: its attachment ${JSON.stringify(name.slice(0, 80))} ${problem}.`,
  E_EMAIL_SENDER_MISSING: (key: string): string =>
    `The mail has no sender. Give it one, or set ${key} as the default sender.`,
  E_EMAIL_UNAVAILABLE: {
    status: 503,
    message: (server: string, cause: unknown): string =>
      `The mail could not be sent to ${server}: ${messageOf(cause)}. A retry may succeed.`,
  },
  E_EMAIL_REFUSED: (server: string, reply: string): string =>
    `${server} refused the mail: ${reply}. A retry cannot succeed.`,
  E_EMAIL_NOT_STARTED: ({ name, declaration }: Service.Service): string =>
    `The e-mail service "${name}"${ConfigurationInternals.projectLine(declaration)} is not started. Add it to the application's service list or to the command's dependencies.`,
  E_EMAIL_SETTINGS: (problem: string): string => `The e-mail settings are invalid: ${problem}.`,
  E_EMAIL_SEALED:
    "A queued mail cannot be decrypted: it was encrypted with another secret. Put the former secret into FRAMEWORK_SECRET_OLD.",
  E_EMAIL_INBOX_PAGE: { status: 404, message: "There is no such page." },
  E_EMAIL_TEMPLATE_VALUE: (label: string, name: string): string =>
    `The template "${label}" needs a value for {${name}}, but none was given.`,
  E_EMAIL_LIBRARY_MISSING: (name: string, version: string): string =>
    `The package "${name}" is not installed. Install it with: npm install ${name}@${version}`,
};

export const errors: Catalogue<typeof entries> = catalogue(entries);
