export type {
  AccountMails,
  AccountService,
  AccountUserService,
  DeleteAccountOptions,
  DeletionCheck,
  LinkMail,
} from "./contract.ts";
export { type AccountOptions, service } from "./service.ts";
