import { Time } from "../../time/index.ts";
import { defaultMaxBodyBytes, defaultMaxParameters } from "../message/request-source.ts";

/** Limits of a server per client or request. Sizes are in bytes, times in milliseconds. */
export interface Limits {
  /** Maximum size of request line and header lines; more is 431. Default 16 KiB. */
  readonly maxHeaderBytes: number;
  /** Maximum number of header lines; more is 431. Default 100. */
  readonly maxHeaders: number;
  /** Maximum size of a body; more is 413. Default 1 MiB. */
  readonly maxBodyBytes: number;
  /** Maximum number of parameters in a query or a form; more is 400. Default 1,000. */
  readonly maxParameters: number;
  /**
   * Maximum time from the first byte to the end of the header; longer is 408. A TLS handshake has the same limit, and is then
   * closed without a response. Default 10 s.
   */
  readonly headerTimeoutMs: number;
  /**
   * Time for receiving a body, read by a handler or not. It is extended by one second for each 500 bytes received, so that
   * slow connections are served and slow attackers are not; longer is 408. Default 10 s.
   */
  readonly bodyTimeoutMs: number;
  /**
   * Maximum time for receiving a body that is read completely, however fast; longer is 408. A streamed body, such as a file
   * upload, has only the limit `bodyTimeoutMs`. An HTTP/2 connection without a request for as long is closed. Default 30 s.
   */
  readonly requestTimeoutMs: number;
  /**
   * Time after which a client is disconnected if it reads nothing of a pending response, or has closed its side of the
   * connection before the response begins. Default 10 s.
   */
  readonly stallTimeoutMs: number;
  /** Time for which an idle connection stays open for another request. Default 5 s. */
  readonly keepAliveMs: number;
  /**
   * Maximum time for which an event waits in the queue of the event loop: the longest burst that is accepted. Over it, the
   * server accepts requests half of the time, until the process has recovered. All others are refused with 503 and
   * `Retry-After`, except health checks. 0 is no limit. Default 1 s.
   */
  readonly maxEventLoopDelayMs: number;
  /** Time for which a stopping server waits for requests in flight before it disconnects them. Default 20 s. */
  readonly drainTimeoutMs: number;
}

/** Default limits of a server. */
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
