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
export { jwt, type JwtOptions } from "./store/jwt/jwt.ts";
export { memory, type MemoryOptions } from "./store/memory/memory.ts";
export { sql, type SqlOptions } from "./store/sql/sql.ts";
export * as Web from "./web/bearer.ts";
