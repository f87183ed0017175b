import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_TOKEN_INVALID: (problem: string): string => `The token cannot be created: ${problem}.`,
  E_TOKEN_REQUIRED: {
    status: 401,
    message: 'A valid token is required, in the header "Authorization: Bearer <token>".',
  },
  E_TOKEN_ABILITY: {
    status: 403,
    message: (ability: string): string => `This token does not have the ability "${ability}".`,
  },
  E_TOKEN_MISSING:
    "This route has no token. Add Token.Web.bearer({ token, purpose }) to the middlewares of its router.",
};

export const errors: Catalogue<typeof entries> = catalogue(entries);
