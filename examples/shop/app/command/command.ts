import type { Command } from "limmat";
import { employeeAppoint } from "./employee-appoint.ts";

/** Commands of the application. */
export const commands: readonly Command.Command[] = [employeeAppoint];
