export type {
  AccountMails,
  AccountMessage,
  AccountMessages,
  AccountService,
  AccountUsers,
  LinkMail,
} from "./contract.ts";
export { englishMails, englishMessages } from "./english.ts";
export { type AccountOptions, service } from "./service.ts";
