/**
 * Script of the page, for the browser: sends the request of a form, and shows the response below it. A value of the response
 * is only ever inserted as text.
 */
export const pageScript = `(() => {
  const add = (parent, name, text, attributes = {}) => {
    const element = document.createElement(name);
    element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent.append(element);
  };
  const basic = (text) => "Basic " + btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  const textOf = ({ dataset, value }) =>
    dataset.kind === "basic" ? basic(value) : dataset.kind === "bearer" ? "Bearer " + value : value;
  // A number keeps its digits: a double has fewer than some.
  const keepDigits = (key, value, context) =>
    typeof value === "number" && JSON.rawJSON ? JSON.rawJSON(context.source) : value;
  const format = (type, text) => {
    if (!/[/+]json\\b/.test(type)) return text;
    try {
      return JSON.stringify(JSON.parse(text, keepDigits), undefined, 2);
    } catch {
      return text;
    }
  };
  const csrf = document.querySelector("[data-csrf]")?.dataset.csrf;

  const send = (form) => {
    const { method, path, schemes } = form.dataset;
    const headers = new Headers({ accept: "application/json" });
    const query = new URLSearchParams();
    // The server refuses an encoded slash: a slash is one between segments of a wildcard.
    let target = path;
    let body;
    const credentials = schemes.split(" ").flatMap((name) => [...document.querySelectorAll("[data-scheme=\\"" + CSS.escape(name) + "\\"]")]);
    for (const field of [...credentials, ...form.querySelectorAll("[data-in]")]) {
      const { value, dataset } = field;
      const { name } = dataset;
      if (value === "") continue;
      if (dataset.in === "path") target = target.replace("{" + name + "}", () => value.split("/").map(encodeURIComponent).join("/"));
      else if (dataset.in === "header") headers.set(name, textOf(field));
      else if (dataset.in === "body") body = value;
      else for (const text of "list" in dataset ? value.split("\\n") : [value]) query.append(name, text);
    }
    if (body !== undefined) headers.set("content-type", "application/json");
    if (csrf !== undefined && method !== "GET" && method !== "HEAD") headers.set("x-csrf-token", csrf);
    if (query.size > 0) target += "?" + query;
    return [target, fetch(target, { method, headers, body, cache: "no-store" })];
  };

  const show = async (form, output) => {
    const status = output.querySelector("[role=status]");
    const details = output.querySelector("div");
    status.textContent = "Sending …";
    details.replaceChildren();
    try {
      const [target, sent] = send(form);
      const response = await sent;
      const type = response.headers.get("content-type") ?? "";
      const bytes = await response.arrayBuffer();
      const text = type === "" || /^text\\/|[/+](json|xml)\\b/.test(type) ? new TextDecoder().decode(bytes) : undefined;
      status.textContent = "Status " + response.status + " " + response.statusText;
      add(details, "p", form.dataset.method + " " + target + (response.redirected ? " → " + response.url : ""), { class: "meta" });
      const shown = text === undefined ? bytes.byteLength + " bytes" : format(type, text);
      const scrollable = { tabindex: "0", role: "group" };
      if (shown !== "") add(details, "pre", shown, { ...scrollable, "aria-label": "Body of the response" });
      const lines = [...response.headers].map(([name, value]) => name + ": " + value);
      add(details, "pre", lines.join("\\n"), { ...scrollable, class: "meta", "aria-label": "Headers of the response" });
    } catch (error) {
      status.textContent = "No response: " + error.message;
    }
  };

  document.addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    if (form.dataset.path === undefined || form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    await show(form, form.nextElementSibling);
    form.ariaBusy = "false";
  });
})();`;
