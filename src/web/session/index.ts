export { SessionState } from "./session-state.ts";
