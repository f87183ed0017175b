// The three forms that RFC 9110 §5.6.7 makes a recipient accept. `Date.parse` alone takes far more.
const forms = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
] as const;

/** A time as HTTP writes it, in whole seconds: `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function formatHttpDate(milliseconds: number): string {
  return new Date(milliseconds).toUTCString();
}

/** The time of an HTTP date, in milliseconds since 1970; `undefined` for anything else. */
export function parseHttpDate(text: string): number | undefined {
  if (!forms.some((form) => form.test(text))) return undefined;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
