/**
 * Returns the media type for the extension of a file name.
 *
 * Text types carry `charset=utf-8`. An unknown extension gives `application/octet-stream`.
 */
export function mediaType(name: string): string {
  const dot = name.lastIndexOf(".");
  return types.get(dot === -1 ? "" : name.slice(dot + 1).toLowerCase()) ?? "application/octet-stream";
}

const utf8 = "; charset=utf-8";

const types: ReadonlyMap<string, string> = new Map([
  ["aac", "audio/aac"],
  ["apng", "image/apng"],
  ["atom", `application/atom+xml${utf8}`],
  ["avif", "image/avif"],
  ["bmp", "image/bmp"],
  ["cjs", `text/javascript${utf8}`],
  ["css", `text/css${utf8}`],
  ["csv", `text/csv${utf8}`],
  ["doc", "application/msword"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["epub", "application/epub+zip"],
  ["flac", "audio/flac"],
  ["gif", "image/gif"],
  ["gz", "application/gzip"],
  ["htm", `text/html${utf8}`],
  ["html", `text/html${utf8}`],
  ["ico", "image/x-icon"],
  ["ics", `text/calendar${utf8}`],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["js", `text/javascript${utf8}`],
  ["json", "application/json"],
  ["jsonld", "application/ld+json"],
  ["m4a", "audio/mp4"],
  ["map", "application/json"],
  ["md", `text/markdown${utf8}`],
  ["mjs", `text/javascript${utf8}`],
  ["mp3", "audio/mpeg"],
  ["mp4", "video/mp4"],
  ["odt", "application/vnd.oasis.opendocument.text"],
  ["oga", "audio/ogg"],
  ["ogg", "audio/ogg"],
  ["ogv", "video/ogg"],
  ["opus", "audio/ogg"],
  ["otf", "font/otf"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["rss", `application/rss+xml${utf8}`],
  ["svg", `image/svg+xml${utf8}`],
  ["tar", "application/x-tar"],
  ["tif", "image/tiff"],
  ["tiff", "image/tiff"],
  ["ttf", "font/ttf"],
  ["txt", `text/plain${utf8}`],
  ["vcf", `text/vcard${utf8}`],
  ["vtt", `text/vtt${utf8}`],
  ["wasm", "application/wasm"],
  ["wav", "audio/wav"],
  ["webm", "video/webm"],
  ["webmanifest", "application/manifest+json"],
  ["webp", "image/webp"],
  ["woff", "font/woff"],
  ["woff2", "font/woff2"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["xml", `application/xml${utf8}`],
  ["zip", "application/zip"],
]);
