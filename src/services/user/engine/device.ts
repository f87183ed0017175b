type NamePatterns = readonly (readonly [pattern: RegExp, name: string])[];

// The first match wins. Browsers also send the names of older browsers, so newer ones come first.
const browsers: NamePatterns = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|OPiOS)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/(?:Chrome|Chromium|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: NamePatterns = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

const maxUserAgentLength = 512;

/**
 * Returns browser and operating system of a `User-Agent` header, such as "Firefox on Windows", or `undefined` if it
 * contains neither. The name only helps owners recognise their devices: browsers can send any text, and an iPad claims to
 * be a Mac.
 */
export function deviceName(userAgent: string): string | undefined {
  const text = userAgent.slice(0, maxUserAgentLength);
  const findName = (patterns: NamePatterns): string | undefined =>
    patterns.find(([pattern]) => pattern.test(text))?.[1];
  const names = [findName(browsers), findName(systems)].filter((name) => name !== undefined);
  return names.length === 0 ? undefined : names.join(" on ");
}
