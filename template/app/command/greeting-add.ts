import { Command, Form } from "limmat";
import { database } from "../../service/service.ts";
import * as Greeting from "../domain/greeting/greeting.ts";

/** The command `greeting.add`. */
export const greetingAdd = Command.make({
  name: "greeting.add",
  usage: "<text>",
  description: "Adds a greeting to the welcome page",
  dependencies: () => [database],
  run: async (args, { output }) => {
    if (args.length !== 1) return undefined;
    const { form, value } = Greeting.schema.decode([["text", args[0] ?? ""]]);
    if (value === undefined) throw new Error(Form.find(form, "text")[1]);
    await Greeting.insert(value);
    output.print(`Added "${value.text}".`);
    return Command.done;
  },
});
