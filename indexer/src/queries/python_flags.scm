; Command-line flags and commands: argparse `add_argument` and `add_parser`, absl and TensorFlow `DEFINE_*`, click `option` and `argument`.

(call
  function: [(attribute attribute: (identifier) @function) (identifier) @function]
  arguments: (argument_list . (string)) @arguments
  (#match? @function "^(add_argument|add_arg|option|argument|add_parser|DEFINE_[a-z_]+)$")) @call
