import * as Todo from "../app/domain/todo/todo.ts";

const titles = [
  "Read the architecture page",
  "Add a to-do of your own",
  "Leave the title empty to see a validation error",
  "Search for a percent sign: 100 %",
  "Change the order and the page size",
  "Delete this one",
  "Stop the server with Ctrl-C and start it again",
  "Look at the log in logs/app.log",
  "Run the tests",
  "Switch to PostgreSQL by changing one line",
  "Write a command",
  "Tell a friend",
];

/** Creates sample to-dos, unless there are some. */
export async function demo(): Promise<void> {
  const [, total] = await Todo.search({ limit: 1 });
  if (total > 0) return;
  for (const [index, title] of titles.toReversed().entries()) {
    await Todo.insert({ title, notes: "", done: index >= titles.length - 1 });
  }
}
