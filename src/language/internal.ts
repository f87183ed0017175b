export { enter } from "./context.ts";
