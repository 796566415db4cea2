#!/usr/bin/env node
// This file is there before anything is built, so that npm can link it when it installs a clone.
import "../dist/cli/main.js";
