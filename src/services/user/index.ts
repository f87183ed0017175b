export type {
  EmailChange,
  HashedPassword,
  ImpersonatedUser,
  Impersonation,
  ImpersonationOptions,
  LoginClient,
  LoginOptions,
  NewPassword,
  NewUser,
  PasswordChange,
  Registration,
  RemovalCheck,
  User,
  UserChanges,
  UserErrors,
  UserProfile,
  UserReference,
  UserService,
  UserSession,
  UserStatus,
} from "./contract.ts";
export { userService as service, type UserServiceOptions } from "./service.ts";
export { userTable as table, type UserTable } from "./users.ts";
export * as Web from "./web/index.ts";
