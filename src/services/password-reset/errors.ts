import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_PASSWORD_RESET_EMAIL:
    "Links to set a new password cannot be sent. Give PasswordReset.service an e-mail service: { token, user, email }.",
};

export const errors: Catalogue<typeof entries> = catalogue(entries);
