import { orderConfirmationPreview } from "./order-confirmation.ts";
import { dailyDigestPreview } from "./daily-digest.ts";

/** Mails with sample values, for the inbox. */
export const previews = [orderConfirmationPreview, dailyDigestPreview];
