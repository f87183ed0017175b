// A style sheet that a script imports is bundled into a style sheet with the name of the script.
declare module "*.css";
