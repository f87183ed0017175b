import { Time } from "../../time/index.ts";
import { defaultMaxParameters } from "../message/parameters.ts";
import { defaultMaxBodyBytes } from "../message/server-context.ts";

/** What a client may ask of the server. Sizes are bytes, times milliseconds. */
export interface Limits {
  /** The request line and all header lines together; more is 431. Default 16 KiB. */
  readonly maxHeaderBytes: number;
  /** Header lines; more is 431. Default 100. */
  readonly maxHeaders: number;
  /** The body; more is 413. Default 1 MiB. */
  readonly maxBodyBytes: number;
  /** Parameters of the query, and of a form; more is 400. Default 1,000. */
  readonly maxParameters: number;
  /** From the first byte to the end of the header; longer is 408. Default 10 s. */
  readonly headerTimeoutMs: number;
  /**
   * What a handler waits for a body, or the server for one that no handler reads. It is extended by a second for each
   * 500 bytes that have come, so that slow lines are served and slow attackers are not; longer is 408. Default 10 s.
   */
  readonly bodyTimeoutMs: number;
  /**
   * What a body that is read as a whole may take in all, fast or slow; longer is 408. One that is streamed, as files are, has
   * no other limit of time than `bodyTimeoutMs`. Default 30 s.
   */
  readonly requestTimeoutMs: number;
  /** How long a client may read nothing of an answer that waits for it; longer is cut off. Default 10 s. */
  readonly stallTimeoutMs: number;
  /** How long an idle connection is kept for another request. Default 5 s. */
  readonly keepAliveMs: number;
  /**
   * How late the event loop may be: the longest burst that is let in. Once it is later, each turn of the loop takes in
   * requests for 5 ms only, until there is time again; all others are refused with 503 and `Retry-After`, health checks
   * excepted. 0 is no limit. Default 1 s.
   */
  readonly maxEventLoopDelayMs: number;
  /** How long a stop waits for the requests in flight before it cuts them off. Default 20 s. */
  readonly drainTimeoutMs: number;
}

/** What holds unless the service is told otherwise. */
export const defaultLimits: Limits = Object.freeze({
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  maxBodyBytes: defaultMaxBodyBytes,
  maxParameters: defaultMaxParameters,
  headerTimeoutMs: Time.seconds(10),
  bodyTimeoutMs: Time.seconds(10),
  requestTimeoutMs: Time.seconds(30),
  stallTimeoutMs: Time.seconds(10),
  keepAliveMs: Time.seconds(5),
  maxEventLoopDelayMs: Time.seconds(1),
  drainTimeoutMs: Time.seconds(20),
});
