import type { Schedule } from "limmat";

/** Schedules of the application. */
export const schedules: readonly Schedule.Schedule[] = [];
