import { propertySuite } from "../support/property-suite.ts";

propertySuite("anthropic-messages");
