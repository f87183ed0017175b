import { greetingAdd } from "./greeting-add.ts";

/** Commands of the application. */
export const commands = [greetingAdd];
