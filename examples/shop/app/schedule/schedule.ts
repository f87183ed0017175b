import type { Schedule } from "limmat";
import { orderDigest } from "./order-digest.ts";

/** Schedules of the application. */
export const schedules: readonly Schedule.Schedule[] = [orderDigest];
