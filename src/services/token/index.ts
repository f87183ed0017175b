export type {
  CreateOptions,
  Json,
  ListOptions,
  OwnerOptions,
  PurposeOptions,
  StoredToken,
  StoredTokenService,
  TokenContent,
  TokenData,
  TokenService,
} from "./contract.ts";
export { jwt, type JwtOptions, type JwtTokenService } from "./jwt/jwt.ts";
export { memory, type MemoryOptions } from "./memory.ts";
export { sql, type SqlOptions, type SqlTokenService } from "./sql.ts";
export * as Web from "./web.ts";
