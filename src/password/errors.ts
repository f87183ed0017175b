import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_PASSWORD_INVALID: {
    status: 422,
    message: "A password has 1 to 4096 characters and no unpaired surrogate.",
  },
  E_PASSWORD_BUSY: {
    status: 503,
    message: (waiting: number): string =>
      `Too many passwords are being checked: ${waiting} are waiting, which is the maximum. Try again shortly.`,
  },
  E_PASSWORD_LIBRARY_MISSING: (name: string, version: string): string =>
    `The package "${name}" is not installed. Install it with: npm install ${name}@${version}`,
  E_PASSWORD_UNSUPPORTED: (runtime: string): string =>
    `Passwords need argon2 from node:crypto, which ${runtime} lacks. Run the application on Node 24.7 or Bun 1.4, or newer.`,
};

export const errors: Catalogue<typeof entries> = catalogue(entries);
