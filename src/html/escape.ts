const specialCharacters = /[&<>"']/;

/**
 * Escapes a text for HTML: for text, `<textarea>`, `<title>` and quoted attributes.
 *
 * Replaces `&`, `<`, `>`, `"` and `'` by character references.
 */
export function escape(text: string): string {
  const first = text.search(specialCharacters);
  if (first === -1) return text;
  let escaped = "";
  let start = 0;
  for (let index = first; index < text.length; index += 1) {
    const entity = entityOf(text.charCodeAt(index));
    if (entity === undefined) continue;
    escaped += text.slice(start, index) + entity;
    start = index + 1;
  }
  return escaped + text.slice(start);
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
