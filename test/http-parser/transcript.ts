// What two parsers make of the same bytes, in one form.

/** Request with a complete head. */
export interface ParsedRequest {
  readonly method: string;
  readonly target: string;
  readonly minorVersion: number;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  /** Body as far as it was parsed, one character per byte. */
  body: string;
  isComplete: boolean;
  /** True if another request may follow on the connection. */
  readonly keepsAlive: boolean;
}

/** Result of parsing the bytes of a connection. */
export interface Transcript {
  readonly requests: readonly ParsedRequest[];
  /** Number of responses that a server sends: one per request, and one for malformed input outside of a body. */
  readonly responseCount: number;
  /** State after the last byte: it waits for more, it reads nothing more, or it found malformed input. */
  readonly end: "waiting" | "closed" | "malformed";
  /** Explanation of the end, as the parser gives it: a refusal, or the state in which limmat's parser waits. */
  readonly reason: string;
}
