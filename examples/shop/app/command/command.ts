import { employeeAppoint } from "./employee-appoint.ts";

/** Commands of the application. */
export const commands = [employeeAppoint];
