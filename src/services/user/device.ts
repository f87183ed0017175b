type Names = readonly (readonly [pattern: RegExp, name: string])[];

// The first that fits: browsers call themselves by the names of others as well, newer ones first.
const browsers: Names = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|OPiOS)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/(?:Chrome|Chromium|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: Names = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

const longest = 512;

/**
 * Browser and system as a `User-Agent` names them, such as "Firefox on Windows"; `undefined` when it names neither. Good
 * for its owner to recognise, and no more than that is kept: a browser says what it likes, and an iPad that it is a Mac.
 */
export function deviceOf(userAgent: string): string | undefined {
  const text = userAgent.slice(0, longest);
  const nameIn = (names: Names): string | undefined => names.find(([pattern]) => pattern.test(text))?.[1];
  const parts = [nameIn(browsers), nameIn(systems)].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(" on ");
}
