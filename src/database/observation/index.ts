export { findCallSite } from "./call-site.ts";
export { notifyObservers, type ObservedStatement, observeStatements } from "./observers.ts";
