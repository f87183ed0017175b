/** Keeps a rejection of promises that nobody will await from ending the process. */
export function suppressUnhandledRejection(value: unknown): void {
  if (value instanceof Promise) value.catch(() => {});
  else if (Array.isArray(value)) value.forEach(suppressUnhandledRejection);
}
