import { greetingDaily } from "./greeting-daily.ts";

/** The schedules of the application. */
export const schedules = [greetingDaily];
