import * as Todo from "../app/domain/todo/todo.ts";

const errands = [
  "Read the architecture page",
  "Add a to-do of your own",
  "Reject a form: leave the title empty",
  "Search for a percent sign: 100 %",
  "Change the order and the page size",
  "Delete this one",
  "Stop the server with Ctrl-C, and start it again",
  "Look at the log in logs/app.log",
  "Run the tests",
  "Move to PostgreSQL by changing one line",
  "Write a command",
  "Tell somebody about it",
];

/** To-dos to look at, unless there are some already. */
export async function demo(): Promise<void> {
  const [, total] = await Todo.search({ limit: 1 });
  if (total > 0) return;
  for (const [index, title] of errands.toReversed().entries()) {
    await Todo.insert({ title, notes: "", done: index >= errands.length - 1 });
  }
}
