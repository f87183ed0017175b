export type {
  AccountMails,
  AccountMessage,
  AccountMessages,
  AccountService,
  AccountUserService,
  LinkMail,
} from "./contract.ts";
export { type AccountOptions, service } from "./service.ts";
