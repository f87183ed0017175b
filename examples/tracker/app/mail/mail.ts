import { teamInvitationPreview } from "./team-invitation.ts";

/** Mails with sample values, for the inbox. */
export const previews = [teamInvitationPreview];
