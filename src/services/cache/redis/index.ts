export { redis, type RedisOptions } from "./redis.ts";
