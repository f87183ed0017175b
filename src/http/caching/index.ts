// Names that other modules import. The public entry point is ../index.ts.
export { chooseContentCoding, type ContentCoding, parseWeights, withVary } from "./content-coding.ts";
export {
  isNotModifiedPrevented,
  isUnchanged,
  parseEntityTags,
  preventNotModified,
  type Validators,
} from "./precondition.ts";
export { type ByteRange, type Content, notModified, sendContent } from "./send-content.ts";
export { inspectFile, realPathIn } from "./file.ts";
