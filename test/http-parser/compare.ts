// Compares what llhttp and the parser of limmat make of the same bytes. Each allowed difference is a rule with its reason.
import type { ParsedRequest, Transcript } from "./transcript.ts";

/** Allowed difference between the two parsers. */
export interface Rule {
  /** Section of the RFC that allows it, or that requires it. */
  readonly section: string;
  readonly why: string;
  readonly applies: (difference: Difference) => boolean;
}

/** Bytes of a connection, one character each, and both transcripts. */
export interface Difference {
  readonly text: string;
  readonly theirs: Transcript;
  readonly ours: Transcript;
}

const reasonIs =
  (pattern: RegExp): Rule["applies"] =>
  ({ ours }) =>
    pattern.test(ours.reason);

/** Rules by which limmat refuses or closes where llhttp goes on. */
export const stricterRules: readonly Rule[] = [
  {
    section: "RFC 9112 §3, §2.2",
    why: "More than one empty line before a request, a bare CR or LF in front of it, and characters that a URI must encode.",
    applies: reasonIs(/^400 has a malformed request line$/),
  },
  {
    section: "RFC 9112 §2.2",
    why: "A CR is followed by an LF, also in front of a request.",
    applies: reasonIs(/^400 has a line without CRLF$/),
  },
  {
    section: "RFC 9112 §2.3",
    why: "Only HTTP/1.0 and HTTP/1.1 are served. llhttp also accepts HTTP/0.9 and HTTP/2.0.",
    applies: reasonIs(/^(?:505|400) is neither HTTP\/1\.0 nor HTTP\/1\.1$/),
  },
  {
    section: "RFC 9112 §3.2",
    why: "HTTP/1.1 requires one valid Host, and an absolute target names the same host.",
    applies: reasonIs(/ has (?:no|more than one) Host\.$| has a Host that is | names one host in its target /),
  },
  {
    section: "RFC 9112 §3.2, RFC 3986 §3.3",
    why: "Targets that two parsers resolve to different paths.",
    applies: reasonIs(/^The request target /),
  },
  {
    section: "RFC 9110 §9.3.6, §9.3.8, RFC 9113 §3.4",
    why: "CONNECT, TRACE and the preface of HTTP/2 are not implemented.",
    applies: reasonIs(/^This server does not support the method (?:CONNECT|TRACE|PRI)\.$/),
  },
  { section: "RFC 9110 §8.3", why: "One Content-Type.", applies: reasonIs(/ has more than one Content-Type\.$/) },
  { section: "RFC 9110 §10.1.1", why: "Unknown expectations are 417.", applies: reasonIs(/^The expectation /) },
  {
    section: "RFC 9112 §11.2",
    why: "Names with an underscore, which some servers read as a hyphen.",
    applies: reasonIs(/ Write it with a hyphen\.$/),
  },
  {
    section: "RFC 9110 §8.6",
    why: "Leading zeros, which some parsers read as an octal number, and lengths beyond 15 digits.",
    applies: reasonIs(/ has a Content-Length with leading zeros\.$| has an invalid Content-Length\.$/),
  },
  {
    section: "RFC 9112 §6.1",
    why: "Transfer codings other than chunked, any of them with HTTP/1.0.",
    applies: reasonIs(/ has a Transfer-Encoding other than chunked\.$/),
  },
  {
    section: "RFC 9112 §7.1",
    why: "Chunk sizes of more than 8 digits.",
    applies: reasonIs(/^400 has a malformed chunk size$/),
  },
  {
    section: "RFC 9112 §7.1.1",
    why: "Chunk extensions without a name or a value.",
    applies: reasonIs(/^400 has a malformed chunk extension$/),
  },
  {
    section: "RFC 9110 §6.5.1",
    why: "Trailers about framing, routing and the connection.",
    applies: reasonIs(/^400 has the trailer /),
  },
  {
    section: "RFC 6585 §5",
    why: "At most 100 header lines.",
    applies: reasonIs(/has more than 100 (?:header lines\.|trailers)$/),
  },
  {
    section: "RFC 9110 §7.8",
    why: "No request is read behind an Upgrade, even if Connection does not list it.",
    applies: ({ ours }) => ours.end === "closed" && fieldOf(ours, "upgrade") !== undefined,
  },
  {
    section: "RFC 9112 §9.6",
    why: "The option close, also with a tab or two blanks beside it.",
    applies: ({ ours }) =>
      ours.end === "closed" && /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(fieldOf(ours, "connection") ?? ""),
  },
  {
    section: "RFC 9112 §C.2.2",
    why: "Proxy-Connection does not keep a connection of HTTP/1.0.",
    applies: ({ ours, text }) => ours.end === "closed" && /\r\nproxy-connection:/i.test(text),
  },
];

