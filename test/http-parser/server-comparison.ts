// Comparison of a listening server with its parser: by sockets, it handles the requests that the parser reads, and no more.
import { connect } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { isError } from "limmat";
import { choose, createServer, get, type Middleware, Response, type RunningServer } from "limmat/http";
import type { Fault } from "./comparison.ts";
import { Mutations } from "./mutations.ts";
import type { Parse } from "./net-parser.ts";
import { requests } from "./requests.ts";
import type { ParsedRequest, Transcript } from "./transcript.ts";

/** Request as a handler sees it. */
type HandledRequest = Pick<ParsedRequest, "method" | "target" | "headers" | "body">;

/** Milliseconds after which a response is missing. */
const timeoutMs = 20_000;

/** Sends inputs to a server, and collects the faults. */
class ServerComparison implements AsyncDisposable {
  readonly faults: Fault[] = [];
  inputCount = 0;
  readonly #parse: Parse;
  #handled: HandledRequest[] = [];
  #running: RunningServer | undefined;

  /** Number of requests that were handled. */
  handledCount = 0;

  /** @param parse parser of the server, in process */
  constructor(parse: Parse) {
    this.#parse = parse;
  }

  /** Starts a server that records what it handles. */
  async start(): Promise<void> {
    const record: Middleware = () => async (request) => {
      const bytes = await request.bytes().catch((error: unknown) => {
        // The input ends in the body. Nobody receives a response.
        if (isError(error, "E_CLIENT_GONE")) return undefined;
        throw error;
      });
      if (bytes === undefined) return Response.empty(400);
      const body = Buffer.from(bytes).toString("latin1");
      const { method, target, headers } = request;
      this.#handled.push({ method, target, headers: [...headers].flat(), body });
      return Response.text("ok");
    };
    const server = createServer({
      router: choose([get("/", () => Response.empty())]),
      middlewares: [record],
      // The default text contains parts of the request, which could look like a status line.
      onError: (_request, error) => Response.text("error", { status: statusOf(error) }),
    });
    this.#running = await server.listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.stop();
  }

  /** Sends one input, cut at these positions. */
  async check(input: Buffer, cuts: readonly number[]): Promise<void> {
    this.inputCount += 1;
    this.#handled = [];
    const expected = this.#parse(input);
    const minimum = minimumOf(expected);
    const responseCount = await this.#send(input, cuts, minimum);
    this.handledCount += this.#handled.length;
    const fault = this.#findFault(expected, responseCount, minimum);
    if (fault !== undefined) this.faults.push({ fault, input: input.toString("latin1"), cuts });
  }

  #findFault(expected: Transcript, responseCount: number, minimum: number): string | undefined {
    const expectedRequests = expected.requests.filter(({ target, isComplete }) => isComplete && target !== "*");
    const closesEarly = expectedRequests.some(isClosedEarly);
    if (this.#handled.length > expectedRequests.length) return "handles a request that is none";
    if (this.#handled.length < expectedRequests.length && !closesEarly) return "does not handle a request";
    const differs = this.#handled.some(
      (request, index) => !areEqual(request, expectedRequests[index] as HandledRequest),
    );
    if (differs) return "handles another request";
    // A half-closed connection ends an incomplete head, which may be refused.
    const maximum = expected.responseCount + Number(expected.reason === "head");
    if (responseCount > maximum) return `sends ${responseCount} responses instead of ${maximum}`;
    if (responseCount < minimum && !closesEarly) return `sends ${responseCount} responses instead of ${minimum}`;
    return undefined;
  }

  /** Sends the pieces, waits for this number of responses, and half-closes. Returns the number of responses. */
  #send(input: Buffer, cuts: readonly number[], minimum: number): Promise<number> {
    const { port } = (this.#running as RunningServer).address;
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).setNoDelay(true).setEncoding("latin1");
      const timer = setTimeout(() => {
        socket.destroy();
        reject(new Error(`unanswered: ${JSON.stringify([input.toString("latin1"), cuts])}`));
      }, timeoutMs);
      let received = "";
      let isSent = false;
      const endWhenAnswered = (): void => {
        if (isSent && countResponses(received) >= minimum) socket.end();
      };
      const pieces = [...cuts, input.length].map((cut, index) => input.subarray(cuts[index - 1] ?? 0, cut));
      const sendNext = (): void => {
        const piece = pieces.shift();
        isSent = piece === undefined;
        if (piece !== undefined) socket.write(piece, sendNext);
        else endWhenAnswered();
      };
      socket.on("data", (text: string) => {
        received += text;
        endWhenAnswered();
      });
      socket.on("end", () => socket.destroy());
      // A reset is an end, too. The number of responses shows whether it came too early.
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        clearTimeout(timer);
        resolve(countResponses(received));
      });
      socket.once("connect", sendNext);
    });
  }
}

const statusOf = (error: unknown): number => {
  return isError(error) ? (error.status ?? 500) : 500;
};

/** Number of servers that are compared at the same time, each with one connection. Most of the time is waiting. */
const serverCount = 8;

/** Compares all requests of the list, and random inputs. Returns the results of all servers together. */
export async function compareServers(
  parse: Parse,
  seed: number,
  randomCount: number,
): Promise<Pick<ServerComparison, "faults" | "inputCount" | "handledCount">> {
  const originals = Object.values(requests).flat();
  const run = async (_: unknown, index: number): Promise<ServerComparison> => {
    await using comparison = new ServerComparison(parse);
    await comparison.start();
    const mutations = new Mutations(seed + index);
    const check = (input: Buffer): Promise<void> => comparison.check(input, mutations.cuts(input.length));
    for (let at = index; at < originals.length; at += serverCount) {
      await check(Buffer.from(originals[at] as string, "latin1"));
    }
    for (let at = index; at < randomCount; at += serverCount) await check(mutations.input());
    return comparison;
  };
  const comparisons = await Promise.all(Array.from({ length: serverCount }, run));
  return {
    faults: comparisons.flatMap(({ faults }) => faults),
    inputCount: comparisons.reduce((sum, { inputCount }) => sum + inputCount, 0),
    handledCount: comparisons.reduce((sum, { handledCount }) => sum + handledCount, 0),
  };
}

/** Returns the number of responses that do not depend on more bytes. */
const minimumOf = (transcript: Transcript): number =>
  transcript.responseCount - Number(transcript.end === "waiting" && transcript.requests.at(-1)?.isComplete === false);

/** Counts final responses. */
const countResponses = (received: string): number => received.match(/HTTP\/1\.1 [2-5]\d\d /g)?.length ?? 0;

/** Returns true for a request with `Expect` and no body: its connection closes, because no `100 Continue` was sent. */
const isClosedEarly = ({ headers }: ParsedRequest): boolean =>
  headers.some((field, index) => index % 2 === 0 && field.toLowerCase() === "expect");

/** Compares requests. A handler sees the names of fields in lower case. */
function areEqual(handled: HandledRequest, parsed: HandledRequest): boolean {
  const headers = parsed.headers.map((field, index) => (index % 2 === 0 ? field.toLowerCase() : field));
  return isDeepStrictEqual(handled, { method: parsed.method, target: parsed.target, headers, body: parsed.body });
}
