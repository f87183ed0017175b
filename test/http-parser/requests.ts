// Requests that mutations start from: valid, unusual and malformed ones, on the subjects of RFC 9112.

const host = "Host: a\r\n";
const chunked = "Transfer-Encoding: chunked\r\n";

/** Returns a request without a body. */
const get = (fields: string, line = "GET / HTTP/1.1"): string => `${line}\r\n${host}${fields}\r\n`;
/** Returns a request with a body. */
const post = (fields: string, body: string, line = "POST /p HTTP/1.1"): string =>
  `${line}\r\n${host}${fields}\r\n${body}`;
const chunks = (body: string, fields = ""): string => post(chunked + fields, body);
const counted = (body: string, fields = ""): string => post(`Content-Length: ${body.length}\r\n${fields}`, body);
const last = "0\r\n\r\n";

/** Request that follows another one on the same connection. */
export const nextRequest = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";

const requestLines = [
  ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "REPORT", "SEARCH", "M-SEARCH"],
  ["PURGE", "LINK", "UNLINK", "PROPFIND", "MKCALENDAR", "SOURCE", "ANNOUNCE", "DESCRIBE", "FOO", "get", "GETX"],
  ["GE", "G T", "GE\x01T", "GET\t", "", "(GET)", "PRI", "HTTP/1.1"],
]
  .flat()
  .map((method) => get("", `${method} / HTTP/1.1`));

const targets = [
  ["/a/b?c=d&e=f", "/?a?b??c", "/a|b", '/a"b"', "/a^b`c{d}", "/#f", "/a?b#c", "*", "//", "/a//b", "/%", "/%41"],
  ["/\xff", "/\x80", "/a b", "/\x00", "/\x7f", "/\t", "", "a", "a/b", "?a", "http://a", "http://a/"],
  ["http://a/b?c", "http://a?b", "http://b/", "http://a:80/", "http://u@a/", "http://u:p@a/", "http://a_b/"],
  ["HTTP://A/", "https://a/", "ftp://a/", "http:///", "http://", "http:/a", "a:80", "a:80/x", "[::1]:80"],
]
  .flat()
  .map((target) => get("", `GET ${target} HTTP/1.1`));

const versions = [
  ["HTTP/1.0", "HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/5.6", "HTTP/1.10", "HTTP/11.1", "HTTP/1", "HTTP/1."],
  ["HTTP/", "HTTP", "http/1.1", "HTTP/1,1", "HTTP /1.1", "HTTP/ 1.1", "HTTP/1.1 ", " HTTP/1.1", "\tHTTP/1.1"],
  ["HTTP/x.1", "HTTP/1.x", "ICE/1.0", "RTSP/1.0", "IHTTP/1.0", "", "HTTP/1.1\t", "HTTP/1.1 HTTP/1.1"],
  ["HTTP/1.1a"],
]
  .flat()
  .map((version) => get("", `GET / ${version}`));

const lineEnds = [
  "\r\n" + get(""),
  "\r\n\r\n" + get(""),
  "\n" + get(""),
  "\r" + get(""),
  " " + get(""),
  get("").replaceAll("\r\n", "\n"),
  get("").replaceAll("\r\n", "\r"),
  get("").replaceAll("\r\n", "\r\r\n"),
  "GET / HTTP/1.1\rHost: a\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\n\n",
  "GET / HTTP/1.1\r\nHost: a\r\n\r",
  "GET /\r\n\r\n",
  "GET / \r\n\r\n",
  "GET / HTTP\r\n\r\n",
  "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /  HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
  "GET / HTTP/1.1\r\n\r\n",
  "GET / HTTP/1.0\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\x16\x03\x01\x02\x00\x01\xfc\r\n\r\n",
];

const fields = [
  ["X:", "X: ", "X:\t", "X: a", "X:a", "X: a ", "X:\t a\t ", "X: a b", "X : a", "X\t: a", ": a", "X", "X a"],
  [" X: a", "\tX: a", "X: a\r\n b", "X: a\r\n\tb", "X: a\r\n ", "X:\r\n a", "X: a\r\n \r\n b", "X: a\rb"],
  ["X: a\nb", "X: a\r\r\nY: b", "X: a\0b", "X: a\x01", "X: a\x7f", "X: \x80\xff", "X: Z\xfcrich", "X\xff: a"],
  ["X(: a", "X_Y: a", "X-Y.Z: a", "__proto__: a", "X: :a:", "Host: a", "Host: b", "host: a", "Host:"],
  ["Host: a, b", "Host : a", "Content-Type: a/b", "Content-Type: a/b\r\nContent-Type: c/d"],
  ["Expect: 100-continue", "Expect: 200-ok", "Upgrade: websocket", "X-Forwarded-For: 1.2.3.4"],
  ["Cookie: a=b\r\nCookie: c=d"],
]
  .flat()
  .map((line) => get(`${line}\r\n`));

