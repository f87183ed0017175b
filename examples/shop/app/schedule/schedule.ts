import { orderDigest } from "./order-digest.ts";

/** Schedules of the application. */
export const schedules = [orderDigest];
