import { hash } from "@node-rs/argon2";

/** Returns the hash that the password of an unknown visitor is compared with, so that the response takes as long as any other. */
export const absentHash = () => hash("nobody's", { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
