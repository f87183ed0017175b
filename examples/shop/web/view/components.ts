// The components of all pages. A function here with the name of a component replaces it.
export * from "limmat/components";
