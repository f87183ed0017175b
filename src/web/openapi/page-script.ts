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
    return element;
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

  const send = (form, signal) => {
    const { method, path, schemes } = form.dataset;
    const headers = new Headers({ accept: "application/json, */*;q=0.5" });
    const query = new URLSearchParams();
    // The server refuses an encoded slash: a slash is one between segments of a wildcard.
    let target = path;
    let body;
    const secrets = [];
    const credentials = JSON.parse(schemes).flatMap((name) => [...document.querySelectorAll("[data-scheme=\\"" + CSS.escape(name) + "\\"]")]);
    for (const field of [...credentials, ...form.querySelectorAll("[data-in]")]) {
      const { value, dataset } = field;
      const { name } = dataset;
      if (value === "") continue;
      if (dataset.in === "path") target = target.replace("{" + name + "}", () => value.split("/").map(encodeURIComponent).join("/"));
      else if (dataset.in === "header") headers.set(name, textOf(field));
      else if (dataset.in === "body") body = value;
      else for (const text of "list" in dataset ? value.split("\\n").filter(Boolean) : [value]) query.append(name, text);
      if (dataset.in === "query" && "scheme" in dataset) secrets.push(String(new URLSearchParams([[name, ""]])));
    }
    if (body !== undefined) headers.set("content-type", "application/json");
    if (csrf !== undefined && method !== "GET" && method !== "HEAD") headers.set("x-csrf-token", csrf);
    if (query.size > 0) target += "?" + query;
    // A path that begins with two slashes would be that of another host.
    const maskPart = (part) => (secrets.some((key) => part.startsWith(key)) ? part.replace(/=.*/, "=•••") : part);
    const mask = (text) => text.replace(/(?<=[?&])[^&# ]+/g, maskPart);
    return [target, mask, fetch(location.origin + target, { method, headers, body, signal, cache: "no-store" })];
  };

  const show = async (form, output, signal) => {
    const status = output.querySelector("[role=status]");
    const details = output.querySelector("div");
    status.textContent = "Sending …";
    details.replaceChildren();
    try {
      const [target, mask, sent] = send(form, signal);
      const response = await sent;
      form.ariaBusy = "false";
      const type = response.headers.get("content-type") ?? "";
      status.textContent = "Status " + response.status + " " + response.statusText;
      add(details, "p", form.dataset.method + " " + mask(target + (response.redirected ? " → " + response.url : "")), { class: "meta" });
      const scrollable = { tabindex: "0", role: "group" };
      const shown = add(details, "pre", "", { ...scrollable, "aria-label": "Body of the response", "aria-busy": "true" });
      const lines = [...response.headers].map(([name, value]) => name + ": " + value);
      add(details, "pre", lines.join("\\n"), { ...scrollable, class: "meta", "aria-label": "Headers of the response" });
      const decoder = type === "" || /^text\\/|[/+](json|xml)\\b/.test(type) ? new TextDecoder() : undefined;
      const reader = response.body?.getReader();
      let size = 0;
      for (let part; (part = (await reader?.read())?.value) !== undefined; ) {
        size += part.length;
        shown.append(decoder?.decode(part, { stream: true }) ?? "");
      }
      if (size > 0) shown.textContent = decoder === undefined ? size + " bytes" : format(type, shown.textContent + decoder.decode());
      shown.ariaBusy = "false";
    } catch (error) {
      if (signal.aborted) return;
      status.textContent = "No response: " + error.message;
      form.ariaBusy = "false";
    }
  };

  // A response may have no end: the next request of its form ends it.
  const controllers = new Map();
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    if (form.dataset.path === undefined || form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    controllers.get(form)?.abort();
    controllers.set(form, new AbortController());
    show(form, form.nextElementSibling, controllers.get(form).signal);
  });
})();`;