/** Rules by which limmat accepts what llhttp refuses. */
export const laxerRules: readonly Rule[] = [
  {
    section: "RFC 9110 §5.5, §5.6.3",
    why: "A tab behind a value is no part of it. llhttp refuses it behind Content-Length and Transfer-Encoding.",
    applies: ({ theirs, text }) =>
      /^INVALID_(?:CONTENT_LENGTH|TRANSFER_ENCODING)/.test(theirs.reason) &&
      /\r\n(?:content-length|transfer-encoding):[^\r\n]*\t *(?:\r|$)/i.test(text),
  },
  {
    section: "RFC 9110 §5.6.1, §5.6.3",
    why: "Blanks beside the option keep-alive are no part of it. llhttp finds it neither beside a tab nor behind two blanks.",
    applies: ({ text }) => /\r\nconnection:(?:[^\r\n]*\t|[^\r\n]* {2})/i.test(text) && text.includes(" HTTP/1.0\r\n"),
  },
  {
    section: "RFC 9112 §C.2.2",
    why: "Proxy-Connection is no field of HTTP/1.1. llhttp reads it like Connection.",
    applies: ({ text }) => /\r\nproxy-connection:/i.test(text),
  },
];

const theirReasonIs =
  (pattern: RegExp): Rule["applies"] =>
  ({ theirs }) =>
    pattern.test(theirs.reason);

/** Rules by which limmat waits for the end of a head or of trailers, before it refuses what llhttp refuses earlier. */
export const lateRules: readonly Rule[] = [
  {
    section: "RFC 9112 §3",
    why: "An unknown method is 501, once its request is known to be one.",
    applies: theirReasonIs(/^INVALID_METHOD|^INVALID_CONSTANT: .*method| HTTP\/2 Connection Preface$/),
  },
  {
    section: "RFC 9112 §3.2",
    why: "The form of a target is checked with the Host.",
    applies: theirReasonIs(/^INVALID_URL/),
  },
  {
    section: "RFC 9112 §6.3, §7.1.2",
    why: "Fields about framing are checked when all lines are known.",
    applies: theirReasonIs(/^(?:INVALID|UNEXPECTED)_(?:CONTENT_LENGTH|TRANSFER_ENCODING)/),
  },
];

/** Rest of a head after any beginning of one. At least one of them completes it. */
export const restsOfHead: readonly string[] = [
  " / HTTP/1.1\r\nHost: a\r\n\r\n",
  "/ HTTP/1.1\r\nHost: a\r\n\r\n",
  " HTTP/1.1\r\nHost: a\r\n\r\n",
  "HTTP/1.1\r\nHost: a\r\n\r\n",
  "\r\nHost: a\r\n\r\n",
  ": a\r\nHost: a\r\n\r\n",
  "\nHost: a\r\n\r\n",
  "\r\n\r\n",
  ": a\r\n\r\n",
  "\n\r\n",
  "\n",
];

/** Result of a comparison: `undefined` if both are equal, the rule that allows the difference, or a fault as text. */
export type Verdict = Rule | string | undefined;

/**
 * Compares two transcripts of the same bytes.
 *
 * @param parse limmat's parser, to try completions of a head that it waits for
 */
