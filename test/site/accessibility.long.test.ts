import { testAccessibility } from "./accessibility.ts";

testAccessibility({ width: 1280, colorScheme: "light" });
testAccessibility({ width: 390, colorScheme: "light" });
