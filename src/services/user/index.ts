export type {
  CheckedEmailChange,
  EmailChange,
  NewPassword,
  NewSession,
  NewUser,
  PasswordChange,
  Registration,
  User,
  UserChanges,
  UserErrors,
  UserProfile,
  UserReference,
  UserService,
  UserSession,
  UserStatus,
} from "./contract.ts";
export { englishMessages, type UserMessages } from "./messages.ts";
export { migrations } from "./migrations.ts";
export { userService as service, type UserServiceOptions } from "./service.ts";
export * as Web from "./web/index.ts";