export function compare(
  bytes: Buffer,
  theirs: Transcript,
  ours: Transcript,
  parse: (bytes: Buffer) => Transcript,
): Verdict {
  const difference: Difference = { text: bytes.toString("latin1"), theirs, ours };
  const found = findLaxness(difference);
  if (found !== undefined) return allow(laxerRules, difference, found);
  if (ours.end === "waiting") return compareWaiting(difference, parse);
  const isFurther =
    theirs.requests.length > ours.requests.length ||
    theirs.requests.at(-1)?.isComplete !== ours.requests.at(-1)?.isComplete ||
    theirs.requests.at(-1)?.body !== ours.requests.at(-1)?.body;
  if (theirs.end !== "waiting" && !isFurther && (ours.end === "malformed" || theirs.end === "closed")) return undefined;
  if (ours.end === "closed" && !isFurther && theirs.end === "waiting") return undefined;
  return allow(stricterRules, difference, `${ours.end}: ${ours.reason}`);
}

/** Returns what limmat accepts and llhttp does not. */
function findLaxness({ theirs, ours }: Difference): string | undefined {
  if (ours.reason.startsWith("wrong calls")) return ours.reason;
  for (const [index, request] of ours.requests.entries()) {
    const other = theirs.requests[index];
    if (other === undefined) return "accepts a request";
    const found = compareRequests(request, other);
    if (found !== undefined) return found;
  }
  const refusedFirst = ours.end === "malformed" && ours.requests.at(-1)?.isComplete !== false ? 1 : 0;
  if (ours.responseCount > Math.max(theirs.responseCount, ours.requests.length + refusedFirst))
    return "sends more responses";
  return undefined;
}

function compareRequests(ours: ParsedRequest, theirs: ParsedRequest): string | undefined {
  if (ours.method !== theirs.method) return "reads another method";
  if (ours.target !== theirs.target) return "reads another target";
  if (ours.minorVersion !== theirs.minorVersion) return "reads another version";
  if (ours.headers.length !== theirs.headers.length) return "reads other header lines";
  if (ours.headers.some((field, index) => field !== theirs.headers[index])) return "reads another header";
  if (!theirs.body.startsWith(ours.body)) return "reads another body";
  if (ours.isComplete && !theirs.isComplete) return "ends a body that goes on";
  if (ours.isComplete && ours.body !== theirs.body) return "ends a body too early";
  if (ours.keepsAlive && !theirs.keepsAlive) return "keeps a connection that closes";
  return undefined;
}

/** Compares while limmat waits for more bytes: it may refuse a head at its end, but must never accept it. */
function compareWaiting(difference: Difference, parse: (bytes: Buffer) => Transcript): Verdict {
  const { text, theirs, ours } = difference;
  if (theirs.end === "waiting") {
    const isBehind =
      theirs.requests.length > ours.requests.length || theirs.requests.at(-1)?.body !== ours.requests.at(-1)?.body;
    return isBehind ? "waits although a request is complete" : undefined;
  }
  const rule = lateRules.find(({ applies }) => applies(difference));
  if (rule === undefined || theirs.end === "closed") return allow(laxerRules, difference, `waits: ${theirs.reason}`);
  const completeCount = countComplete(ours);
  const accepted = restsOfHead.find((rest) => countComplete(parse(Buffer.from(text + rest, "latin1"))) > completeCount);
  if (accepted === undefined) return rule;
  return allow(laxerRules, difference, `waits for ${JSON.stringify(accepted)}: ${theirs.reason}`);
}

const countComplete = ({ requests }: Transcript): number => requests.filter(({ isComplete }) => isComplete).length;

function allow(rules: readonly Rule[], difference: Difference, found: string): Verdict {
  return rules.find(({ applies }) => applies(difference)) ?? found;
}

/** Returns the values of a field of the last request, separated by commas. */
function fieldOf({ requests }: Transcript, name: string): string | undefined {
  const headers = requests.at(-1)?.headers ?? [];
  const values = headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name);
  return values.length === 0 ? undefined : values.join(",");
}
