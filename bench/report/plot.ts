/** Bar of a chart. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly isOurs: boolean;
}

const [labelWidth, width, step, barHeight] = [150, 720, 26, 18] as const;

const escape = (text: string): string => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Returns a bar chart as SVG, readable on light and dark backgrounds. Less is better. */
export function plot(title: string, unit: string, bars: readonly Bar[]): string {
  const maxValue = Math.max(...bars.map(({ value }) => value));
  const scale = (width - labelWidth - 110) / maxValue;
  const rows = bars.map(({ label, value, isOurs }, index) => {
    const y = 34 + index * step;
    const length = Math.max(value * scale, 1).toFixed(1);
    return `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end"${isOurs ? ' font-weight="700"' : ""}>${escape(label)}</text>
<rect x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" rx="2" fill="${isOurs ? "#2f6fde" : "#9aa3b2"}"/>
<text x="${(labelWidth + Number(length) + 6).toFixed(1)}" y="${y + 13}">${escape(number(value))} ${escape(unit)}</text>`;
  });
  const height = 44 + bars.length * step;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">
<style>text{font:13px system-ui,sans-serif;fill:#333}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>
<text x="0" y="18" font-weight="700">${escape(title)}</text>
${rows.join("\n")}
</svg>
`;
}

/** Formats a number with three significant digits: `4.21`, `42.1`, `421`, `4,210`. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
