import { todoAdd } from "./todo-add.ts";

export const commands = [todoAdd];
