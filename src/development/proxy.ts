import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { styleText } from "node:util";
import type { ConfigurationInternals } from "../config/index.ts";
import { hostNameOf } from "../config/internal.ts";
import { mediaType } from "../media-type/index.ts";
import { clientScript, type BrowserEvent, developmentPaths, scriptTag } from "./browser-client.ts";
import { describePolicyReport, developmentPolicy, limitReports } from "./content-policy.ts";
import { migrationPages, sendFailurePage } from "./development-pages.ts";
import { isFromOtherOrigin, readBody } from "./incoming-request.ts";

const maxReportBytes = 32 * 1024;
/** Maximum size of the events that wait for a browser which reads none. A page that was disconnected connects again. */
const maxWaitingBytes = 1024 * 1024;

/** Running version of the application. */
export type Upstream =
  | {
      readonly port: number;
      /** Returns the labels of the pending migration steps. */
      readonly pendingSteps: () => Promise<readonly string[]>;
      /** Reports a process that does not react before the response has its headers. */
      readonly watch: (response: ServerResponse, description: string) => void;
      /** Returns the error of a process that exits. Returns `undefined` if it runs on or another version replaces it. */
      readonly exitReason: () => Promise<string | undefined>;
    }
  /** No version runs: none has started yet, or the last one has exited. */
  | { readonly reason: string };

/** Development server that browsers connect to. */
export interface Proxy {
  readonly server: Server;
  /** Sends an event to all connected browsers. */
  readonly broadcast: (event: BrowserEvent) => void;
}

/** Options of `makeProxy`. */
export interface ProxyOptions {
  /** Returns true if requests for a host are answered. */
  readonly answersHost: ConfigurationInternals.HostMatcher;
  /** Returns the running version. Waits while a new version starts. For a page, tries again if none runs. */
  readonly currentUpstream: (isPage: boolean) => Promise<Upstream>;
  /** Runs the pending migrations and restarts the application. Returns the error of a failed migration. */
  readonly migrate: () => Promise<string | undefined>;
  /** Finds a file that is built from `resources`. Waits while it is built. */
  readonly findAsset: (name: string) => Promise<Uint8Array | undefined>;
  /** Returns the first events of a browser that connects. */
  readonly initialEvents: () => readonly BrowserEvent[];
  /** Prints a line. */
  readonly print: (line: string) => void;
}

/**
 * Creates the proxy in front of the application.
 *
 * It forwards and logs requests, appends its script to pages, and shows an error page if no version runs. It refuses
 * requests for other hosts, because events and error pages show source code, and requests of other sites for its own paths.
 */
export function makeProxy(options: ProxyOptions): Proxy {
  const { answersHost, currentUpstream, findAsset, initialEvents, migrate, print } = options;
  const agent = new Agent({ keepAlive: true });
  const eventStreams = new Set<ServerResponse>();
  const serializeEvent = (event: BrowserEvent): string => `data: ${JSON.stringify(event)}\n\n`;

  const subscribe = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    for (const event of initialEvents()) response.write(serializeEvent(event));
    eventStreams.add(response);
    response.once("close", () => eventStreams.delete(response));
  };

  const migrations = migrationPages(migrate);
  const reportPolicy = limitReports((line) => print(styleText("yellow", line)));
  const receivePolicyReport = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(incoming, maxReportBytes);
    const text = body === undefined ? undefined : describePolicyReport(body, incoming.headers.host ?? "");
    if (text !== undefined) reportPolicy(text);
    response.writeHead(204).end();
  };

  const isAllowed = ({ headers }: IncomingMessage): boolean => answersHost(hostNameOf(headers.host ?? ""));

  const handleRequest = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isAllowed(incoming)) return refuse(response, 400, refusedHostText);
    if (incoming.url?.startsWith(developmentPaths.prefix) && isFromOtherOrigin(incoming)) {
      return refuse(response, 403, `${developmentPaths.prefix} answers pages of this server only.\n`);
    }
    if (incoming.url === developmentPaths.events) return subscribe(response);
    if (incoming.url === developmentPaths.script) {
      response.writeHead(200, { "content-type": "text/javascript", "cache-control": "no-store" });
      response.end(clientScript);
      return;
    }
    if (incoming.url === developmentPaths.policyReports && incoming.method === "POST") {
      return receivePolicyReport(incoming, response);
    }
    if (incoming.url === developmentPaths.migrate && incoming.method === "POST") {
      return migrations.run(incoming, response);
    }
    const assetName = assetNameOf(incoming.url);
    if (assetName !== undefined) return sendAsset(response, assetName, await findAsset(assetName));
    const isPage = incoming.method === "GET" && incoming.headers["sec-fetch-dest"] === "document";
    const upstream = await currentUpstream(isPage);
    if ("port" in upstream && !isSubresource(incoming)) logResponse(incoming, response, print);
    await answer(incoming, response, upstream, isPage);
  };

  const answer = async (
    incoming: IncomingMessage,
    response: ServerResponse,
    upstream: Upstream,
    isPage: boolean,
  ): Promise<void> => {
    if (!("port" in upstream)) return sendFailurePage(response, upstream.reason);
    upstream.watch(response, describeRequest(incoming));
    const pendingSteps = isPage ? await upstream.pendingSteps() : [];
    if (pendingSteps.length > 0) return migrations.send(incoming, response, pendingSteps);
    forwardRequest(incoming, response, upstream.port, agent, async (error) => {
      const exitReason = await upstream.exitReason();
      // A version that does not react is killed when the next one runs. That one answers the page.
      const next = isPage ? await currentUpstream(false) : upstream;
      if (exitReason === undefined && next !== upstream && !response.closed)
        await answer(incoming, response, next, isPage);
      else sendFailurePage(response, exitReason ?? `The application does not answer: ${error.message}`);
    });
  };

  const handleUpgrade = async (incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    if (!isAllowed(incoming)) return void socket.destroy();
    const upstream = await currentUpstream(false);
    if ("port" in upstream) tunnelUpgrade(incoming, socket, head, upstream.port);
    else socket.destroy();
  };

  const server = createServer((incoming, response) => void handleRequest(incoming, response));
  server.on(
    "upgrade",
    (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void handleUpgrade(incoming, socket, head),
  );
  const broadcast = (event: BrowserEvent): void => {
    for (const response of eventStreams) {
      if (response.writableLength > maxWaitingBytes) response.destroy();
      else response.write(serializeEvent(event));
    }
  };
  return { server, broadcast };
}

