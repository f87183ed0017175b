import { type Catalogue, catalogue } from "../../core/index.ts";

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

const entries = {
  E_EMAIL_ADDRESS: {
    status: 422,
    message: (field: string, given: unknown, problem: string): string =>
      `The ${field} of a mail, ${JSON.stringify(String(given).slice(0, 80))}, ${problem}.`,
  },
  E_EMAIL_MESSAGE: {
    message: (field: string, problem: string): string => `A mail cannot be sent: its ${field} ${problem}.`,
  },
  E_EMAIL_ATTACHMENT: {
    message: (name: string, problem: string): string =>
      `A mail cannot be sent: its attachment ${JSON.stringify(name.slice(0, 80))} ${problem}.`,
  },
  E_EMAIL_SENDER_MISSING: {
    message: (key: string): string => `A mail has no sender. Give it one, or set ${key} for all mails that name none.`,
  },
  E_EMAIL_UNAVAILABLE: {
    status: 503,
    message: (where: string, cause: unknown): string =>
      `The mail could not be handed to ${where} now: ${reason(cause)}. It can be tried again.`,
  },
  E_EMAIL_REFUSED: {
    message: (where: string, answer: string): string =>
      `The mail was refused by ${where}: ${answer}. Trying it again would be in vain.`,
  },
  E_EMAIL_NOT_STARTED: {
    message: (name: string): string =>
      `The e-mail service "${name}" is not started. Is it in the application's service list, or in the command's dependencies?`,
  },
  E_EMAIL_SETTINGS: {
    message: (problem: string): string => `The settings for e-mail cannot be used: ${problem}.`,
  },
  E_EMAIL_SEALED: {
    message: (): string =>
      "A queued mail cannot be opened: it was sealed with another secret. Put the former one into FRAMEWORK_SECRET_OLD.",
  },
  E_EMAIL_INBOX_PAGE: { status: 404, message: (): string => "There is no such page." },
  E_EMAIL_TEMPLATE_VALUE: {
    message: (label: string, name: string): string =>
      `The template "${label}" needs a value for {${name}}, and none was given.`,
  },
  E_EMAIL_LIBRARY_MISSING: {
    message: (name: string, version: string): string =>
      `The package "${name}" is not installed. Install it with: npm install ${name}@${version}`,
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
