//! JavaScript, TypeScript and its dialect with elements. They share most of their definitions.

use super::{Language, Reader, Registration};
use crate::syntax::LazyGrammar;

const JAVASCRIPT: &str =
    concat!(include_str!("../queries/ecmascript.scm"), include_str!("../queries/javascript.scm"));
const TYPESCRIPT: &str =
    concat!(include_str!("../queries/ecmascript.scm"), include_str!("../queries/typescript.scm"));

pub(super) static REGISTRATIONS: [Registration; 3] = [
    Registration {
        language: Language::JavaScript,
        names: &["javascript", "js", "jsx"],
        extensions: &["js", "cjs", "jsx", "mjs"],
        file_names: &[],
        interpreters: &["node", "nodejs"],
        reader: Reader::Code(LazyGrammar::new(tree_sitter_javascript::LANGUAGE, JAVASCRIPT)),
    },
    Registration {
        language: Language::TypeScript,
        names: &["typescript", "ts"],
        extensions: &["cts", "mts", "ts"],
        file_names: &[],
        interpreters: &["deno"],
        reader: Reader::Code(LazyGrammar::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT, TYPESCRIPT)),
    },
    Registration {
        language: Language::Tsx,
        names: &["tsx"],
        extensions: &["tsx"],
        file_names: &[],
        interpreters: &[],
        reader: Reader::Code(LazyGrammar::new(tree_sitter_typescript::LANGUAGE_TSX, TYPESCRIPT)),
    },
];

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::testing::check;
    use super::*;

    #[test]
    fn finds_functions_classes_and_values_of_javascript() {
        check(
            Language::JavaScript,
            "// Draws graphs.\nimport d3 from 'd3';\nconst WIDTH = 3, run = (a) => {\n  const local = 1;\n};\n\n\
             export default class Graph extends Base {\n  size = 1;\n  onClick = () => { this.go(); };\n  draw(x) {\n    \
             return x;\n  }\n}\nfunction* each() {}\nexport async function load(url) {\n}\n",
            &expect![[r"
                constant WIDTH 3-3 `WIDTH = 3`
                function run 3-5 `run = (a) =>`
                class Graph 7-13 `export default class Graph extends Base` exported
                field Graph.size 8-8 `size = 1`
                method Graph.onClick 9-9 `onClick = () =>`
                method Graph.draw 10-12 `draw(x)`
                function each 14-14 `function* each()`
                function load 15-16 `export async function load(url)` exported
                [top_level 1-2 ]
                [function 3-5 run]
                [class 7-8 Graph]
                [method 9-9 Graph.onClick]
                [method 10-12 Graph.draw]
                [class 13-13 Graph]
                [function 14-14 each]
                [function 15-16 load]
            "]],
        );
    }

    #[test]
    fn finds_types_of_typescript_and_elements_of_its_dialect() {
        check(
            Language::TypeScript,
            "export interface Props {\n  name: string;\n}\ntype Id = number;\nenum Color { Red }\nnamespace api {\n  \
             export function get(): void {}\n}\nabstract class Shape<T> {\n  private area: number = 1;\n  \
             abstract draw(): void;\n}\n",
            &expect![[r"
                type Props 1-3 `export interface Props` exported
                type Id 4-4 `type Id = number;`
                enum Color 5-5 `enum Color`
                namespace api 6-8 `namespace api`
                function api.get 7-7 `export function get(): void` exported
                class Shape 9-12 `abstract class Shape<T>`
                field Shape.area 10-10 `private area: number = 1`
                [top_level 1-6 ]
                [function 7-7 api.get]
                [top_level 8-8 ]
                [class 9-12 Shape]
            "]],
        );
        check(
            Language::Tsx,
            "export const View = ({ name }: Props) => (\n  <div>{name}</div>\n);\n",
            &expect![[r"
                function View 1-3 `export const View = ({ name }: Props) =>` exported
                [function 1-3 View]
            "]],
        );
    }

    #[test]
    fn reads_on_after_an_error() {
        check(
            Language::JavaScript,
            "function a( {\n\nfunction b() {}\n",
            &expect![[r"
            function b 3-3 `b()`
            [top_level 1-1 ]
            [function 3-3 b]
            (parse_errors)
        "]],
        );
    }
}