const refusedHostText =
  "The development server answers localhost and HOST only. To answer another name, add it to ALLOWED_HOSTS.\n";

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(text);
}

/** Returns the name of a built file if the URL is below the path of the assets. */
function assetNameOf(url = "/"): string | undefined {
  const prefix = `${developmentPaths.assets}/`;
  if (!url.startsWith(prefix)) return undefined;
  const name = url.slice(prefix.length).replace(/[?#].*/s, "");
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // A malformed escape is no name of a file.
  }
}

function sendAsset(response: ServerResponse, name: string, content: Uint8Array | undefined): void {
  const type = content === undefined ? "text/plain" : mediaType(name);
  response.writeHead(content === undefined ? 404 : 200, { "content-type": type, "cache-control": "no-store" });
  response.end(content ?? `"${name}" is not built.`);
}

/** True if a page loads the resource: images, styles, scripts and fonts are not logged. */
const isSubresource = ({ headers }: IncomingMessage): boolean =>
  ["font", "image", "script", "style"].includes(String(headers["sec-fetch-dest"]));

/** Returns method and path. Omits the query, which may contain secrets. */
const describeRequest = ({ method, url = "/" }: IncomingMessage): string => `${method} ${url.replace(/\?.*/s, "")}`;

/** Logs a response when it is closed. */
function logResponse(incoming: IncomingMessage, response: ServerResponse, print: (line: string) => void): void {
  const start = performance.now();
  response.once("close", () => {
    const { statusCode, writableFinished } = response;
    const colour = statusCode >= 500 ? "red" : statusCode >= 400 ? "yellow" : "green";
    const status = writableFinished ? styleText(colour, String(statusCode)) : "aborted";
    print(`${describeRequest(incoming)} ${status} in ${Math.round(performance.now() - start)} ms`);
  });
}

function forwardRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  port: number,
  agent: Agent,
  onFailure: (error: Error) => Promise<void>,
): void {
  const isPage = incoming.headers["sec-fetch-dest"] === "document";
  // The script cannot be appended to a compressed page.
  const headers = headerPairs(incoming.rawHeaders, ["connection", ...(isPage ? ["accept-encoding"] : [])]);
  const { method = "GET", url = "/" } = incoming;
  const outgoing = request({ host: "127.0.0.1", port, method, path: url, agent, setHost: false });
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.on("response", (upstreamResponse) => {
    const isHtml = isPage && /^text\/html\b/.test(upstreamResponse.headers["content-type"] ?? "") && method === "GET";
    const dropped = ["connection", "transfer-encoding", ...(isHtml ? ["content-length", "etag"] : [])];
    for (const [name, value] of headerPairs(upstreamResponse.rawHeaders, dropped)) {
      const isPolicy = isHtml && /^content-security-policy(?:-report-only)?$/i.test(name);
      response.appendHeader(name, isPolicy ? developmentPolicy(value) : value);
    }
    response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.statusMessage);
    upstreamResponse.pipe(response, { end: !isHtml });
    if (isHtml) upstreamResponse.once("end", () => response.end(scriptTag));
    upstreamResponse.once("error", () => response.destroy());
  });
  outgoing.on("error", (error) => {
    if (response.headersSent) response.destroy();
    else void onFailure(error);
  });
  response.once("close", () => outgoing.destroy());
  incoming.on("data", () => mergeWrites(outgoing));
  incoming.pipe(outgoing);
}

/** Sends what is written within one turn of the event loop as one chunk. Node would send each chunk of a body by itself. */
function mergeWrites(outgoing: ClientRequest): void {
  if (outgoing.writableCorked > 0) return;
  outgoing.cork();
  setImmediate(() => {
    if (!outgoing.writableEnded) outgoing.uncork();
  });
}

/** Yields raw headers as pairs, in order, including repeated ones, without those of the dropped names. */
function* headerPairs(raw: readonly string[], dropped: readonly string[] = []): Generator<[string, string]> {
  for (let index = 0; index < raw.length; index += 2) {
    const [name = "", value = ""] = raw.slice(index, index + 2);
    if (!dropped.includes(name.toLowerCase())) yield [name, value];
  }
}

/** Tunnels an upgraded connection, such as a WebSocket, to the application. */
function tunnelUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer, port: number): void {
  const upstreamSocket = connect(port, "127.0.0.1", () => {
    const lines = [...headerPairs(incoming.rawHeaders)].map(([name, value]) => `${name}: ${value}\r\n`);
    upstreamSocket.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join("")}\r\n`);
    upstreamSocket.write(head);
    socket.pipe(upstreamSocket).pipe(socket);
  });
  const destroyBoth = (): void => {
    upstreamSocket.destroy();
    socket.destroy();
  };
  upstreamSocket.on("error", destroyBoth).on("close", destroyBoth);
  socket.on("error", destroyBoth).on("close", destroyBoth);
}
