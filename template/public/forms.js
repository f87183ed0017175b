// Disables the button of a form while the form is being sent. A second click, or Enter, does not send it again.
// A form whose response is a file leaves the page as it is: write <form data-download>.

/** Buttons of the forms that are being sent. */
const buttons = new Map();

// On the window, after all listeners of the page: one of them may prevent the event.
addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const option = (name) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
  const staysHere = !["", "_self"].includes(option("target")) || form.hasAttribute("data-download");
  if (event.defaultPrevented || option("method").toLowerCase() !== "post" || staysHere) return;
  if (buttons.has(form)) return event.preventDefault();
  buttons.set(form, submitter);
  form.setAttribute("aria-busy", "true");
  // A button that is disabled before the event ends is missing in the data.
  setTimeout(() => {
    if (event.defaultPrevented) enable(form);
    else if (buttons.has(form)) submitter?.setAttribute("aria-disabled", "true");
  });
});

// Back shows the page of the back/forward cache as it was left.
addEventListener("pageshow", () => {
  for (const form of buttons.keys()) enable(form);
});

function enable(form) {
  buttons.get(form)?.removeAttribute("aria-disabled");
  form.removeAttribute("aria-busy");
  buttons.delete(form);
}
