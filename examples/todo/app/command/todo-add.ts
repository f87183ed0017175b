import { Command } from "limmat";
import * as Todo from "../domain/todo/todo.ts";
import { database } from "../../service/service.ts";

/** The command `todo.add`. */
export const todoAdd = Command.make({
  name: "todo.add",
  usage: "<title>",
  description: "Adds a to-do",
  dependencies: () => [database],
  run: async (args, { output }) => {
    const title = args.join(" ");
    if (title.trim() === "") return undefined;
    await Todo.insert({ title, notes: "", done: false });
    output.print(`Added "${title}".`);
    return Command.done;
  },
});
