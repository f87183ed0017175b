import { Command } from "limmat";
import { database, user } from "../../service/service.ts";
import { roleChoices } from "../domain/employee/employee.ts";
import { appoint } from "../domain/employee/role.ts";

/** The command `employee.appoint`. */
export const employeeAppoint = Command.make({
  name: "employee.appoint",
  usage: `<email> ${[...roleChoices, "none"].join("|")}`,
  description: "Gives a user a role, or takes it away",
  dependencies: () => [database],
  run: async ([email, name, ...rest], { output }) => {
    const role = roleChoices.find((choice) => choice === name);
    if (email === undefined || (role === undefined && name !== "none") || rest.length > 0) return undefined;
    await appoint((await user.findByEmail(email)).id, role);
    output.print(`${email}: ${name}`);
    return Command.done;
  },
});
