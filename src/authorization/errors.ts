import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_IMPERSONATED: {
    status: 403,
    message: "You are acting as another user, and only that user may do this. Return to your account first.",
  },
};

export const errors: Catalogue<typeof entries> = catalogue(entries);
