import { propertySuite } from "../support/property-suite.ts";

propertySuite("ai-sdk");
