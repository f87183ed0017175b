export type {
  AccountMails,
  AccountMessage,
  AccountMessages,
  AccountService,
  AccountUserService,
  LinkMail,
} from "./contract.ts";
export { englishMails, englishMessages } from "./messages.ts";
export { type AccountOptions, service } from "./service.ts";
