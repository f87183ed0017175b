export type { OutgoingMail, Transport } from "./contract.ts";
export { type EmailDefinition, makeEmail, senderField } from "./make-email.ts";