const connections = [
  ["close", "keep-alive", "Close", "KEEP-ALIVE", "close, keep-alive", "keep-alive, close", "keep-alive,close"],
  ["close\t", "keep-alive\t", "close ", "\tclose", " , close", "close,", ",", "", "closed", "xclose", "close x"],
  ["x, y, close, z", "keep-alive\r\nConnection: close", "close\r\nConnection: keep-alive", "upgrade"],
  ["upgrade\r\nUpgrade: x", "Upgrade, close\r\nUpgrade: x", "keep\ralive", "keep-alive, upgrade\r\nUpgrade: x"],
  ["x\r\nUpgrade: x", "te\r\nTE: trailers", "content-length", "\x80close"],
]
  .flat()
  .flatMap((options) => [
    get(`Connection: ${options}\r\n`),
    get(`Connection: ${options}\r\n`, "GET / HTTP/1.0"),
    counted("abc", `Connection: ${options}\r\n`),
  ]);

const lengths = [
  ["0", "3", "3 ", " 3", "\t3", "3\t", " 3\t ", "03", "00", "+3", "-3", "3.0", "0x3", "3,3", "3, 3", "3 3"],
  ["3;", "", "x", "3\r\n 0", "9007199254740993", "18446744073709551615", "18446744073709551616"],
  ["99999999999999999999", "3\r\nContent-Length: 3", "3\r\nContent-Length: 4"],
  ["3\r\nTransfer-Encoding: chunked", "3\r\nTransfer-Encoding: identity", "3\r\nTransfer-Encoding:"],
  ["3\r\nContent_Length: 4", "3\r\nContent\rLength: 4", "3\r\nContent-Length : 3", "3\r\nX: y"],
]
  .flat()
  .map((length) => post(`Content-Length: ${length}\r\n`, "abc"));

const codings = [
  ["chunked", "Chunked", "CHUNKED", " chunked", "chunked ", "\tchunked", "chunked\t", "chunked, chunked"],
  ["gzip, chunked", "chunked, gzip", "gzip", "identity", "", ",chunked", "chunked,", "chunked;a=b", '"chunked"'],
  ["chunkedchunked", "xchunked", "chunked\r\n x", "pigeons", "chunked\r\nTransfer-Encoding: chunked"],
  ["gzip\r\nTransfer-Encoding: chunked", "chunked\r\nContent-Length: 3", "\x0bchunked"],
  ["chunked\r\nTransfer_Encoding: gzip", "chunk\red"],
]
  .flat()
  .flatMap((coding) => [
    post(`Transfer-Encoding: ${coding}\r\n`, `3\r\nabc\r\n${last}`),
    post(`Transfer-Encoding: ${coding}\r\n`, `3\r\nabc\r\n${last}`, "POST / HTTP/1.0"),
  ]);

const extensions = [
  ["", ";", ";a", ";a=b", ";a=", ";=b", ";a;b", ";a;;b", "; a", " ;a", ";a =b", ";a= b", ";a b", " ", "\t"],
  [";a\t", ' ;a="b"', ';a="b c"', ';a=""', ';a="b', ';a="b"c', ';a=b"c"', ';a="b\\"c"', ';a="b\\'],
  [';a="b;c=d";e', ';"a"', ";a=b=c", ';a="\r\n"', ";\xff", ";a=\xff", ';a="\xff"', ";a\0", ';a="\0"'],
  [';a="\\\0"', ";a,b", ";a=b;c=d;e", ` ${"x".repeat(40)}`, `;${"x".repeat(200)}`],
]
  .flat()
  .map((extension) => chunks(`3${extension}\r\nabc\r\n${last}`));

