// The three formats that RFC 9110 §5.6.7 requires a recipient to accept. `Date.parse` accepts many others.
const dateFormats = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
] as const;

/** Formats a time as an HTTP date, in whole seconds: `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function formatHttpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

/** Parses an HTTP date. Returns milliseconds since 1970, `undefined` for any other text. */
export function parseHttpDate(text: string): number | undefined {
  if (!dateFormats.some((format) => format.test(text))) return undefined;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
