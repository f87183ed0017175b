export { assertErrorCode } from "./assert-error-code.ts";
export {
  type CapturedOutput,
  type CommandResult,
  makeTestHost,
  captureOutput,
  runCommand,
  type TestHost,
} from "./command.ts";
export { dispatched } from "./dispatched.ts";
export * as Factory from "./factory.ts";
export type { Factory as FactoryValue, Related } from "./factory.ts";
export type { FakeClock } from "../time/index.ts";
export { forbidLeftoverRows } from "./leftover-rows.ts";
export { forbidOutboundRequests } from "./outbound.ts";
export { forbidUnaskedPolicies } from "./policies.ts";
export {
  type CapturedQueries,
  capturedQueries,
  type CapturedQuery,
  forbidRepeatedQueries,
  queryLimit,
} from "./queries.ts";
export { capturedLog, type CapturedLog, configuration, fakeClock, seededRandom } from "./replace.ts";
export { rolledBack } from "./rolled-back.ts";
export { type AssertedTable, assertNoRow, assertRow, assertRowCount, type RowConditions } from "./rows.ts";
export { type Page, visitor, type Visitor } from "./visitor.ts";
export { waitFor, type WaitForOptions } from "./wait-for.ts";
