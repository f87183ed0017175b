export {
  type CapturedOutput,
  type CommandResult,
  makeTestHost,
  captureOutput,
  runCommand,
  type TestHost,
} from "./command.ts";
export { dispatched } from "./dispatched.ts";
export { capturedLog, type CapturedLog, configuration, fakeClock, seededRandom } from "./replace.ts";
export { rolledBack } from "./rolled-back.ts";
export { type Page, visitor, type Visitor } from "./visitor.ts";
