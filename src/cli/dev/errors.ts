import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_DEVELOP_LISTEN: {
    message: (port: number, cause: unknown): string =>
      `The development server cannot listen on port ${port}: ${cause instanceof Error ? cause.message : String(cause)}. Is another instance running? Stop it, or set PORT to another number.`,
  },
};

/** Errors of the development server. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
