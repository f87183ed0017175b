import { type Catalogue, catalogue, messageOf } from "../core/index.ts";

const entries = {
  E_DEVELOP_LISTEN: {
    message: (port: number, cause: unknown): string =>
      `The development server cannot listen on port ${port}: ${messageOf(cause)}. Is another instance running? Stop it, or set PORT to another number.`,
  },
};

/** Errors of the development server. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
