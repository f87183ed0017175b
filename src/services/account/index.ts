export type { AccountMails, AccountService, AccountUserService, LinkMail } from "./contract.ts";
export { type AccountOptions, service } from "./service.ts";