const bodies = [
  ["3\r\nabc\r\n" + last, "03\r\nabc\r\n" + last, "000\r\n\r\n", "3\r\nabc\r\n000\r\n\r\n"],
  ["A\r\n0123456789\r\n" + last, "a\r\n0123456789\r\n" + last, "g\r\nabc\r\n" + last, "\r\n" + last],
  ["-3\r\nabc\r\n" + last, "+3\r\nabc\r\n" + last, "0x3\r\nabc\r\n" + last, "3 \r\nabc\r\n" + last],
  [" 3\r\nabc\r\n" + last, "3\nabc\r\n" + last, "3\r\nabc\n" + last, "3\rabc\r\n" + last, "3\r\nabc" + last],
  ["3\r\nabcd\r\n" + last, "3\r\nab\r\n" + last, "3\r\nabc\r" + last, "3\r\nabc\r\r\n" + last],
  ["3\r\nabc\r\n\r\n" + last, "fffffffff\r\n", "ffffffffffffffff\r\n", "10000000000000003\r\nabc\r\n" + last],
  ["ffffffff\r\nabc", "00000000\r\n\r\n", "000000000\r\n\r\n", "3\r\nabc\r\n0\r\n", "3\r\nabc\r\n0", "3\r\nabc"],
  ["3\r\nab", "3\r\n", "3\r\nabc\r\n0\r\n\n", "3\r\nabc\r\n0\n\n", "3\r\nabc\r\n0\n\r\n", "3\r\nabc\r\n0\r\r\n"],
  ["1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n" + last],
]
  .flat()
  .map((body) => chunks(body));

const trailers = [
  ["T: v", "T: v\r\nU: w", "T:", "T", ": v", "T : v", " T: v", "T: v\r\n w", "T: v\x01", "T\xff: v", "T: \xff"],
  ["T: v\nU: w", "Content-Length: 3", "content-length: 0", "Transfer-Encoding: chunked", "Host: b"],
  ["Content_Length: 3", "Connection: close", "Trailer: x", "X-Forwarded-For: 1.2.3.4", "Content-Length : 3"],
  ["T: v\rU: w", "Upgrade: x", `T: ${"v".repeat(300)}`],
]
  .flat()
  .map((line) => chunks(`3\r\nabc\r\n0\r\n${line}\r\n\r\n`, "Trailer: T\r\n"));

const sequences = [
  get("") + get("", "HEAD / HTTP/1.1") + get("Connection: close\r\n"),
  counted("") + counted("abc") + chunks(`3\r\nabc\r\n${last}`) + get(""),
  counted("abc") + "\r\n" + get(""),
  counted("abc") + "\r\n\r\n" + get(""),
  counted(nextRequest) + get(""),
  post("Content-Length: 3\r\n", "abcdef\r\n\r\n"),
  post("", nextRequest),
  get("Content-Length: 3\r\n") + "abc" + nextRequest,
  get("", "GET /% HTTP/1.1") + nextRequest,
  post("Content-Length: 3\r\n", "abc", "POST /% HTTP/1.1") + nextRequest,
  post("Expect: something\r\nContent-Length: 3\r\n", "abc") + nextRequest,
  get("Upgrade: h2c\r\nHTTP2-Settings: \r\nConnection: Upgrade, HTTP2-Settings\r\n") + nextRequest,
  post("Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: 3\r\n", "abc") + nextRequest,
  get("", "CONNECT a:80 HTTP/1.1") + "any bytes",
  post("Content-Length: 3\r\n", "abc", "CONNECT a:80 HTTP/1.1") + nextRequest,
  get("Connection: keep-alive\r\n", "GET / HTTP/1.0") + get("", "GET / HTTP/1.0") + nextRequest,
  get("Proxy-Connection: close\r\n") + nextRequest,
  get("Proxy-Connection: keep-alive\r\n", "GET / HTTP/1.0") + nextRequest,
  get(Array.from({ length: 99 }, (_, index) => `x-${index}: ${index}\r\n`).join("")) + nextRequest,
  get(Array.from({ length: 100 }, (_, index) => `x-${index}: ${index}\r\n`).join("")) + nextRequest,
  get(
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nAccept: text/html;q=0.9,*/*;q=0.8\r\nAccept-Language: de-CH,de\r\nAccept-Encoding: gzip, br\r\nCookie: _session=abc.def; b=c\r\nIf-None-Match: "abc"\r\nCache-Control: max-age=0\r\n',
  ) + nextRequest,
];

/** All requests, by subject. */
export const requests: Readonly<Record<string, readonly string[]>> = {
  "request lines": requestLines,
  targets,
  versions,
  "line ends": lineEnds,
  fields,
  connections,
  lengths,
  codings,
  "chunk extensions": extensions,
  "chunked bodies": bodies,
  trailers,
  sequences,
};
