import { Time } from "../../../time/index.ts";
import { EventStreamBody } from "../../message/event-stream.ts";
import { isBodiless } from "../../message/fetch-response.ts";
import { type HeaderList, isFraming } from "../../message/header-list.ts";
import type { Response } from "../../message/response.ts";
import { FileBody } from "../../message/fetch-response.ts";
import type { FetchBody } from "./api.ts";
import { sendFile } from "./send-file.ts";
import { sendStream } from "./send-stream.ts";

/** Options of `send`. */
export interface SendOptions {
  /** True for a HEAD request: the same headers, no body. */
  readonly isHead: boolean;
  /** True if the connection is closed after this response. */
  readonly closesConnection: boolean;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** Called when the response waits for the client or for the handler. The idle timeout applies only to the client. */
  readonly setWaitingFor: (party: "client" | "handler") => void;
  /** Called when Bun has the whole response, or with the error that closed the connection. */
  readonly onEnd: (error?: unknown) => void;
}

/**
 * Creates the Fetch API response that Bun sends.
 *
 * @throws the error of a stream before its first chunk, or of a file that cannot be opened. Nothing was sent then, and
 *   another response can be sent. (Both reject.)
 */
export function send(response: Response, options: SendOptions): globalThis.Response | Promise<globalThis.Response> {
  const { body } = response;
  if (isBodiless(response.status) || typeof body === "string" || body instanceof Uint8Array || body === undefined) {
    options.onEnd();
    return completeResponse(response, options);
  }
  if (body instanceof FileBody) {
    return sendFile(body, options, (content, length) => makeResponse(response, content, length, options));
  }
  const stopping = body instanceof EventStreamBody ? options.stopping : undefined;
  return sendStream(body, { ...options, stopping }, (content) => makeResponse(response, content, "unchanged", options));
}

function completeResponse(response: Response, options: SendOptions): globalThis.Response {
  const { status, body } = response;
  if (isBodiless(status)) return makeResponse(response, null, undefined, options);
  if (body === undefined) return makeResponse(response, null, options.isHead ? "unchanged" : undefined, options);
  if (options.isHead) return makeResponse(response, null, Buffer.byteLength(body as string), options);
  return makeResponse(response, body as string, undefined, options);
}

/**
 * Creates the Fetch API response. Framing headers of a handler are dropped: the server and Bun set them.
 *
 * @param length value of `Content-Length`; "unchanged" keeps the handler's header, `undefined` leaves it to Bun
 */
function makeResponse(
  response: Response,
  body: FetchBody,
  length: number | "unchanged" | undefined,
  { isHead, closesConnection }: SendOptions,
): globalThis.Response {
  const fetchResponse = makeFetchResponse(response.status, response.headerLists, body);
  const contentLength = length === "unchanged" ? response.header("content-length") : length;
  if (contentLength !== undefined) fetchResponse.headers.set("content-length", String(contentLength));
  // Bun omits the date of a response to HEAD (RFC 9110 §6.6.1).
  if (isHead) fetchResponse.headers.set("date", Time.now().toUTCString());
  if (closesConnection) fetchResponse.headers.set("connection", "close");
  return fetchResponse;
}

/** Header lists that successive responses share. */
interface HeaderTemplate {
  /** Shared lists, by position; `undefined` where each response has its own list. */
  readonly shared: readonly (HeaderList | undefined)[];
  /** Names of the headers that each response replaces, by position: where the list of each response is one such header. */
  readonly replacedNames: readonly (string | undefined)[];
  /** True if there is a position with neither: the lists there are added to the copy. */
  readonly hasOthers: boolean;
  /** Headers of the latest response, without other lists. */
  readonly headers: Headers;
}

/** Templates by first list, then by number of lists. The lists of the last response stand in until a second one is seen. */
const templates = new WeakMap<HeaderList, (HeaderTemplate | readonly HeaderList[])[]>();
let latestTemplate: HeaderTemplate | undefined;

/**
 * Creates a Fetch API response with the headers of these lists, without framing headers.
 *
 * Bun copies a `Headers` object in a fifth of the time that it needs to build one. The headers that two responses have shared
 * are built once. A single header that differs, such as the request id, is replaced before the copy is made, and other lists
 * are added to the copy.
 */
export function makeFetchResponse(
  status: number,
  headerLists: readonly HeaderList[],
  body: FetchBody,
): globalThis.Response {
  // Comparing with the latest template first saves the table lookup: 65 of 1,200 ns, with the default status below.
  const template =
    latestTemplate !== undefined && matches(latestTemplate, headerLists) ? latestTemplate : findTemplate(headerLists);
  if (template === undefined) {
    const headers = new Headers();
    for (const list of headerLists) appendList(headers, list);
    return new globalThis.Response(body, { status, headers });
  }
  latestTemplate = template;
  const { shared, replacedNames, hasOthers, headers } = template;
  for (let index = 0; index < replacedNames.length; index++) {
    const name = replacedNames[index];
    if (name !== undefined) headers.set(name, headerLists[index]?.flat[1] as string);
  }
  // Passing a status costs time even if it is the default.
  const response = new globalThis.Response(body, status === 200 ? template : { status, headers });
  if (!hasOthers) return response;
  for (let index = 0; index < headerLists.length; index++) {
    if (shared[index] === undefined && replacedNames[index] === undefined) {
      appendList(response.headers, headerLists[index] as HeaderList);
    }
  }
  return response;
}

function matches({ shared, replacedNames }: HeaderTemplate, headerLists: readonly HeaderList[]): boolean {
  if (shared.length !== headerLists.length) return false;
  for (let index = 0; index < shared.length; index++) {
    const list = shared[index];
    const name = replacedNames[index];
    if (list !== undefined && list !== headerLists[index]) return false;
    if (name !== undefined && singleName(headerLists[index]) !== name) return false;
  }
  return true;
}

/** Returns the name of a list of one header. */
const singleName = (list: HeaderList | undefined): string | undefined =>
  list?.flat.length === 2 ? list.flat[0] : undefined;

/** Returns the template of these lists if a similar response was seen before. Otherwise remembers the lists. */
function findTemplate(headerLists: readonly HeaderList[]): HeaderTemplate | undefined {
  const [first] = headerLists;
  if (first === undefined) return undefined;
  const byLength = templates.get(first) ?? [];
  templates.set(first, byLength);
  const previous = byLength[headerLists.length];
  if (previous !== undefined && "shared" in previous && matches(previous, headerLists)) return previous;
  const template = previous === undefined || "shared" in previous ? undefined : makeTemplate(previous, headerLists);
  byLength[headerLists.length] = template ?? headerLists;
  return template;
}

function makeTemplate(previous: readonly HeaderList[], headerLists: readonly HeaderList[]): HeaderTemplate {
  const shared = headerLists.map((list, index) => (list === previous[index] ? list : undefined));
  const replacedNames = headerLists.map((list, index) => {
    const name = singleName(list);
    const isReplaced =
      name !== undefined &&
      shared[index] === undefined &&
      singleName(previous[index]) === name &&
      !isFraming(name) &&
      // A response may have several cookies.
      name !== "set-cookie" &&
      headerLists.every((other) => other === list || !other.has(name));
    return isReplaced ? name : undefined;
  });
  const headers = new Headers();
  for (const list of shared) if (list !== undefined) appendList(headers, list);
  const hasOthers = shared.some((list, index) => list === undefined && replacedNames[index] === undefined);
  return { shared, replacedNames, hasOthers, headers };
}

function appendList(headers: Headers, list: HeaderList): void {
  list.forEach((name, value) => {
    if (!isFraming(name)) headers.append(name, value);
  });
}
