export { redis, type RedisCacheOptions } from "./redis.ts";
