export type {
  CreateOptions,
  Json,
  OwnerOptions,
  PurposeOptions,
  StoredToken,
  StoredTokenService,
  TokenContent,
  TokenData,
  TokenService,
} from "./contract.ts";
export { jwt, type JwtOptions } from "./store/jwt/jwt.ts";
export { memory } from "./store/memory/memory.ts";
export { sqlTokens as sql } from "./store/sql/sql.ts";
export * as Web from "./web/bearer.ts";
