import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_SECRET_TEXT: (problem: string): string =>
    `Secret.seal got a text that ${problem}. Pass well-formed Unicode of at most 1 MiB; store larger content encrypted elsewhere.`,
  E_SECRET_PURPOSE:
    "A purpose of Secret is no well-formed text of 1 to 200 characters. Pass a fixed name of the use, such as unsubscribe.",
  E_SECRET_EXPIRY: (given: unknown): string =>
    `Secret.seal got the expiresMs ${String(given)}. Pass a positive number of milliseconds, or nothing for a text that never expires.`,
};

/** Errors of this module. No message contains the text. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
