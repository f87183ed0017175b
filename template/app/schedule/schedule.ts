import { greetingDaily } from "./greeting-daily.ts";

/** Schedules of the application. */
export const schedules = [greetingDaily];
