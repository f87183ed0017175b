import { Time } from "../../time/index.ts";
import { defaultParameterLimit } from "../parameters.ts";
import { defaultBodyLimit } from "../request-server.ts";

/** What a client may ask of the server. Sizes are bytes, times milliseconds. */
export interface Limits {
  /** The request line and all header lines together; more is 431. Default 16 KiB. */
  readonly headerSize: number;
  /** Header lines; more is 431. Default 100. */
  readonly headerCount: number;
  /** The body; more is 413. Default 1 MiB. */
  readonly bodySize: number;
  /** Parameters of the query, and of a form; more is 400. Default 1,000. */
  readonly parameters: number;
  /** From the first byte to the end of the header; longer is 408. Default 10 s. */
  readonly headerTime: number;
  /**
   * What a handler waits for a body, or the server for one that no handler reads. It is extended by a second for each
   * 500 bytes that have come, so that slow lines are served and slow attackers are not; longer is 408. Default 10 s.
   */
  readonly bodyTime: number;
  /**
   * What a body that is read as a whole may take in all, fast or slow; longer is 408. One that is streamed, as files are, has
   * no other limit of time than `bodyTime`. Default 30 s.
   */
  readonly requestTime: number;
  /** How long a client may read nothing of an answer that waits for it; longer is cut off. Default 10 s. */
  readonly stallTime: number;
  /** How long an idle connection is kept for another request. Default 5 s. */
  readonly keepAliveTime: number;
  /**
   * How late the event loop may be: the longest burst that is let in. Once it is later, each turn of the loop takes in
   * requests for 5 ms only, until there is time again; all others are refused with 503 and `Retry-After`, health checks
   * excepted. 0 is no limit. Default 1 s.
   */
  readonly delay: number;
  /** How long a stop waits for the requests in flight before it cuts them off. Default 20 s. */
  readonly drainTime: number;
}

/** What holds unless the service is told otherwise. */
export const defaultLimits: Limits = Object.freeze({
  headerSize: 16 * 1024,
  headerCount: 100,
  bodySize: defaultBodyLimit,
  parameters: defaultParameterLimit,
  headerTime: Time.seconds(10),
  bodyTime: Time.seconds(10),
  requestTime: Time.seconds(30),
  stallTime: Time.seconds(10),
  keepAliveTime: Time.seconds(5),
  delay: Time.seconds(1),
  drainTime: Time.seconds(20),
});
