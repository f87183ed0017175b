const special = /[&<>"']/;

/**
 * The text, so that HTML shows it as it is: in text, in `<textarea>` and `<title>`, and in quoted attributes.
 *
 * Escapes `&`, `<`, `>`, `"` and `'`.
 */
export function escape(text: string): string {
  const first = text.search(special);
  if (first === -1) return text;
  let escaped = "";
  let from = 0;
  for (let at = first; at < text.length; at += 1) {
    const entity = entityOf(text.charCodeAt(at));
    if (entity === undefined) continue;
    escaped += text.slice(from, at) + entity;
    from = at + 1;
  }
  return escaped + text.slice(from);
}

function entityOf(code: number): string | undefined {
  switch (code) {
    case 38:
      return "&amp;";
    case 60:
      return "&lt;";
    case 62:
      return "&gt;";
    case 34:
      return "&quot;";
    case 39:
      return "&#39;";
    default:
      return undefined;
  }
}
