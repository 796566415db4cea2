import type { LanguageFn } from "highlight.js";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

/** Of the languages that most answers have code in; aliases such as `ts`, `py` and `html` come with them. */
const lowlight = createLowlight({
  ...{
    bash,
    c,
    cpp,
    csharp,
    css,
    diff,
    go,
    ini,
    java,
    javascript,
    json,
    php,
    python,
    ruby,
    rust,
    shell,
    sql,
  },
  ...{ typescript, xml, yaml },
} satisfies Record<string, LanguageFn>);

/** Longer code keeps its one colour (characters). */
const MOST_CHARS = 50_000;

export type Piece = ReturnType<typeof lowlight.highlight>["children"][number];

/** Code in pieces that know what they are; undefined of a language that isn't known here. */
export function highlight(code: string, language: string): readonly Piece[] | undefined {
  if (code.length > MOST_CHARS || !lowlight.registered(language)) return undefined;
  return lowlight.highlight(language, code).children;
}
