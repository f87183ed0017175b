import { Command } from "limmat";
import { database, user } from "../../service/service.ts";
import { roleChoices } from "../domain/employee/employee.ts";
import { appoint } from "../domain/employee/role.ts";

/** The command `employee.appoint`. */
export const employeeAppoint = Command.make({
  name: "employee.appoint",
  usage: `<email> ${roleChoices.join("|")}`,
  description: "Gives a user a role in the shop",
  dependencies: () => [database],
  run: async ([email, name, ...rest], { output }) => {
    const role = roleChoices.find((choice) => choice === name);
    if (email === undefined || role === undefined || rest.length > 0) return undefined;
    await appoint((await user.findByEmail(email)).id, role);
    output.print(`${email} is a ${role}.`);
    return Command.done;
  },
});
