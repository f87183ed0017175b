export type { Formatter } from "../language.ts";
export type { CompiledText } from "../template.ts";
export { messageFormat } from "./messageformat.ts";
