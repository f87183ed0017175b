import { testAccessibility } from "./accessibility.ts";

testAccessibility({ width: 390, colorScheme: "light" });
