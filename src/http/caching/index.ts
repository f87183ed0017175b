// Names that other modules import. The public entry point is ../index.ts.
export { chooseCoding, type Coding } from "./coding.ts";
export { isListed } from "./entity-tag.ts";
export type { Validators } from "./precondition.ts";
export type { ByteRange } from "./range.ts";
export { type Content, sendContent } from "./send-content.ts";
export { isUnique, markUnique } from "./unique.ts";
export { withVary } from "./vary.ts";
