// Disables the button of a form while the form is being sent. A second click, or Enter, does not send it again.
// A form whose response is a file leaves the page as it is: write <form data-download>.

/** Time after which a form can be sent again if the page is still there, as when the user stopped it, in milliseconds. */
const sendingMs = 10_000;
/** Button and timer of each form that is being sent. */
const sending = new Map();

// On the window, after all listeners of the page: one of them may prevent the event.
addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const option = (name) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
  const staysHere = !["", "_self"].includes(option("target")) || form.hasAttribute("data-download");
  if (event.defaultPrevented || option("method").toLowerCase() !== "post" || staysHere) return;
  if (sending.has(form)) return event.preventDefault();
  sending.set(form, { submitter, timer: setTimeout(() => enable(form), sendingMs) });
  form.setAttribute("aria-busy", "true");
  // A button that is disabled before the event ends is missing in the data.
  setTimeout(() => {
    if (event.defaultPrevented) enable(form);
    else if (sending.has(form)) submitter?.setAttribute("aria-disabled", "true");
  });
});

// Back shows the page of the back/forward cache as it was left.
addEventListener("pageshow", () => {
  for (const form of sending.keys()) enable(form);
});

function enable(form) {
  const { submitter, timer } = sending.get(form) ?? {};
  clearTimeout(timer);
  submitter?.removeAttribute("aria-disabled");
  form.removeAttribute("aria-busy");
  sending.delete(form);
}
